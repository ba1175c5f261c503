import type { Paged, PageRequest } from '../tree/tree-store.ts';

/** How much a domain was used in some time. */
export interface UsageCounts {
  requests: number;
  /** Bytes of content. */
  bytesIn: number;
  bytesOut: number;
  /** Responses with status 5xx of the edge itself. */
  edgeErrors: number;
  /** Responses with status 5xx of the origin. */
  originErrors: number;
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

/** A domain, or a deleted one whose usage is kept. */
export interface UsageDomain {
  domainId: string;
  /** Its name; null: it was deleted. */
  domain: string | null;
  /** Where the domain is, or was when it was deleted. */
  environmentId: string;
  /** Its number in `UsageWrite`; null: it has no usage. */
  number: number | null;
}

/** The sum of a domain's usage. */
export interface DomainUsage extends UsageCounts {
  domainId: string;
  /** Null: it was deleted. */
  domain: string | null;
}

/** What one process adds to an hour of many domains. */
export interface UsageWrite {
  /** Id of the writer, a new one for each process. */
  writer: string;
  /** Counts the writes of the writer: one that was written before adds nothing, so that a failed write can be repeated. */
  sequence: number;
  /** When the hour began, Unix ms. */
  hour: number;
  /** Numbers of domains, ascending. */
  domains: number[];
  /** Of the domain at the same place. */
  counts: UsageCounts[];
}

/** Domains that `numberUsageDomains` takes at once. */
export const MOST_NUMBERED = 100;

export interface UsageStore {
  /**
   * Numbers domains for `addUsage`, at most `MOST_NUMBERED`. Resolves in the order of the ids; null: there is no such domain, and was none with
   * usage. (unsynced)
   */
  numberUsageDomains(domainIds: readonly string[]): Promise<(number | null)[]>;
  /** Adds to the counts of all nodes. Changes no domain, and logs no change. (unsynced) */
  addUsage(write: UsageWrite): Promise<void>;
  /** A domain of the workspace by its id or canonical name, a deleted one by its id for as long as its usage is kept; null: there is none. */
  findUsageDomain(workspaceId: string, idOrName: string): Promise<UsageDomain | null>;
  /** Hours with usage, in order. */
  findUsage(number: number, range: UsageRange): Promise<UsageHour[]>;
  /** Domains of the workspace with usage in the range, deleted ones too, by id. A page may have fewer than `limit`, and still a next one. */
  listUsage(workspaceId: string, range: UsageRange, page: PageRequest): Promise<Paged<DomainUsage>>;
  /**
   * Packs the hours of days that ended before `endedBefore`, which nothing but late writes add to. Resolves with the number of rows it found, at
   * most `limit`: 0 when it is done. (unsynced)
   */
  packUsage(endedBefore: number, limit: number): Promise<number>;
  /** Deletes what was counted before `before`, and domains that were deleted by then. Resolves with the rows deleted, about `limit`. (unsynced) */
  pruneUsage(before: number, limit: number): Promise<number>;
}
