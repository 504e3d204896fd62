// Checks the links of every Markdown file in a folder: does the file exist, does the heading exist. Offline.
import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import GithubSlugger from 'github-slugger'
import { fromMarkdown } from 'mdast-util-from-markdown'
import type { Nodes, Root } from 'mdast'

export type LinkStatus = 'ok' | 'missing-file' | 'missing-heading' | 'outside-folder' | 'not-checked'
export interface LinkFinding { readonly file: string; readonly line: number; readonly target: string; readonly status: LinkStatus }
export interface LinkReport { readonly files: readonly string[]; readonly links: readonly LinkFinding[] }

interface MarkdownFile { readonly path: string; readonly root: Root; readonly anchors: ReadonlySet<string> }

const skippedFolders = new Set(['node_modules', 'dist', 'data', 'coverage', 'test-results', 'playwright-report'])

type ReadText = (path: string) => Promise<string>

/**
 * Links that leave the folder or the machine are listed as `outside-folder` and `not-checked`, never silently dropped.
 * `readText` is called once for every Markdown file.
 */
export async function checkLinks(folder: string, readText: ReadText = readUtf8): Promise<LinkReport> {
  const paths = await markdownFiles(folder)
  const files = new Map<string, MarkdownFile>()
  for (const path of paths) files.set(path, parseFile(path, await readText(join(folder, path))))
  const links: LinkFinding[] = []
  for (const file of files.values()) {
    for (const { target, line } of linksOf(file.root)) links.push({ file: file.path, line, target, status: await statusOf(folder, file, target, files) })
  }
  return { files: paths, links }
}

export const isBroken = ({ status }: LinkFinding) => status === 'missing-file' || status === 'missing-heading' || status === 'outside-folder'

async function markdownFiles(folder: string, below = ''): Promise<string[]> {
  const found: string[] = []
  for (const entry of await sorted(join(folder, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory() && !entry.name.startsWith('.') && !skippedFolders.has(entry.name)) found.push(...(await markdownFiles(folder, path)))
    if (entry.isFile() && /\.(md|markdown)$/i.test(entry.name)) found.push(path)
  }
  return found
}

async function sorted(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function parseFile(path: string, text: string): MarkdownFile {
  const root = fromMarkdown(text)
  const slugger = new GithubSlugger()
  const anchors = new Set<string>()
  for (const node of walk(root)) {
    if (node.type === 'heading') anchors.add(slugger.slug(textOf(node)))
    if (node.type === 'html') for (const [, id] of node.value.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(id ?? '')
  }
  return { path, root, anchors }
}

function* walk(node: Nodes): Generator<Nodes> {
  yield node
  if ('children' in node) for (const child of node.children) yield* walk(child)
}

function textOf(node: Nodes): string {
  return [...walk(node)].map((part) => (part.type === 'text' || part.type === 'inlineCode' ? part.value : '')).join('')
}

function* linksOf(root: Root): Generator<{ target: string; line: number }> {
  for (const node of walk(root)) {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') yield { target: node.url, line: node.position?.start.line ?? 0 }
  }
}

async function statusOf(folder: string, file: MarkdownFile, target: string, files: ReadonlyMap<string, MarkdownFile>): Promise<LinkStatus> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) return 'not-checked'
  const [path = '', anchor] = target.split('#', 2)
  const absolute = path === '' ? join(folder, file.path) : resolve(path.startsWith('/') ? folder : dirname(join(folder, file.path)), `.${sep}${decode(path.split('?')[0] ?? '')}`)
  const inside = relative(folder, absolute)
  if (inside.startsWith('..')) return 'outside-folder'
  if (!(await exists(absolute))) return 'missing-file'
  const linked = files.get(inside.split(sep).join('/'))
  return anchor && linked && !linked.anchors.has(decode(anchor).toLowerCase()) ? 'missing-heading' : 'ok'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const exists = (path: string) => stat(path).then(() => true, () => false)

const readUtf8: ReadText = (path) => readFile(path, 'utf8')
