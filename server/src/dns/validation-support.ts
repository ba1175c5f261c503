import { TYPES } from './protocol/wire.ts';
import type { DnsClient, QueryClient } from './transport/dns-client.ts';
import type { ServerAddress } from './transport/query-attempt.ts';

/**
 * Whether a recursive resolver validates DNSSEC. `unknown`: it gave no usable response, or it knows no signed zone, as in a closed network with a
 * root of its own.
 */
export type ValidationSupport = 'validates' | 'does_not_validate' | 'unknown';

/** In the signed root, on the Internet and wherever there is a copy of it. */
const SIGNED_RECORD = { name: 'com', type: 'DS' } as const;

/** Asks the resolver for a signed record: one that validates says so with AD (RFC 6840 section 5.8). Never rejects. */
export async function readValidationSupport(
  client: QueryClient,
  resolver: ServerAddress,
  signal: AbortSignal,
): Promise<ValidationSupport> {
  const response = await client.query(SIGNED_RECORD, resolver, { recursion: true, validation: 'wanted', signal });
  if (typeof response === 'string') return 'unknown';
  if (response.authenticated) return 'validates';
  return response.answers.some(({ type }) => type === 'DS') ? 'does_not_validate' : 'unknown';
}

/** Unix milliseconds. */
export interface SignatureTimes {
  validFrom: number;
  validUntil: number;
}

/** From when to when a signature is valid that the resolver has just found to be valid; null: it says of none. Never rejects. */
export async function readSignatureTimes(
  client: DnsClient,
  resolver: ServerAddress,
  signal: AbortSignal,
): Promise<SignatureTimes | null> {
  const response = await client.query(SIGNED_RECORD, resolver, { recursion: true, validation: 'signatures', signal });
  if (typeof response === 'string' || !response.authenticated) return null;
  const signatures = response.answers
    .filter(({ type }) => type === 'RRSIG')
    .map(({ value }) => value.split(' ').map(Number));
  const [, validFrom, validUntil] = signatures.find(([covered]) => covered === TYPES[SIGNED_RECORD.type]) ?? [];
  if (validFrom === undefined || validUntil === undefined) return null;
  return { validFrom: validFrom * 1000, validUntil: validUntil * 1000 };
}
