import {
  LARGEST_METADATA,
  LONGEST_EXTERNAL_ID,
  LONGEST_KEY,
  LONGEST_VALUE,
  MOST_PAIRS,
} from '../../domain/own-data.ts';
import type { ImportedData } from '../api/domains-csv.ts';

export type Source = 'cloudflare' | 'vercel' | 'caddy' | 'csv';

/** Most names that one command reads. */
export const MOST_NAMES = 1_000_000;

/** PEM, as domains.uploadCertificate takes it. */
export interface OldCertificate {
  certificates: string;
  privateKey: string;
}

/** A name as another service has it. */
export interface OldName {
  /** Its line in a file; else its number in the order of reading. */
  line: number;
  domain: string;
  own: ImportedData;
  certificate?: OldCertificate;
  redirect?: { to: string; status: number | null };
  /** Lines of the report about a name that is added. */
  notes: string[];
  /** Why it stays where it is, although nothing is wrong with it. */
  leftOut?: string;
  /** Why it cannot be used; null where it can. */
  problem: string | null;
  /** The part of the source that is read, up to 1. */
  share: number;
}

const KEY = new RegExp(`^[A-Za-z0-9_.-]{1,${LONGEST_KEY}}$`);
const CONTROL = /[\p{Cc}\p{Cs}]/u;
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * The data of a name, as far as a domain may have it. Values that are no texts become JSON. `notes` has whole what does
 * not fit, so that nothing is lost.
 */
export function ownDataOf(
  source: Source,
  old: Readonly<Record<string, unknown>>,
  externalId?: string,
): { own: ImportedData; notes: string[] } {
  const metadata: Record<string, string> = { moved_from: source };
  const notes: string[] = [];
  for (const [key, value] of Object.entries(old)) {
    if (value === null || value === undefined) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const excess = excessOf(metadata, key, text);
    if (excess === null) metadata[key] = text;
    else notes.push(`The metadata is without ${JSON.stringify(key)}, which ${excess}: ${JSON.stringify(text)}`);
  }
  const fits = externalId === undefined || (externalId.length <= LONGEST_EXTERNAL_ID && !CONTROL.test(externalId));
  if (!fits) notes.push(`The external id is left out, since it is too long: ${JSON.stringify(externalId)}`);
  return { own: { metadata, ...(fits && externalId && { externalId }) }, notes };
}

/** Why a pair does not fit into metadata; null: it does. */
function excessOf(metadata: Readonly<Record<string, string>>, key: string, text: string): string | null {
  if (key === 'moved_from') return 'Nameplate sets itself';
  if (key === '__proto__') return 'the API refuses as a key';
  if (!KEY.test(key)) return `is no key of 1 to ${LONGEST_KEY} letters, digits, "_", "." and "-"`;
  if (CONTROL.test(text)) return 'has control characters';
  if ([...text].length > LONGEST_VALUE) return `is longer than ${LONGEST_VALUE} characters`;
  if (Object.keys(metadata).length === MOST_PAIRS) return `is more than ${MOST_PAIRS} pairs`;
  if (bytesOf({ ...metadata, [key]: text }) > LARGEST_METADATA) return `is more than ${LARGEST_METADATA} bytes in all`;
  return null;
}

/** A value of an untrusted JSON document, where it is a text. */
export function textIn(object: unknown, key: string): string | undefined {
  const value = recordOf(object)[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An untrusted value as an object: without properties where it is none. */
export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
