import { sql } from 'kysely';
import { TEST_EVENT_TYPE } from '../../domain/webhook-message.ts';
import type { Tables, Transaction } from '../engine/statement.ts';
import type { DeliveryAttempt, DeliveryResult, DeliveryStore } from '../store.ts';
import { endQueue, releaseQueue } from './queue.ts';

type Rule = Parameters<DeliveryStore['saveDelivery']>[1];

export async function saveDelivery(
  tx: Transaction,
  result: DeliveryResult,
  rule: Rule,
): Promise<{ disabled: boolean }> {
  const { outcome, attempt } = result;
  const { now } = rule;
  const dueAt = outcome.kind === 'retry' ? outcome.nextAttemptAt : now;
  if (!(await releaseQueue(tx, result, dueAt))) return { disabled: false };
  const finished = outcome.kind === 'delivered' || outcome.kind === 'failed' ? outcome.kind : null;
  const about = { ...result, outcome: finished, finishedAt: finished && now };
  if (attempt !== null) await tx.execute(updateAttempted, { ...about, ...attempt });
  else if (finished !== null) await tx.execute(updateFinished, about);
  if (finished !== null) await endQueue(tx, result);
  if (attempt?.response != null) await tx.execute(clearOldResponses, result);
  return { disabled: attempt !== null && (await saveHealth(tx, result, rule)) };
}

/** Saves since when a webhook fails. True: it was disabled. */
async function saveHealth(tx: Transaction, { webhookId, type, outcome }: DeliveryResult, rule: Rule): Promise<boolean> {
  const { now, disableIfFailingSince: since, startAgainIfQuietSince: quietSince } = rule;
  if (outcome.kind === 'delivered') {
    await tx.execute(clearFailing, { webhookId });
    return false;
  }
  // A test that fails says nothing: nobody waits for it, and it is not repeated.
  if (type === TEST_EVENT_TYPE) return false;
  await tx.execute(setFailing, { webhookId, now, quietSince });
  return outcome.kind === 'failed' && (await tx.execute(disable, { webhookId, now, since })) > 0;
}

interface FinishSlots {
  webhookId: string;
  deliveryId: string;
  outcome: 'delivered' | 'failed' | null;
  finishedAt: number | null;
}

function updateFinished(db: Tables, p: FinishSlots) {
  return db
    .updateTable('webhookDeliveries')
    .where('webhookId', '=', p.webhookId)
    .where('id', '=', p.deliveryId)
    .set({ outcome: p.outcome, finishedAt: p.finishedAt });
}

function updateAttempted(db: Tables, p: FinishSlots & DeliveryAttempt) {
  return updateFinished(db, p).set((of) => ({
    attempts: of('attempts', '+', 1),
    lastAttemptAt: p.at,
    lastDurationMs: p.durationMs,
    lastStatus: p.status,
    lastError: p.error,
    lastResponse: p.response,
  }));
}

/** The newest responses of a webhook whose bodies are kept: 6 MiB at most. */
const RESPONSES_KEPT = 100;
/** Bodies that one save deletes: a few milliseconds. */
const AT_ONCE = 500;

/** But those of deliveries that were attempted again since they were found: they have a newer body. */
export function clearOldResponses(db: Tables, p: { webhookId: string }) {
  return db
    .updateTable('webhookDeliveries')
    .where((of) =>
      of(
        of.refTuple('seq', 'lastAttemptAt'),
        'in',
        of
          .selectFrom('webhookDeliveries')
          .where('webhookId', '=', p.webhookId)
          .where('lastResponse', 'is not', null)
          .orderBy('lastAttemptAt', 'desc')
          .orderBy('seq', 'desc')
          .limit(sql.lit(AT_ONCE))
          .offset(sql.lit(RESPONSES_KEPT))
          .select(['seq', 'lastAttemptAt'])
          .$asTuple('seq', 'lastAttemptAt'),
      ),
    )
    .set({ lastResponse: null });
}

function clearFailing(db: Tables, p: { webhookId: string }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('failingSince', 'is not', null)
    .set({ failingSince: null });
}

function setFailing(db: Tables, p: { webhookId: string; now: number; quietSince: number }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .set((of) => ({
      failingSince: of
        .case()
        .when(of.or([of('failingSince', 'is', null), of('lastFailedAt', '<', p.quietSince)]))
        .then(p.now)
        .else(of.ref('failingSince'))
        .end(),
      lastFailedAt: p.now,
    }));
}

function disable(db: Tables, p: { webhookId: string; now: number; since: number }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('failingSince', '<=', p.since)
    .where('disabledAt', 'is', null)
    .set({ disabledAt: p.now, disabledReason: 'failing' });
}
