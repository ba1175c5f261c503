import type { Static } from 'typebox';
import type { DomainSchema } from '../../api/domains/present-domain.ts';
import type { LiveSchema } from '../../api/domains/site.ts';
import { type Column, dateTime, paint, printable, table } from './output.ts';

/** A domain as the API returns it (spec: Domain). */
export type ShownDomain = Static<typeof DomainSchema>;
/** A site as it was seen from outside, as the API returns it. */
export type ShownLive = Static<typeof LiveSchema>;
export type PublishedRecord = ShownDomain['dnsRecords'][number];

const RECORD_COLUMNS: Column<PublishedRecord>[] = [
  { title: 'Type', text: ({ type }) => type },
  { title: 'Name', text: ({ name }) => name },
  { title: 'Value', text: ({ value }) => value },
];
const TTL: Column<PublishedRecord> = { title: 'TTL', text: ({ ttl }) => String(ttl) };
const VERIFIED: Column<PublishedRecord> = {
  title: 'Verified',
  text: ({ verified }) => (verified ? 'yes' : 'no'),
  style: ({ verified }) => (verified ? 'green' : 'yellow'),
};

/** The records to publish. */
export function recordsTable(records: PublishedRecord[]): string {
  return table([...RECORD_COLUMNS, TTL], records);
}

/** The records, and which of them are verified. */
export function progressTable(records: PublishedRecord[]): string {
  return table([...RECORD_COLUMNS, VERIFIED], records);
}

export function describeDomain(domain: ShownDomain): string {
  const { domain: name, id, status, verificationError, dnsRecords } = domain;
  const reason = verificationError === undefined ? [] : ['', printable(verificationError)];
  return [`${printable(name)} is ${paintStatus(status)} (${id}).`, '', progressTable(dnsRecords), ...reason].join('\n');
}

const LIVE_STYLES = { live: 'green', partly_live: 'yellow', unreachable: 'red' } as const;
/** A code of the API, for people. */
export const words = (code: string) => code.replaceAll('_', ' ');

const ADDRESS_COLUMNS: Column<ShownLive['addresses'][number]>[] = [
  { title: 'Address', text: ({ address }) => address },
  { title: 'Seen', text: ({ problem }) => words(problem ?? 'live') },
];

/** Says how the site was seen from outside, and where; docs/guides/live.md says what to do. */
export function describeLive({ state, problem, addresses, checkedAt, from }: ShownLive): string {
  const why = problem === undefined ? '' : `: ${words(problem)}`;
  const seen = `Seen from ${printable(from)} at ${dateTime(checkedAt)}: ${paint(LIVE_STYLES[state], words(state))}${why}.`;
  return addresses.length === 0 ? seen : [seen, '', table(ADDRESS_COLUMNS, addresses)].join('\n');
}

/** With a column that says what was seen of each site, if any was looked at. */
export function withLive<Row extends object>(
  columns: Column<Row>[],
  rows: readonly (Row & { live?: ShownLive })[],
): Column<Row & { live?: ShownLive }>[] {
  if (rows.every(({ live }) => live === undefined)) return columns;
  const live: Column<{ live?: ShownLive }> = {
    title: 'Seen',
    text: (row) => words(row.live?.state ?? ''),
    style: (row) => LIVE_STYLES[row.live?.state ?? 'live'],
  };
  return [...columns, live];
}

export function paintStatus(status: ShownDomain['status']): string {
  return paint(statusStyle(status), status);
}

export function statusStyle(status: ShownDomain['status']): 'green' | 'red' | 'yellow' {
  return status === 'verified' ? 'green' : status === 'failed' ? 'red' : 'yellow';
}
