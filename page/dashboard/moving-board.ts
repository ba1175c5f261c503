import type { BoardSite, NameplateClient, Page, SiteCounts } from '../../client/client.ts';

export interface BoardFilter {
  movedFrom?: string | undefined;
}

export function countBoard(client: NameplateClient, filter: BoardFilter, signal: AbortSignal): Promise<SiteCounts> {
  return client.domains.countSites(filter, { signal });
}

/** A page of the names that are not ready. It may be empty, and still have one after it. */
export function listUnready(
  client: NameplateClient,
  filter: BoardFilter & { cursor?: string | undefined },
  signal: AbortSignal,
): Promise<Page<BoardSite>> {
  return client.domains.listSites({ ...filter, ready: false }, { signal });
}
