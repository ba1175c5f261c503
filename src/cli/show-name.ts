import { isIP } from 'node:net';
import type { NameCheck } from '../api/domains/present-name.ts';
import { joinList, quote } from '../domain/text.ts';
import { type Column, paint, printable, table, wrap } from './output.ts';
import { describeFinding, describeZone } from './show-diagnosis.ts';

/** A name that is not attached, as the API describes it. */
export type ShownName = NameCheck;
type ConflictRow = NameCheck['conflicts'][number];

const CONFLICT_COLUMNS: Column<ConflictRow>[] = [
  { title: 'Type', text: ({ type }) => type },
  { title: 'Name', text: ({ name }) => name },
  { title: 'In the zone', text: ({ nameInZone }) => nameInZone },
  { title: 'Value', text: ({ values }) => joinList(values.map(shownValue)) },
];

function shownValue(value: string): string {
  return isIP(value) === 0 ? quote(value) : value;
}

const KINDS = {
  apex: 'It is a whole registered domain, which cannot have a CNAME: it needs an ALIAS record, and a TXT record.',
  subdomain:
    'It needs a CNAME record. It needs a TXT record too if the DNS provider proxies the name (Cloudflare: orange cloud) or publishes IP addresses in place of the CNAME (flattening).',
};

const IN_THE_WAY =
  'These records are in the way. Keep them until the domain is added; then replace them by the records that it needs:';

export function describeName({
  domain,
  valid,
  problem,
  kind,
  held,
  zone,
  conflicts,
  caa,
  findings,
}: ShownName): string {
  const name = printable(domain);
  if (!valid) {
    const fix = problem?.fix === undefined ? [] : [wrap(`${paint('bold', 'Fix:')} ${printable(problem.fix)}`, 0)];
    return [
      wrap(`${name} ${paint('red', 'cannot be added')}: it ${printable(problem?.message ?? '')}.`, 0),
      ...fix,
    ].join('\n');
  }
  if (held) return `This workspace ${paint('yellow', 'has')} ${name} already.`;
  const lines = [
    wrap(`${name} ${paint('green', 'can be added')}.${kind === undefined ? '' : ` ${KINDS[kind]}`}`, 0),
    ...(zone === undefined ? [] : [describeZone(zone)]),
    ...(caa === undefined || caa.length === 0 ? [] : [wrap(`CAA: ${joinList(caa.map((value) => quote(value)))}`, 0)]),
    ...(conflicts.length === 0 ? [] : ['', wrap(IN_THE_WAY, 0), '', table(CONFLICT_COLUMNS, conflicts)]),
    ...findings.flatMap((finding) => ['', describeFinding(finding)]),
  ];
  return lines.join('\n');
}
