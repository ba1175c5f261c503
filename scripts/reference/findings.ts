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
    meaning: 'The company where you pay for the domain and set its nameservers. It may also be the DNS provider',
  },
  {
    word: 'nameserver',
    meaning: "A server of the DNS provider that answers questions about your domain's records",
  },
  {
    word: 'zone',
    meaning: 'A set of records that are edited together, usually those of one domain and the names below it',
  },
  {
    word: 'name of a record',
    meaning:
      'In most panels you enter it without the zone: `shop` for `shop.example.com`, `@` or nothing for `example.com`',
  },
  {
    word: '`dnsRecords`',
    meaning: 'The records that the service asks you to publish, with their names, values and notes',
  },
  { word: 'target', meaning: 'The host name that must be the value of the CNAME record' },
  {
    word: 'routing record',
    meaning: 'The CNAME or ALIAS record, which leads visitors to the service',
  },
  {
    word: 'ALIAS',
    meaning:
      'A record like a CNAME for an apex, the name of a whole domain such as `example.com`, where a CNAME is not possible. Also called ANAME or flattened CNAME',
  },
  { word: 'A, AAAA', meaning: 'Records with an IP address: A for IPv4, AAAA for IPv6' },
  {
    word: 'proxied',
    meaning:
      'Said of a name whose DNS provider sends visitors to its own servers, which pass them on (Cloudflare: orange cloud)',
  },
  {
    word: 'flattened',
    meaning: 'Said of a record in place of which the DNS provider answers with the addresses of the target',
  },
  {
    word: 'wildcard',
    meaning: 'A record with `*` in its name, which answers for every name that has no record of its own',
  },
  {
    word: 'resolver',
    meaning:
      "A server that looks up names for visitors, usually their Internet provider's. It caches answers for a while",
  },
  {
    word: 'DNSSEC',
    meaning:
      'Signatures that prove that records are genuine. The DS record at the registrar identifies the key that signs them',
  },
  {
    word: 'CAA',
    meaning: 'Records that say which certificate authorities may issue certificates for the domain',
  },
  { word: 'workspace', meaning: 'The account of a platform with the service. The findings call it an account' },
];

/** The text of docs/reference/findings.md. */
export function renderFindings(): string {
  return [
    '# Findings',
    '',
    '<!-- Generated from server/src/domain/findings/finding-texts.ts by "npm run generate". Do not edit. -->',
    '',
    'A finding is one mistake in the DNS of a domain. This page explains each `code`: what it means, how it happens, and how to fix it.',
    'The responses of `domains.diagnoseDomain` and `domains.checkName` contain findings, as do events such as',
    '[`diagnosis.changed`](../guides/webhooks.md#diagnosischanged). The first finding that blocks verification becomes the',
    '`verificationError` of the domain. The server has a page for each code at `/docs/findings/{code}`.',
    '',
    '## Words',
    '',
    'The explanations are written for the owner of the domain. In them, “the service” is the installation of Nameplate.',
    '',
    '| Word | Meaning |',
    '|---|---|',
    ...WORDS.map(({ word, meaning }) => `| ${word} | ${meaning} |`),
    '',
    'The examples are for `shop.example.com` in the zone `example.com`. They show the records that were `seen` and those that are `right`, one',
    'per line: name, type, value. A full name ends with a dot. `\\032` stands for a space.',
    '',
    '## Codes',
    '',
    '| Code | Title |',
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
