import {
  ERROR_CODE_HEADER,
  ERRORS,
  errorCodes,
  type ProblemCode,
  STATUSES,
  shortType,
} from '../../server/src/api/errors.ts';
import { exampleProblem } from '../../server/src/api/openapi/error-responses.ts';

/** The text of docs/reference/errors.md. */
export function renderErrors(): string {
  return [
    '# Errors',
    '',
    '<!-- Generated from server/src/api/errors.ts by "npm run generate". Do not edit. -->',
    '',
    'Every error response is `{meta, error}`. `error` has `title`, `detail`, `status` and `type`. An error with status 400 also has `errors`,',
    'which lists every violation with its `location`, a `message` and, where known, a `fix`.',
    '',
    `**In a program, use the code** in the header \`${ERROR_CODE_HEADER}\`. It is one of the codes below; later releases may add codes.`,
    'The TypeScript client returns it as `error.code`, and the server logs it as `code`.',
    '',
    '`type` is the short type in this table. If `NAMEPLATE_DOCS_URL` is set, it is `{docs_url}/errors/{service}/{category}/{name}` instead.',
    'The server has a page for each error at `/docs/errors/{service}/{category}/{name}`, where `{service}` is `NAMEPLATE_SERVICE`.',
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
  const { status, detail, why, fix } = ERRORS[code];
  return [
    `## ${code}`,
    '',
    `**${status} ${STATUSES[status].title}.** ${escaped(detail)}`,
    '',
    `Why: ${escaped(why)}`,
    '',
    `What to do: ${escaped(fix)}`,
    '',
    '```json',
    JSON.stringify(exampleProblem(code), null, 2),
    '```',
    '',
  ];
}

/** Escaped for Markdown, where an angle bracket begins a tag, except in code. */
export function escaped(text: string): string {
  return text.replace(/`[^`]*`|</g, (part) => (part === '<' ? '\\<' : part));
}

/** The anchor of the heading in Markdown viewers. */
function anchor(code: ProblemCode): string {
  return code.replace('/', '');
}
