import { type CheckResult, digestOf, toBoundedJson, unpackObservation } from '../../domain/check-result.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { StoredCheck } from '../store.ts';

/** A result as its row has it. */
export interface PackedResult {
  digest: string;
  findings: string;
  observation: string;
}

/** A save whose result may be packed. */
export type Packable<Save> = Omit<Save, 'result'> & { result?: CheckResult | PackedResult | undefined };

/** Packs the result before a save is posted to SQLite's writer thread: posting two texts costs less than posting what they are made of. */
export function packed<Save extends Packable<object>>(save: Save): Save {
  return { ...save, result: save.result && packResult(save.result) };
}

function packResult(result: CheckResult | PackedResult): PackedResult {
  if ('digest' in result) return result;
  const { findings, observation } = toBoundedJson(result);
  return { digest: digestOf(result), findings, observation };
}

export function saveResult(tx: Transaction, domainId: string, result: CheckResult | PackedResult, at: number) {
  tx.write(upsertResult, { domainId, at, ...packResult(result) });
}

export async function findCheckResult(reader: Reader, workspaceId: string, id: string): Promise<StoredCheck | null> {
  const row = await reader.one(selectCheckResult, { workspaceId, id });
  if (row === null) return null;
  const { findings, observation, checkedAt } = row;
  const isStored = findings !== null && observation !== null && checkedAt !== null;
  return {
    result: isStored
      ? { findings: JSON.parse(findings), observation: unpackObservation(observation), checkedAt }
      : null,
    schedule: {
      attempts: row.attempts ?? row.recheckAttempts ?? 0,
      lastCheckAt: row.lastCheckAt ?? row.lastRecheckAt,
      nextCheckAt: row.nextCheckAt ?? row.nextRecheckAt,
      windowEndsAt: row.windowEndsAt,
    },
  };
}

interface ResultRow extends PackedResult {
  domainId: string;
  at: number;
}

function upsertResult(db: Tables, p: ResultRow) {
  const result = { digest: p.digest, checkedAt: p.at, findings: p.findings, observation: p.observation };
  return db
    .insertInto('checkResults')
    .values({ domainId: p.domainId, ...result })
    .onConflict((on) => on.column('domainId').doUpdateSet(result));
}

function selectCheckResult(db: Tables, p: { workspaceId: string; id: string }) {
  return db
    .selectFrom('domains')
    .leftJoin('checkResults as results', 'results.domainId', 'domains.id')
    .leftJoin('checks', 'checks.domainId', 'domains.id')
    .leftJoin('monitors', 'monitors.domainId', 'domains.id')
    .where('domains.id', '=', p.id)
    .where('domains.workspaceId', '=', p.workspaceId)
    .select([
      'results.findings',
      'results.observation',
      'results.checkedAt',
      'checks.attempts',
      'checks.lastCheckAt',
      'checks.nextCheckAt',
      'checks.windowEndsAt',
      'monitors.attempts as recheckAttempts',
      'monitors.lastCheckAt as lastRecheckAt',
      'monitors.nextCheckAt as nextRecheckAt',
    ]);
}
