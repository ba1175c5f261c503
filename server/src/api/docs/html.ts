/** HTML without a template engine: `html` escapes everything but its own results. */

export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[];

export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: strings.map((string, i) => string + render(parts[i] ?? '')).join('') };
}

function render(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Text in which `…` marks code, and empty lines paragraphs. */
export function prose(text: string): Markup {
  const paragraphs = text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
  return html`${paragraphs}`;
}

/** Text in which `…` marks code. */
export function inline(text: string): Markup {
  const parts = text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
  return { markup: parts.map(({ markup }) => markup).join('') };
}

/** No scripts, forms, frames or requests. */
export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A whole page. */
export function page(title: string, body: Markup): string {
  const { markup } = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ markup: STYLE }}</style>
<body>
${body}
</body>
</html>
`;
  return markup;
}

const STYLE = `
:root { --ink: #1c2330; --faint: #5d6778; --line: #dfe3ea; --paper: #fff; --tint: #f5f7fa; --accent: #1d5fd1;
  --s2: #17803d; --s4: #b4530a; --s5: #c22929; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ef; --faint: #98a3b5; --line: #2c3442; --paper: #12161d;
  --tint: #1a202a; --accent: #7fb0ff; --s2: #5fce86; --s4: #f0a35c; --s5: #ff8080; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.5rem 6rem; color: var(--ink); background: var(--paper);
  font: 16px/1.6 system-ui, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.1rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h4 { font-size: .8rem; margin: 1.5rem 0 .4rem; text-transform: uppercase; letter-spacing: .06em; color: var(--faint); }
p { margin: .4rem 0; max-width: 46rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace; }
code { background: var(--tint); border-radius: 4px; padding: .1em .3em; }
h1 code, h3 code { background: none; padding: 0; font-size: 1em; }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow-x: auto; margin: .5rem 0; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th { text-align: left; font-weight: 600; color: var(--faint); }
th, td { border-bottom: 1px solid var(--line); padding: .45rem .75rem .45rem 0; vertical-align: top; }
.scroll { overflow-x: auto; }
.layout { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem; }
nav { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; font-size: .93rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav strong { color: var(--faint); font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; }
article { border-top: 1px solid var(--line); padding: 2rem 0 1rem; scroll-margin-top: 1rem; }
.lead, .crumbs, .faint { color: var(--faint); }
.status { font-weight: 600; }
.s2 { color: var(--s2); } .s4 { color: var(--s4); } .s5 { color: var(--s5); }
@media (max-width: 56rem) { .layout { display: block; } nav { position: static; max-height: none; columns: 2; } }
`;
