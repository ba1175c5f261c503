import { setImmediate } from 'node:timers/promises';
import type { Domain, DomainStatus } from '../../domain/domain.ts';
import type { Reader, Tables } from '../engine/statement.ts';

/** Domains that one statement counts: some milliseconds. */
const BATCH = 10_000;

/** A place in the order of the index. */
type Place = Pick<Domain, 'workspaceId' | 'status' | 'name'>;

const BEGINNING: Place = { workspaceId: '', status: 'pending', name: '' };

/** Counts in batches of one index, and yields between them: SQLite reads in the thread of its caller. */
export async function countDomains(reader: Reader, { batch = BATCH } = {}): Promise<Record<DomainStatus, number>> {
  const counts: Record<DomainStatus, number> = { pending: 0, verifying: 0, verified: 0, failed: 0 };
  for (let after = BEGINNING; ; await setImmediate()) {
    const groups = await reader.all(countBatch, { ...after, limit: batch });
    for (const { status, count } of groups) counts[status] += count;
    const last = groups.at(-1);
    if (last === undefined || groups.reduce((sum, { count }) => sum + count, 0) < batch) return counts;
    after = last;
  }
}

/** The next domains, by workspace and status in the order of the index: so the last group has the last name. */
function countBatch(db: Tables, p: Place & { limit: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('domains')
        .where((at) => at(at.refTuple('workspaceId', 'status', 'name'), '>', at.tuple(p.workspaceId, p.status, p.name)))
        .orderBy('workspaceId')
        .orderBy('status')
        .orderBy('name')
        .limit(p.limit)
        .select(['workspaceId', 'status', 'name'])
        .as('batch'),
    )
    .groupBy(['workspaceId', 'status'])
    .orderBy('workspaceId')
    .orderBy('status')
    .select((of) => ['workspaceId', 'status', of.fn.max('name').as('name'), of.fn.countAll<number>().as('count')]);
}
