import type { Domain, OwnData } from './domain.ts';

/** The data that a platform keeps with a domain: an external id, and metadata, which is pairs of texts. */

export const LONGEST_EXTERNAL_ID = 255;
export const MOST_PAIRS = 50;
export const LONGEST_KEY = 40;
export const LONGEST_VALUE = 500;
/** Bytes of the metadata as JSON. */
export const LARGEST_METADATA = 4096;

/** Pairs that one list is asked for. */
export const MOST_WANTED_PAIRS = 5;

export type Metadata = Record<string, string>;

/** Undefined leaves a value as it is; null removes it, of metadata a pair or all of them. Pairs that are not named stay. */
export interface OwnDataChange {
  externalId?: string | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
}

/** The data of a new domain. */
export function newOwnData(given: { externalId?: string | undefined; metadata?: Metadata | undefined }): OwnData {
  return changeOwnData({ externalId: null, metadata: null }, given);
}

export function changeOwnData(before: OwnData, { externalId, metadata }: OwnDataChange): OwnData {
  return {
    externalId: externalId === undefined ? before.externalId : externalId,
    metadata: changeMetadata(before.metadata, metadata),
  };
}

function changeMetadata(before: string | null, change: OwnDataChange['metadata']): string | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const pairs = new Map(Object.entries(metadataOf(before)));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) pairs.delete(key);
    else pairs.set(key, value);
  }
  return formatMetadata(pairs);
}

/** JSON with the keys in order, so that the same pairs are the same text; null where there are none. */
function formatMetadata(pairs: Map<string, string>): string | null {
  const members = [...pairs].map(([key, value]) => formatPair(key, value)).sort();
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

/** A pair as the JSON of metadata has it. No other metadata holds this text: in a value, quotes are escaped. */
export function formatPair(key: string, value: string): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}

export function metadataOf(metadata: string | null): Metadata {
  return metadata === null ? {} : JSON.parse(metadata);
}

/** Why a platform may not keep so much with a domain, as it follows on "metadata"; null: it may. */
export function findExcess({ metadata }: Pick<OwnData, 'metadata'>): string | null {
  if (metadata === null) return null;
  if (Object.keys(metadataOf(metadata)).length > MOST_PAIRS) return `must have at most ${MOST_PAIRS} pairs`;
  if (new TextEncoder().encode(metadata).length <= LARGEST_METADATA) return null;
  return `must have at most ${LARGEST_METADATA} bytes as JSON`;
}

export interface PresentedOwnData {
  externalId?: string;
  metadata?: Metadata;
}

/** Absent values are left out, never null. */
export function presentOwnData({ externalId, metadata }: Pick<Domain, keyof OwnData>): PresentedOwnData {
  return {
    ...(externalId !== null && { externalId }),
    ...(metadata !== null && { metadata: metadataOf(metadata) }),
  };
}
