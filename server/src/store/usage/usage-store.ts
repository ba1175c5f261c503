import type { Paged, PageRequest } from '../tree/tree-store.ts';

/** How much a domain was used in some time. */
export interface UsageCounts {
  requests: number;
  /** Bytes of content. */
  bytesIn: number;
  bytesOut: number;
  /** Responses with status 5xx of the edge itself. */
  edgeErrors: number;
  /** Responses with status 5xx from the origin. */
  originErrors: number;
}

/** Domains that share a row: each costs little more than its bytes then, and a minute's write touches few rows. */
export const CHUNK = 256;

/** Where the counts of a kind begin in a chunk. */
export const PLACES: UsageCounts = {
  requests: 0,
  bytesIn: CHUNK,
  bytesOut: 2 * CHUNK,
  edgeErrors: 3 * CHUNK,
  originErrors: 4 * CHUNK,
};
export const NAMES = Object.keys(PLACES) as (keyof UsageCounts)[];

/** The counts of a chunk of domains: one kind after the other, integers below 2^53. */
export type ChunkCounts = Float64Array;

export function newChunk(): ChunkCounts {
  return new Float64Array(NAMES.length * CHUNK);
}

/** The chunk of a domain, by its usage number. */
export function chunkOf(number: number): number {
  return Math.floor(number / CHUNK);
}

export function addCount(chunk: ChunkCounts, number: number, name: keyof UsageCounts, value: number): void {
  const place = PLACES[name] + (number % CHUNK);
  chunk[place] = (chunk[place] ?? 0) + value;
}

export function countsOf(chunk: ChunkCounts, number: number): UsageCounts {
  const counts = noUsage();
  for (const name of NAMES) counts[name] = chunk[PLACES[name] + (number % CHUNK)] ?? 0;
  return counts;
}

export function noUsage(): UsageCounts {
  return { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };
}

export function hasUsage(counts: UsageCounts): boolean {
  return NAMES.some((name) => counts[name] > 0);
}

export function addCounts(to: UsageCounts, counts: Readonly<UsageCounts>): void {
  for (const name of NAMES) to[name] += counts[name];
}

export function addChunk(to: ChunkCounts, added: ChunkCounts): void {
  added.forEach((value, place) => {
    if (value > 0) to[place] = (to[place] ?? 0) + value;
  });
}

/** From one time, and before another (Unix ms). Only whole hours that begin in it count. */
export interface UsageRange {
  from: number;
  to: number;
}

export interface UsageHour extends UsageCounts {
  /** When the hour began, Unix ms. */
  hour: number;
}

/** A domain that was verified once, or a deleted one whose usage is kept. */
export interface UsageDomain {
  domainId: string;
  /** Its name; null: it was deleted. */
  domain: string | null;
  /** Where the domain is, or was when it was deleted. */
  environmentId: string;
  /** `Site.usageNumber`; null: it has never been served. */
  number: number | null;
}

/** The sum of a domain's usage. */
export interface DomainUsage extends UsageCounts {
  domainId: string;
  /** Null: it was deleted. */
  domain: string | null;
}

/** Counts of an hour, by the number of their chunk. */
export interface HourUsage {
  /** When the hour began, Unix ms. */
  hour: number;
  chunks: Map<number, ChunkCounts>;
}

/** The counts that one process adds to an hour. */
export interface UsageWrite extends HourUsage {
  /** Id of the writer, a new one for each process. */
  writer: string;
  /** Counts the writes of the writer: one that was written before adds nothing, so that a failed write can be repeated. */
  sequence: number;
}

export interface UsageStore {
  /** Adds to the counts of all nodes. Changes no domain, and logs no change. (unsynced) */
  addUsage(write: UsageWrite): Promise<void>;
  /** A domain of the workspace by its id or canonical name, a deleted one by its id for as long as its usage is kept; null: there is none. */
  findUsageDomain(workspaceId: string, idOrName: string): Promise<UsageDomain | null>;
  /** Hours with usage, in order. */
  findUsage(number: number, range: UsageRange): Promise<UsageHour[]>;
  /**
   * Domains of the workspace with usage in the range, deleted ones too, in the order in which they were first verified. A page may have fewer than
   * `limit`, and still a next one.
   */
  listUsage(workspaceId: string, range: UsageRange, page: PageRequest): Promise<Paged<DomainUsage>>;
  /** Deletes the oldest hour that began before `before`, and domains that were deleted by then. Resolves with the rows deleted. (unsynced) */
  pruneUsage(before: number, limit: number): Promise<number>;
}
