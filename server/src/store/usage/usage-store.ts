import type { Paged, PageRequest } from '../tree/tree-store.ts';
import type { ChunkCounts, UsageCounts } from './usage-chunks.ts';

export type { ChunkCounts, UsageCounts };

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

/** What one process adds to an hour. */
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
