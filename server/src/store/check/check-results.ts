import { type CheckResult, digestOf, toBoundedJson, unpackObservation } from '../../domain/check-result.ts';
import type { Domain } from '../../domain/domain.ts';
import { DIAGNOSIS_EVERY_MS } from '../../domain/domain-event.ts';
import type { Finding } from '../../domain/finding.ts';
import { logChange } from '../cache/change-log.ts';
import { recordEvent } from '../domain/events.ts';
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

/** The findings for an event, as they are stored. */
export function findingsIn(result: CheckResult | PackedResult | undefined): Finding[] | undefined {
  return result && JSON.parse(packResult(result).findings);
}

/** In place of the digest of a result whose mistakes are still to be told: the next thorough check saves it again. */
const UNTOLD = '';

interface SaveResult {
  after: Domain;
  result?: CheckResult | PackedResult | undefined;
  mistakes?: string | undefined;
  now: number;
}

/**
 * Replaces the stored result, and records `diagnosis.changed` where its mistakes are not those that were told last.
 * `isTold`: an event of this transaction has told them.
 */
export async function saveResult(tx: Transaction, save: SaveResult, isTold: boolean): Promise<void> {
  const { after, result, mistakes, now: at } = save;
  if (result === undefined) return;
  const row = { domainId: after.id, at, ...packResult(result) };
  const told = mistakes === undefined ? null : await tx.one(selectTold, { domainId: after.id });
  const isSame = mistakes === undefined || mistakes === (told?.mistakes ?? '');
  if (isSame && !isTold) return tx.write(upsertResult, row);
  const toldAt = told?.toldAt ?? null;
  // A time in the future comes from a clock that was set back.
  const isTooSoon = toldAt !== null && toldAt <= at && at - toldAt < DIAGNOSIS_EVERY_MS;
  if (isTooSoon && !isTold) return tx.write(upsertResult, { ...row, digest: UNTOLD });
  tx.write(upsertResult, row);
  tx.write(updateTold, { domainId: after.id, mistakes: mistakes ?? null, at });
  logChange(tx, 'domain', after.id);
  if (!isTold) await recordEvent(tx, 'diagnosis.changed', after, at, { findings: findingsIn(row) });
}

export async function findCheckResult(reader: Reader, workspaceId: string, id: string): Promise<StoredCheck | null> {
  const row = await reader.one(selectCheckResult, { workspaceId, id });
  if (row === null) return null;
  const { findings, observation, checkedAt, toldAt } = row;
  const isStored = findings !== null && observation !== null && checkedAt !== null;
  return {
    result: isStored
      ? { findings: JSON.parse(findings), observation: unpackObservation(observation), checkedAt, toldAt }
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

function selectTold(db: Tables, p: { domainId: string }) {
  return db.selectFrom('checkResults').where('domainId', '=', p.domainId).select(['told as mistakes', 'toldAt']);
}

function updateTold(db: Tables, p: { domainId: string; mistakes: string | null; at: number }) {
  return db.updateTable('checkResults').where('domainId', '=', p.domainId).set({ told: p.mistakes, toldAt: p.at });
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
      'results.toldAt',
      'checks.attempts',
      'checks.lastCheckAt',
      'checks.nextCheckAt',
      'checks.windowEndsAt',
      'monitors.attempts as recheckAttempts',
      'monitors.lastCheckAt as lastRecheckAt',
      'monitors.nextCheckAt as nextRecheckAt',
    ]);
}
