import type { NameplateClient, Page, Site, SiteCounts } from '../../client/client.ts';

export interface BoardFilter {
  /** Only names that were moved from there. */
  movedFrom?: string | undefined;
}

export function countBoard(client: NameplateClient, filter: BoardFilter, signal: AbortSignal): Promise<SiteCounts> {
  return client.domains.countSites(metadataOf(filter), { signal });
}

/** A page of the names that are not ready. It may be empty, and still have one after it. */
export function listUnready(
  client: NameplateClient,
  { cursor, ...filter }: BoardFilter & { cursor?: string | undefined },
  signal: AbortSignal,
): Promise<Page<Site>> {
  return client.domains.listWorkspaceDomains({ ...metadataOf(filter), cursor, ready: false }, { signal });
}

/** As `nameplate move from` marks its names. */
function metadataOf({ movedFrom }: BoardFilter) {
  return movedFrom === undefined ? {} : { metadata: { moved_from: movedFrom } };
}
