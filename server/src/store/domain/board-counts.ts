import { setImmediate } from 'node:timers/promises';
import { type InferResult, sql } from 'kysely';
import { type BoardCounts, type BoardRow, boardCounter } from '../../domain/board.ts';
import { END } from '../engine/paging.ts';
import { columnsOf, pick, type Reader, type Tables } from '../engine/statement.ts';
import type { Board } from '../store.ts';
import { byEnvironment, byName, byPair, type Index, type Key } from './domain-lists.ts';
import { placeOf } from './domain-pairs.ts';

/** Domains that one statement reads: some milliseconds. */
const SLICE = 2000;

/** Reads in slices of an index, and yields between them: SQLite reads in the thread of its caller. */
export async function countSites(
  reader: Reader,
  workspaceId: string,
  { environmentIds, metadata = {} }: Board,
  now: number,
  { slice = SLICE }: { slice?: number } = {},
): Promise<BoardCounts> {
  const counter = boardCounter(now);
  const [pair] = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  const values = { workspaceId, status: '', state: '', ...(pair ?? { key: '', value: '' }) };
  const within = (environmentId: string) => {
    const at = (id: string) => (pair === undefined ? id : placeOf({ environmentId, id }));
    return { environmentId, from: at(''), to: at(END) };
  };
  const everywhere = [{ environmentId: '', from: '', to: END }];
  const ranges = environmentIds === undefined ? everywhere : [...environmentIds].map(within);
  const rowsOf = pair !== undefined ? rowsByPair : environmentIds === undefined ? rowsByName : rowsByEnvironment;
  for (const range of ranges)
    for (let from: string | undefined = range.from; from !== undefined; await setImmediate()) {
      const rows: Row[] = await reader.all(rowsOf, { ...values, ...range, from, rows: slice + 1 });
      // The row behind a slice is the first of the next.
      from = rows.length > slice ? rows.reduce((last, { key }) => (key > last ? key : last), '') : undefined;
      for (const row of rows) if (row.key !== from) counter.add(boardRow(row));
    }
  return counter.counts();
}

const rowsByName = boardRows(byName);
const rowsByPair = boardRows(byPair);
const rowsByEnvironment = boardRows(byEnvironment);

type Row = InferResult<ReturnType<typeof rowsByName>>[number];

const SHOWN = ['name', 'status', 'verificationError', 'windowStartedAt', 'verifiedAt', 'updatedAt'] as const;

/** In no order. The range is read first: SQLite keeps to the order of a cross join. */
function boardRows({ range }: Index) {
  return (db: Tables, p: Parameters<Index['range']>[0]) =>
    db
      .selectFrom(sql<Key>`(${range(p)})`.as<'place'>(sql.ref('place')))
      .crossJoin('domains')
      .leftJoin('routes', 'routes.domainId', 'domains.id')
      .leftJoin('certificates', 'certificates.hostname', 'routes.hostname')
      .leftJoin('servedCertificates as served', 'served.hostname', 'certificates.hostname')
      .leftJoin('liveChecks', 'liveChecks.domainId', 'domains.id')
      .whereRef('domains.id', '=', 'place.id')
      .select(columnsOf('domains', SHOWN))
      .select([
        'place.key',
        'certificates.state',
        'certificates.problem',
        'served.notAfter',
        'liveChecks.state as live',
      ]);
}

function boardRow(row: Row): BoardRow {
  const { state, problem, notAfter, live } = row;
  return {
    domain: pick(row, SHOWN),
    certificate: state === null ? null : { state, problem: problem && JSON.parse(problem), notAfter },
    live: live === null ? null : { state: live },
  };
}
