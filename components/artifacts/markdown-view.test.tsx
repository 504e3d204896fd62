import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { MarkdownView } from './markdown-view.tsx'

const html = (text: string): string => renderToStaticMarkup(<MarkdownView text={text} />)

describe('Markdown of a peer, rendered', () => {
  it.each([
    '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '[a](javascript:alert(1))', '![a](data:text/html,<script>)', '```\n</pre><script>\n```',
    '| <b>x</b> | y |\n|---|---|\n| <svg onload=alert(1)> | [z](vbscript:a) |', '[<b>x</b>](https://example.org/"onclick=alert(1))',
  ])('makes no element and no address of its own out of %j (8.4)', (text) => {
    const made = html(text)
    expect(made).not.toMatch(/<(script|img|svg|iframe|b)\b/)
    expect(made).not.toMatch(/<[^>]+\son\w+=/)
    expect(made).not.toMatch(/(href|src)="(?!https?:|mailto:)/)
  })

  it('says where a link leads and passes nothing on', () => {
    const made = html('[your bank](https://evil.example/login)')
    expect(made).toContain('rel="noopener noreferrer nofollow"')
    expect(made).toContain('(evil.example)')
  })

  it('writes out bidi controls and counts blank lines (8.5)', () => {
    expect(html('a\u202eb')).toContain('⟨U+202E⟩')
    expect(html('```\na\n\n\n\n\n\n\nb\n```')).toContain('blank lines')
  })

  it('puts the headings of a document below those of the page', () => {
    expect(html('# Title')).toContain('<h3')
  })
})
