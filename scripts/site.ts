import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import MarkdownIt, { type Token } from 'markdown-it';
import MiniSearch from 'minisearch';
import { STAMP } from '../bin/bundle.mjs';
import { INDEX_OPTIONS, type Section } from '../page/docs/search-index.ts';
import { bundleScript, minified } from './bundle-page.ts';

/** The pages of single errors and findings are sections of these: each heading that is a code. */
const SPLIT: Record<string, string> = { 'reference/errors': 'errors', 'reference/findings': 'findings' };
const CODE = /^[a-z][a-z_]*(\/[a-z_]+)?$/;

const EXCERPT = 140;

/** Whole words. */
const excerptOf = (text: string) => (text.length <= EXCERPT ? text : text.slice(0, EXCERPT).replace(/\s\S*$/, '…'));

/** A Markdown page; `path` is that of its URL, without `/docs/`. */
interface Page {
  path: string;
  markdown: string;
}

interface Heading {
  level: number;
  id: string;
  text: string;
  /** The text below it, up to the next heading. */
  body: string;
}

/** A line of docs/README.md, which is the navigation. */
interface Entry {
  tree: string;
  group: string;
  title: string;
  path: string;
  about: string;
}

/** SHA-256, in hex, of what the site below `root` is made of. */
export function hashSite(root: string): string {
  const hash = createHash('sha256');
  const files = globSync(['docs/**/*.{md,webp}', 'page/docs/*', 'scripts/site.ts', 'package-lock.json'], { cwd: root });
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Whether the site in `directory` was made of what is below `root`. */
export function isSiteBuilt(root: string, directory: string): boolean {
  try {
    return readFileSync(join(directory, STAMP), 'utf8') === hashSite(root);
  } catch {
    return false;
  }
}

/** Builds the documents below `root` into `directory`: pages, their Markdown, the index, `llms.txt`. Returns the modules in its script. */
export async function buildSite(root: string, directory: string): Promise<string[]> {
  const docs = join(root, 'docs');
  const files = new Set(globSync(['README.md', '{guides,reference,internals}/**/*.{md,webp}'], { cwd: docs }).sort());
  const pages = [...files].flatMap((file): Page[] => {
    if (!file.endsWith('.md')) return [];
    return [{ path: pathOf(file), markdown: withinSite(file, readFileSync(join(docs, file), 'utf8'), files) }];
  });
  const entries = entriesOf(readFileSync(join(docs, 'README.md'), 'utf8'));
  const sections = pages.flatMap((page) => sectionsOf(page));
  const search = new MiniSearch(INDEX_OPTIONS);
  search.addAll(sections);

  const [script] = await bundleScript(root, 'page/docs/docs.ts', '');
  mkdirSync(join(directory, 'assets'), { recursive: true });
  const asset = (name: string, content: string) => {
    const file = name.replace('.', `-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.`);
    writeCompressed(join(directory, 'assets', file), content);
    return `/docs/assets/${file}`;
  };
  const assets = {
    styles: asset('docs.css', minified(readFileSync(join(root, 'page/docs/styles.css'), 'utf8'))),
    script: asset('docs.js', script.code),
    search: asset('search.json', JSON.stringify(search)),
  };
  const template = readFileSync(join(root, 'page/docs/index.html'), 'utf8');
  for (const page of [...pages, ...pages.flatMap(splitOf), NOT_FOUND]) {
    const html = fill(template, { ...assets, ...partsOf(page, entries) });
    writeCompressed(join(directory, `${page.path}.html`), html);
    writeCompressed(join(directory, `${page.path}.md`), page.markdown);
  }
  for (const file of files) if (!file.endsWith('.md')) cpSync(join(docs, file), join(directory, file));
  writeCompressed(join(directory, 'llms.txt'), llms(entries));
  writeFileSync(join(directory, STAMP), hashSite(root));
  return script.moduleIds;
}

const NOT_FOUND: Page = {
  path: '404',
  markdown: '# Page not found\n\nNo page has this address. Search above, or begin at [the first page](README.md).\n',
};

/** The path of a file without its extension; that of a README is `index`. */
function pathOf(file: string): string {
  return file.replace(/\.md$/, '').replace(/(^|\/)README$/, '$1index');
}

function urlOf(path: string): string {
  return `/docs/${path}`.replace(/\/index$/, '');
}

/** The file in docs/ that a link of a page names. */
function fileOf(page: string, target: string): string {
  return normalize(join(dirname(page), target)).replace(/\/$/, '/README.md');
}

/** Without links to files of the repository that are not pages. */
function withinSite(page: string, markdown: string, files: ReadonlySet<string>): string {
  return markdown.replace(/(?<!!)\[([^\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)/g, (link, text, target) => {
    const file = fileOf(page, target);
    if (file === '../openapi.json') return `[${text}](/openapi.json)`;
    return files.has(file) || target.startsWith('/') ? link : text;
  });
}

function entriesOf(index: string): Entry[] {
  let tree = '';
  let group = '';
  return index.split('\n').flatMap((line) => {
    const [, marks, heading = ''] = /^(##|###) (.+)$/.exec(line) ?? [];
    if (marks === '##') tree = heading;
    if (marks === '###') group = heading;
    const [, title, file, about = ''] = /^- \[(.+?)\]\((.+?)\)(?:: (.+))?$/.exec(line) ?? [];
    return title === undefined || file === undefined ? [] : [{ tree, group, title, path: pathOf(file), about }];
  });
}

/** `env.path`: the page that is rendered. */
const parser = new MarkdownIt({ html: true });
const { escapeHtml } = parser.utils;

parser.core.ruler.push('site', ({ tokens, env, Token }) => {
  const ids = new Map<string, number>();
  const page = String(env.path);
  for (const [at, token] of tokens.entries()) {
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', hrefOf(page, String(child.attrGet('href'))));
      if (child.type === 'image') child.attrSet('src', hrefOf(page, String(child.attrGet('src'))));
    }
    const inline = tokens[at + 1];
    // A column without a title has no heading cell.
    if (/^th_/.test(token.type) && (inline?.content ?? tokens[at - 1]?.content) === '') token.tag = 'td';
    if (token.type !== 'heading_open' || !inline?.children) continue;
    token.attrSet('id', anchorOf(textOf(inline), ids));
    if (token.tag === 'h1') continue;
    const anchor = new Token('html_inline', '', 0);
    anchor.content = `<a class="anchor" href="#${token.attrGet('id')}" aria-label="Link to this section">#</a>`;
    inline.children.push(anchor);
  }
});

const { rules } = parser.renderer;
// Names break after their parts, not within a word.
rules.text = (tokens, at) => breakable(tokens[at]?.content ?? '');
rules.code_inline = (tokens, at) => `<code>${breakable(tokens[at]?.content ?? '')}</code>`;
rules.fence = rules.code_block = (tokens, at) =>
  `<div class="code"><pre tabindex="0"><code>${escapeHtml(tokens[at]?.content ?? '')}</code></pre></div>\n`;
rules.table_open = () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>';
rules.table_close = () => '</table></div>';

function breakable(text: string): string {
  return escapeHtml(text).replace(/[/_.](?=\w)/g, '$&<wbr>');
}

/** Where a link of a page leads on the site. */
function hrefOf(page: string, target: string): string {
  if (/^(\w+:|#|\/)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const url = path.endsWith('.webp') ? `/docs/${fileOf(page, path)}` : urlOf(pathOf(fileOf(page, path)));
  return anchor === undefined ? url : `${url}#${anchor}`;
}

/** As GitHub makes it. */
function anchorOf(heading: string, ids: Map<string, number>): string {
  const id = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  const earlier = ids.get(id) ?? 0;
  ids.set(id, earlier + 1);
  return earlier === 0 ? id : `${id}-${earlier}`;
}

function textOf({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (/break/.test(type) ? ' ' : /text|code/.test(type) ? content : ''))
    .join('');
}

/** The headings of a page, each with the text below it. */
function headingsOf({ path, markdown }: Page): Heading[] {
  const tokens = parser.parse(markdown, { path });
  const headings: Heading[] = [];
  tokens.forEach((token, at) => {
    const inline = tokens[at + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const level = Number(token.tag.slice(1));
      headings.push({ level, id: String(token.attrGet('id')), text: textOf(inline), body: '' });
    } else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') {
      const last = headings.at(-1);
      if (last) last.body += `${textOf(token)} `;
    }
  });
  return headings;
}

/** The sections of a page for the index. That of a code is its own page. */
function sectionsOf(page: Page): Section[] {
  const [first, ...others] = headingsOf(page);
  if (first === undefined) throw new Error(`${page.path} has no heading`);
  return [first, ...others].map(({ id, text, body }) => {
    const split = SPLIT[page.path];
    const url = split !== undefined && CODE.test(text) ? `/docs/${split}/${text}` : urlOf(page.path);
    const anchor = url === urlOf(page.path) && id !== first.id ? `#${id}` : '';
    return { id: url + anchor, page: first.text, heading: text, text: body, excerpt: excerptOf(body) };
  });
}

/** A page for each code of a page, with the words that it may use. */
function splitOf({ path, markdown }: Page): Page[] {
  const folder = SPLIT[path];
  if (folder === undefined) return [];
  const sections = markdown.split(/^## /m).slice(1);
  const words = sections.find((section) => section.startsWith('Words\n'));
  return sections.flatMap((section) => {
    const code = section.slice(0, section.indexOf('\n'));
    if (!CODE.test(code)) return [];
    // Links are those of the page that it is from.
    const text = section.replace(/\]\((?=[^)/#:]*\.md)/g, '](/docs/reference/');
    return [{ path: `${folder}/${code}`, markdown: `# ${text}${words === undefined ? '' : `\n## ${words}`}` }];
  });
}

/** The parts of the template for a page. */
function partsOf(page: Page, entries: readonly Entry[]): Record<string, string> {
  const headings = headingsOf(page);
  const folder = dirname(page.path);
  const source = Object.keys(SPLIT).find((path) => SPLIT[path] === folder.split('/')[0]);
  const inTree = source ?? page.path;
  const at = entries.findIndex(({ path }) => path === inTree);
  const shown = at >= 0 ? inTree : `${folder}/index`;
  const crumb = source === undefined ? '' : `<p><a href="${urlOf(source)}">All ${SPLIT[source]}</a></p>\n`;
  return {
    title: escapeHtml(headings[0]?.text ?? ''),
    markdown: `/docs/${page.path}.md`,
    content: crumb + parser.render(page.markdown, { path: page.path }),
    pages: pagesOf(entries, shown),
    sections: contentsOf(headings),
    around: [neighbour(entries[at - 1], '← '), at < 0 ? '' : neighbour(entries[at + 1], '', ' →')].join(''),
  };
}

function pagesOf(entries: readonly Entry[], current: string): string {
  const here = entries.find(({ path }) => path === current)?.tree;
  return [...Map.groupBy(entries, ({ tree }) => tree)]
    .map(([tree, within]) => {
      const groups = [...Map.groupBy(within, ({ group }) => group)].map(([group, members]) => {
        const items = members.map(({ path, title }) => {
          const mark = path === current ? ' aria-current="page"' : '';
          return `<li><a href="${urlOf(path)}"${mark}>${escapeHtml(title)}</a></li>`;
        });
        return `<strong>${group}</strong><ul>${items.join('')}</ul>`;
      });
      const open = here === undefined || here === tree ? ' open' : '';
      return `<details${open}><summary>${tree}</summary>${groups.join('')}</details>`;
    })
    .join('\n');
}

function contentsOf(headings: readonly Heading[]): string {
  const items = headings
    .filter(({ level }) => level === 2 || level === 3)
    .map(
      ({ level, id, text }) =>
        `<li${level === 3 ? ' class="deeper"' : ''}><a href="#${id}">${escapeHtml(text)}</a></li>`,
    );
  return items.length < 2 ? '' : `<strong>On this page</strong><ul>${items.join('')}</ul>`;
}

function neighbour(entry: Entry | undefined, before: string, after = ''): string {
  return entry === undefined
    ? '<span></span>'
    : `<a href="${urlOf(entry.path)}">${before}${escapeHtml(entry.title)}${after}</a>`;
}

/** https://llmstxt.org: all pages, with the address of their Markdown. */
function llms(entries: readonly Entry[]): string {
  const trees = [...Map.groupBy(entries, ({ tree }) => tree)].map(([tree, within]) =>
    [`## ${tree}`, '', ...within.map(({ title, path, about }) => `- [${title}](/docs/${path}.md): ${about}`), ''].join(
      '\n',
    ),
  );
  const head =
    '# Nameplate\n\n> Custom domains for your platform, self-hosted: DNS verification, routing and certificates behind one API.\n';
  return [head, 'The API is described by [openapi.json](/openapi.json).\n', ...trees].join('\n');
}

function fill(template: string, parts: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name] ?? '');
}

function writeCompressed(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  // The best quality takes ten times as long, for a twentieth less.
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }));
  writeFileSync(`${path}.gz`, gzipSync(content));
}
