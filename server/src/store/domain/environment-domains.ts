import type { Domain } from '../../domain/domain.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import { containing, matches, type Range, searchInSlices } from '../engine/slices.ts';
import type { Reader, Tables } from '../engine/statement.ts';
import type { Paged, PageRequest } from '../store.ts';
import { domainColumns } from './domain-rows.ts';

/** Domains that one statement of a search scans: about a millisecond. */
const SLICE = 2000;

/** A rare term scans the whole environment. */
export async function listDomains(
  reader: Reader,
  workspaceId: string,
  environmentId: string,
  page: PageRequest & { search?: string | undefined },
  { slice = SLICE }: { slice?: number } = {},
): Promise<Paged<Domain>> {
  const place = { workspaceId, environmentId };
  const slots = pageSlots(page);
  const { search } = page;
  if (search === undefined) return paged(await reader.all(selectDomains, { ...place, ...slots }), page);
  const searched = { ...place, pattern: containing(search) };
  const found = await searchInSlices(reader, byId, searched, { ...slots, slice, most: Number.POSITIVE_INFINITY });
  return paged(found.rows, page);
}

interface Place {
  workspaceId: string;
  environmentId: string;
}

const byId: Range<Place & { pattern: string }, Domain> = {
  select: (db, p) => selectDomains(db, p).where('id', '<', p.to).where(matches(p.pattern)),
  next: nextOfEnvironment,
};

function selectDomains(db: Tables, p: PageSlots & Place) {
  return db
    .selectFrom('domains')
    .where('workspaceId', '=', p.workspaceId)
    .where('environmentId', '=', p.environmentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(domainColumns);
}

/** Id at which the slice after the one from `from` on begins. */
export function nextOfEnvironment(db: Tables, p: { environmentId: string; from: string; slice: number }) {
  return db
    .selectFrom('domains')
    .where('environmentId', '=', p.environmentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(1)
    .offset(p.slice)
    .select('id as key');
}
