import type { Static } from 'typebox';
import type { DomainSchema } from '../api/domains/present-domain.ts';
import { type Column, harmless, paint, table } from './output.ts';

/** A domain as the API answers it (spec: Domain). */
export type ShownDomain = Static<typeof DomainSchema>;
export type PublishedRecord = ShownDomain['dnsRecords'][number];

const TYPE: Column<PublishedRecord> = { title: 'Type', text: ({ type }) => type };
const NAME: Column<PublishedRecord> = { title: 'Name', text: ({ name }) => name };
const VALUE: Column<PublishedRecord> = { title: 'Value', text: ({ value }) => value };
const TTL: Column<PublishedRecord> = { title: 'TTL', text: ({ ttl }) => String(ttl) };
const VERIFIED: Column<PublishedRecord> = {
  title: 'Verified',
  text: ({ verified }) => (verified ? 'yes' : 'no'),
  style: ({ verified }) => (verified ? 'green' : 'yellow'),
};

/** The records to publish. */
export function recordsTable(records: PublishedRecord[]): string {
  return table([TYPE, NAME, VALUE, TTL], records);
}

/** The records, with what was read back of them. */
export function progressTable(records: PublishedRecord[]): string {
  return table([TYPE, NAME, VALUE, VERIFIED], records);
}

/** Everything about one domain. */
export function describeDomain(domain: ShownDomain): string {
  const { domain: name, id, status, verificationError, dnsRecords } = domain;
  const reason = verificationError === undefined ? [] : ['', harmless(verificationError)];
  return [`${harmless(name)} is ${paintStatus(status)} (${id}).`, '', progressTable(dnsRecords), ...reason].join('\n');
}

export function paintStatus(status: ShownDomain['status']): string {
  return paint(statusStyle(status), status);
}

export function statusStyle(status: ShownDomain['status']): 'green' | 'red' | 'yellow' {
  switch (status) {
    case 'verified':
      return 'green';
    case 'failed':
      return 'red';
    case 'pending':
    case 'verifying':
      return 'yellow';
    default:
      return status satisfies never;
  }
}
