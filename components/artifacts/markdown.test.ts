import { describe, expect, it } from 'vitest'
import type { Block } from './markdown.ts'
import { parseMarkdown } from './markdown.ts'
import { parseInline, safeHref } from './markdown-inline.ts'

const text = (value: string) => ({ type: 'text', text: value }) as const

describe('Markdown blocks', () => {
  it('reads headings, paragraphs, rules and code', () => {
    expect(parseMarkdown('## Result ##\n\none\ntwo\n\n---\n```json\n{"a": "# no"}\n```')).toEqual([
      { type: 'heading', level: 2, children: [text('Result')] },
      { type: 'paragraph', children: [text('one\ntwo')] },
      { type: 'rule' },
      { type: 'code', language: 'json', text: '{"a": "# no"}' },
    ])
  })

  it('reads nested lists and keeps the first number', () => {
    const [list] = parseMarkdown('3. one\n   - inner\n4. two')
    expect(list).toMatchObject({ type: 'list', isOrdered: true, start: 3 })
    const { items } = list as Extract<Block, { type: 'list' }>
    expect(items.map((item) => item.map((block) => block.type))).toEqual([['paragraph', 'list'], ['paragraph']])
  })

  it('reads quotes and tables', () => {
    expect(parseMarkdown('> a\n> b')).toEqual([{ type: 'quote', children: [{ type: 'paragraph', children: [text('a\nb')] }] }])
    expect(parseMarkdown('| a | b |\n|---|---|\n| 1 | 2 \\| 3 |')).toEqual([
      { type: 'table', header: [[text('a')], [text('b')]], rows: [[[text('1')], [text('2 | 3')]]] },
    ])
  })

  it('ends on any input, however deep', () => {
    expect(parseMarkdown('>'.repeat(5_000))).toHaveLength(1)
    expect(parseMarkdown('- '.repeat(2_000))).toHaveLength(1)
    expect(parseMarkdown('```\nnever closed')).toEqual([{ type: 'code', language: '', text: 'never closed' }])
    expect(parseMarkdown('>\n|\n-\n#')).not.toEqual([])
  })

  it.each([
    ['**a ', 'strong that never closes'], ['*a _b ', 'emphasis that never closes'], ['[a](', 'links that never close'], ['[', 'brackets'],
    ['`a', 'code spans'], ['``a`', 'uneven code marks'], ['*a **b ', 'nested marks'], ['__', 'marks alone'], ['# ', 'headings'], [' ', 'spaces'], ['|-', 'tables'],
  ])('takes time linear in its input for %j (%s)', (unit) => {
    const elapsedMs = (size: number) => {
      const hostile = `# ${unit.repeat(size / unit.length)}x`
      const started = performance.now()
      parseMarkdown(hostile)
      parseMarkdown(hostile.slice(2))
      return performance.now() - started
    }
    elapsedMs(20_000)
    expect(elapsedMs(200_000)).toBeLessThan(1_500)
  })
})

describe('Markdown inlines', () => {
  it('reads code, strong, emphasis and links', () => {
    expect(parseInline('`a*b*` **c _d_** [e](https://example.org/x)')).toEqual([
      { type: 'code', text: 'a*b*' }, text(' '),
      { type: 'strong', children: [text('c '), { type: 'emphasis', children: [text('d')] }] }, text(' '),
      { type: 'link', href: 'https://example.org/x', children: [text('e')] },
    ])
  })

  it('leaves names with underscores alone and finds strong inside emphasis', () => {
    expect(parseInline('snake_case_name 2 * 3 * 4')).toEqual([text('snake_case_name 2 * 3 * 4')])
    expect(parseInline('*a **b** c*')).toEqual([
      { type: 'emphasis', children: [text('a '), { type: 'strong', children: [text('b')] }, text(' c')] },
    ])
  })

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', '//example.org', '/artifacts/x', 'blob:https://a/b'])(
    'makes no link of %s (8.4)', (target) => {
      expect(safeHref(target)).toBeUndefined()
      expect(parseInline(`[x](${target})`)).not.toContainEqual(expect.objectContaining({ type: 'link' }))
    })

  it('leaves raw HTML as text and loads no image', () => {
    expect(parseInline('<img src=x onerror=alert(1)>')).toEqual([text('<img src=x onerror=alert(1)>')])
    expect(parseInline('![chart](https://example.org/c.png)')).toEqual([{ type: 'link', href: 'https://example.org/c.png', children: [text('chart')] }])
  })
})
