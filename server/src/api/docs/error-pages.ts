import {
  ERROR_CODE_HEADER,
  ERRORS,
  type ErrorNaming,
  errorCodes,
  errorPath,
  type ProblemCode,
  STATUSES,
  shortType,
} from '../errors.ts';
import { exampleProblem } from '../openapi/error-responses.ts';
import { html, page } from './html.ts';

/** The text of docs/reference/errors.md. */
export function renderErrors(): string {
  return [
    '# Errors',
    '',
    '<!-- Generated from server/src/api/errors.ts by "npm run generate". Do not edit. -->',
    '',
    'Every error response is `{meta, error}`. `error` has `title`, `detail`, `status` and `type`; a 400 also has `errors`, which lists',
    'every violation with its `location`, a `message` and, where known, a `fix`.',
    '',
    `**Programs read the code**, in the header \`${ERROR_CODE_HEADER}\`: one of those below, and more may be added. The client has it`,
    'as `error.code`, and the log as `code`. `type` is the short type below, or `{docs_url}/errors/{service}/{category}/{name}`',
    'when `NAMEPLATE_DOCS_URL` is set. A server has a page for each error at `/docs/errors/{service}/{category}/{name}`.',
    '',
    '| Code | Status | Title | Short type |',
    '|---|---|---|---|',
    ...errorCodes.map((code) => {
      const { title } = STATUSES[ERRORS[code].status];
      return `| [\`${code}\`](#${anchor(code)}) | ${ERRORS[code].status} | ${title} | \`${shortType(code)}\` |`;
    }),
    '',
    ...errorCodes.flatMap((code) => section(code)),
  ].join('\n');
}

function section(code: ProblemCode): string[] {
  const { status, why, fix } = ERRORS[code];
  return [
    `## ${code}`,
    '',
    `**${status} ${STATUSES[status].title}.** ${markdown(why)}`,
    '',
    `What to do: ${markdown(fix)}`,
    '',
    '```json',
    JSON.stringify(exampleProblem(code), null, 2),
    '```',
    '',
  ];
}

/** Escaped for Markdown, where an angle bracket begins a tag. */
function markdown(text: string): string {
  return text.replaceAll('<', '\\<');
}

/** The anchor of the heading in Markdown viewers. */
function anchor(code: ProblemCode): string {
  return code.replace('/', '');
}

/** The page of one error: what happened, why, what to do, and an example. */
export function renderErrorPage(code: ProblemCode, naming: ErrorNaming): string {
  const { status, detail, why, fix } = ERRORS[code];
  const example = JSON.stringify(exampleProblem(code, naming), null, 2);
  return page(
    `${code} · Nameplate API`,
    html`<p class="crumbs"><a href="/docs">Reference</a> / <a href="/docs#errors">Errors</a></p>
<h1><code>err:${naming.service}:${code.replace('/', ':')}</code></h1>
<p class="lead"><span class="status s${String(status).charAt(0)}">${status}</span> ${STATUSES[status].title}</p>
<h2>What happened</h2>
<p>${detail}</p>
<h2>Why</h2>
<p>${why}</p>
<h2>What to do</h2>
<p>${fix}</p>
<h2>Example</h2>
<pre><code>${example}</code></pre>`,
  );
}

/** Path of the page on the server. */
export function errorPagePath(code: ProblemCode, service: string): string {
  return `/docs${errorPath(code, service)}`;
}
