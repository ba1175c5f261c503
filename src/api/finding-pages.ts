import { FINDING_CODES, type FindingCode } from '../domain/finding.ts';
import { FINDING_TEXTS } from '../domain/findings/finding-texts.ts';
import { html, page, prose } from './html.ts';

/** The text of docs/findings.md. */
export function renderFindings(): string {
  return [
    '# Findings',
    '',
    '<!-- Generated from src/domain/findings/finding-texts.ts by "npm run generate". Do not edit. -->',
    '',
    'Everything that can be wrong in the DNS of a domain, by the `code` of a finding: what it means, how it happens, and what to do. Findings are in the',
    'response of `domains.diagnoseDomain` and `domains.checkName`; the first that blocks is the `verificationError` of the domain. A server has a page for',
    'each at `/docs/findings/{code}`.',
    '',
    'The examples are of `shop.example.com` in the zone `example.com`. Records are written as in a zone file; names and values of yours are in `dnsRecords`.',
    '',
    '| Code | Says |',
    '|---|---|',
    ...FINDING_CODES.map((code) => `| [\`${code}\`](#${code}) | ${FINDING_TEXTS[code].title} |`),
    '',
    ...FINDING_CODES.flatMap(section),
  ].join('\n');
}

function section(code: FindingCode): string[] {
  const { title, means, causes, fix, example } = FINDING_TEXTS[code];
  return [
    `## ${code}`,
    '',
    `**${title}** ${means}`,
    '',
    `How it happens: ${causes}`,
    '',
    `What to do: ${fix}`,
    '',
    ...(example ? ['```text', ...exampleLines(example), '```', ''] : []),
  ];
}

function exampleLines({ seen, right }: { seen: string; right: string }): string[] {
  return ['; seen', seen, '; right', right];
}

/** The page of one code. */
export function renderFindingPage(code: FindingCode): string {
  const { title, means, causes, fix, example } = FINDING_TEXTS[code];
  return page(
    `${code} · Nameplate`,
    html`<p class="crumbs"><a href="/docs">Reference</a> / Findings</p>
<h1><code>${code}</code></h1>
<p class="lead">${title}</p>
<h2>What it means</h2>
${prose(means)}
<h2>How it happens</h2>
${prose(causes)}
<h2>What to do</h2>
${prose(fix)}
${
  example === undefined
    ? ''
    : html`<h2>Example</h2>
<pre><code>${exampleLines(example).join('\n')}</code></pre>`
}`,
  );
}

/** Path of the page on the server. */
export function findingPagePath(code: FindingCode): string {
  return `/docs/findings/${code}`;
}
