import type { Static } from 'typebox';
import type { DomainSchema } from '../../api/domains/present-domain.ts';
import { type Column, paint, printable, table } from './output.ts';

/** A domain as the API returns it (spec: Domain). */
export type ShownDomain = Static<typeof DomainSchema>;
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

export function paintStatus(status: ShownDomain['status']): string {
  return paint(statusStyle(status), status);
}

export function statusStyle(status: ShownDomain['status']): 'green' | 'red' | 'yellow' {
  return status === 'verified' ? 'green' : status === 'failed' ? 'red' : 'yellow';
}
