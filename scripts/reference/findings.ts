import { FINDING_CODES, type FindingCode } from '../../server/src/domain/finding.ts';
import { FINDING_TEXTS } from '../../server/src/domain/findings/finding-texts.ts';

interface Word {
  word: string;
  meaning: string;
}

/** For readers who know their DNS provider's website, and little else of DNS. */
const WORDS: readonly Word[] = [
  {
    word: 'DNS provider',
    meaning: 'The company on whose website (the DNS panel) you edit the records of your domain',
  },
  {
    word: 'registrar',
    meaning: 'The company where you pay for the domain; it may be the DNS provider too. There you set the nameservers',
  },
  {
    word: 'nameserver',
    meaning: "A server of the DNS provider that answers questions about your domain's records",
  },
  {
    word: 'zone',
    meaning: 'All records that are edited together, as a rule those of one domain and the names below it',
  },
  {
    word: 'name of a record',
    meaning: 'Most panels want it without the zone: `shop` for `shop.example.com`, `@` or nothing for `example.com`',
  },
  {
    word: '`dnsRecords`',
    meaning: 'The records that the service asks you to publish, with their names, values and notes',
  },
  { word: 'target', meaning: 'The host name that the CNAME record has to have as its value' },
  {
    word: 'routing record',
    meaning: 'The CNAME or ALIAS record, which leads visitors to the service',
  },
  {
    word: 'ALIAS',
    meaning:
      'Like a CNAME, for a whole domain such as `example.com` (its apex), where a CNAME is not possible. Also called ANAME or flattened CNAME',
  },
  { word: 'A, AAAA', meaning: 'Records with an IP address: A for IPv4, AAAA for IPv6' },
  {
    word: 'proxied',
    meaning: 'The DNS provider sends visitors to servers of its own, which pass them on (Cloudflare: orange cloud)',
  },
  {
    word: 'flattened',
    meaning: 'The DNS provider answers with the addresses of the target in place of the CNAME',
  },
  {
    word: 'wildcard',
    meaning: 'A record with `*` in its name, which answers for all names without a record of their own',
  },
  {
    word: 'resolver',
    meaning:
      "A server that looks up names for visitors, mostly their Internet provider's. It keeps answers for a while",
  },
  {
    word: 'DNSSEC',
    meaning: 'Signatures of records. The DS record at the registrar says which key they are made with',
  },
  {
    word: 'CAA',
    meaning: 'Records that say which certificate authorities may issue certificates for the domain',
  },
  { word: 'workspace', meaning: 'The account of a platform at the service' },
];

/** The text of docs/reference/findings.md. */
export function renderFindings(): string {
  return [
    '# Findings',
    '',
    '<!-- Generated from server/src/domain/findings/finding-texts.ts by "npm run generate". Do not edit. -->',
    '',
    'Every mistake in the DNS of a domain, by the `code` of its finding: its meaning, its causes, and what to do. Findings are in the',
    'response of `domains.diagnoseDomain` and `domains.checkName`; the first that blocks is the `verificationError` of the domain. A server has a page for',
    'each at `/docs/findings/{code}`. Events such as [`diagnosis.changed`](../guides/webhooks.md#diagnosischanged) have findings too.',
    '',
    '## Words',
    '',
    '| Word | Means |',
    '|---|---|',
    ...WORDS.map(({ word, meaning }) => `| ${word} | ${meaning} |`),
    '',
    'The examples are of `shop.example.com` in the zone `example.com`. They show what was `seen` and what is `right`, each record in one line: name, type, value. A dot ends a',
    'full name; `\\032` stands for a space.',
    '',
    '## Codes',
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
