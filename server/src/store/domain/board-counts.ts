import type { InferResult } from 'kysely';
import { type BoardCounts, type BoardRow, boardCounter } from '../../domain/board.ts';
import { columnsOf, pick, type Reader, type Tables } from '../engine/statement.ts';
import type { Board } from '../store.ts';
import { anyOf, boardIds, fromDomains, type Ids, slotsOf } from './domain-lists.ts';

/** Domains that one statement reads: some milliseconds. */
const SLICE = 500;

export async function countSites(
  reader: Reader,
  workspaceId: string,
  board: Board,
  now: number,
  { slice = SLICE }: { slice?: number } = {},
): Promise<BoardCounts> {
  const counter = boardCounter(now);
  for await (const ids of boardIds(reader, workspaceId, board, slice)) {
    const rows = await reader.all(selectBoardRows, slotsOf(ids, SLICE));
    for (const row of rows) if (row.workspaceId === workspaceId) counter.add(boardRow(row));
  }
  return counter.counts();
}

const SHOWN = ['id', 'name', 'status', 'verificationError', 'windowStartedAt', 'verifiedAt', 'updatedAt'] as const;

/** By ids alone, as `selectListed`. */
export function selectBoardRows(db: Tables, p: Ids) {
  return fromDomains(db)
    .leftJoin('servedCertificates as served', 'served.hostname', 'certificates.hostname')
    .where('domains.id', 'in', anyOf(p, SLICE))
    .select(['domains.workspaceId', ...columns])
    .select(['certificates.state', 'certificates.problem', 'served.notAfter', 'liveChecks.state as live']);
}

const columns = columnsOf('domains', SHOWN);

function boardRow(row: InferResult<ReturnType<typeof selectBoardRows>>[number]): BoardRow {
  const { state, problem, notAfter, live } = row;
  return {
    domain: pick(row, SHOWN),
    certificate: state === null ? null : { state, problem: problem && JSON.parse(problem), notAfter },
    live: live === null ? null : { state: live },
  };
}
