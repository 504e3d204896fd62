/**
 * Records of a CSV or TSV text (RFC 4180): quoted fields may hold separators, line ends and doubled quotes. A final
 * line end adds no record. A quote inside an unquoted field is kept as it is.
 */
export function parseDelimited(text: string, separator: ',' | '\t'): readonly (readonly string[])[] {
  const records: string[][] = []
  let record: string[] = []
  let field = ''
  let isQuoted = false
  let hasContent = false
  const endField = () => {
    record.push(field)
    field = ''
  }
  const endRecord = () => {
    endField()
    records.push(record)
    record = []
    hasContent = false
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!
    if (isQuoted) {
      if (unit !== '"') field += unit
      else if (text[at + 1] === '"') field += text[++at]!
      else isQuoted = false
      continue
    }
    if (unit === '\n' || unit === '\r') {
      if (unit === '\r' && text[at + 1] === '\n') at++
      endRecord()
      continue
    }
    hasContent = true
    if (unit === separator) endField()
    else if (unit === '"' && field === '') isQuoted = true
    else field += unit
  }
  if (hasContent || field !== '' || record.length > 0) endRecord()
  return records
}
