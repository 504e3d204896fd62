'use client'

import { useState } from 'react'
import { visibleText } from '../ui/visible-text.ts'
import { parseDelimited } from './delimited.ts'

/** A text or source as it is written. */
export function TextView({ text }: { readonly text: string }) {
  return <pre tabIndex={0} dir="auto" className="peer-text max-h-[32rem] overflow-auto rounded-md bg-sunk p-3 font-mono text-12">{visibleText(text)}</pre>
}

const PAGE = 200

/** Records as a table, the first as its head. How many are not shown is said, with the way to them. */
export function DelimitedView({ text, separator }: { readonly text: string; readonly separator: ',' | '\t' }) {
  const [shown, setShown] = useState(PAGE)
  const [header = [], ...rows] = parseDelimited(text, separator)
  return (
    <div className="grid gap-2">
      <div tabIndex={0} className="max-h-[32rem] overflow-auto rounded-md border">
        <table className="w-full text-13">
          <thead className="sticky top-0 bg-raised">
            <tr>{header.map((cell, at) => <th key={at} scope="col" className="border-b px-2 py-1 text-left font-semibold"><bdi>{visibleText(cell)}</bdi></th>)}</tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, line) => (
              <tr key={line} className="border-b last:border-0">
                {row.map((cell, at) => <td key={at} className="px-2 py-1 align-top"><bdi className="peer-text [overflow-wrap:break-word]">{visibleText(cell)}</bdi></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <button type="button" onClick={() => setShown(rows.length)} className="justify-self-start text-13 text-action">
          Showing {shown} of {rows.length} rows. Show all
        </button>
      )}
    </div>
  )
}
