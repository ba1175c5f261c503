import { databaseAt } from '../../server/src/store/database.ts';
import type { Store, WorkspacePageRequest } from '../../server/src/store/store.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { cpuMicros, offer } from '../part.ts';

/** The filter of a page. `rare`: three domains of the workspace match; `nothing`: none does, and no index says so. */
export type Filter = keyof typeof FILTERS;

/**
 * Each begins anywhere in the first half of the names, so that a page is full, or at the beginning where there are only
 * three.
 */
const FILTERS = {
  'no filter': { query: {}, anywhere: true },
  'a common status': { query: { status: 'verifying' }, anywhere: true },
  'a rare status': { query: { status: 'failed' }, anywhere: false },
  'a common certificate state': { query: { certificate: 'issued' }, anywhere: true },
  'a rare certificate state': { query: { certificate: 'failed' }, anywhere: false },
  'a rare status and certificate state': { query: { status: 'verified', certificate: 'failed' }, anywhere: false },
  'an external id': { query: { externalId: 'customer_7' }, anywhere: false },
  'a common pair': { query: { metadata: { plan: 'pro' } }, anywhere: false },
  'a common pair and a rare status': { query: { metadata: { plan: 'pro' }, status: 'failed' }, anywhere: false },
  'a search that finds many': { query: { search: '1' }, anywhere: true },
  'a search that finds nothing': { query: { search: 'nothing' }, anywhere: true },
  'a key with another environment': { query: { environmentIds: new Set(['env_none']) }, anywhere: true },
} as const satisfies Record<string, { query: Partial<WorkspacePageRequest>; anywhere: boolean }>;

export const FILTER_NAMES = Object.keys(FILTERS) as Filter[];

let store: Store;
let workspaceId: string;

const methods = {
  async open({ databaseUrl, workspaceId: id }: { databaseUrl: string; workspaceId: string }): Promise<void> {
    store = await (await databaseAt(parseDatabaseUrl(databaseUrl))).open();
    workspaceId = id;
  },

  /** Page after page for so many seconds. */
  async list(filter: Filter, seconds: number): Promise<{ pages: number; cpuMicros: number; wallMicros: number }> {
    const { query, anywhere } = FILTERS[filter];
    const began = performance.now();
    const cpuBefore = cpuMicros();
    let pages = 0;
    do {
      const cursor = anywhere ? `d${Math.floor(1e6 * (1 + 4 * Math.random()))}` : undefined;
      await store.listWorkspaceDomains(workspaceId, { limit: 100, cursor, ...query });
      pages += 1;
    } while (performance.now() - began < seconds * 1000);
    return { pages, cpuMicros: cpuMicros() - cpuBefore, wallMicros: 1000 * (performance.now() - began) };
  },
};

export type Listing = typeof methods;

offer(methods, () => store?.close());
