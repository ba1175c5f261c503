import { TEST_EVENT_TYPE } from '../../../domain/webhook-message.ts';
import type { DeliveryResult, DeliveryStore } from '../../contract/store.ts';
import type { Tables, Transaction } from '../statement.ts';

/** What results say about their webhooks, each in the order of the ids. */
export interface WebhookHealth {
  /** Something was delivered to them. */
  delivered: string[];
  /** Nothing was, and an attempt to deliver an event failed. */
  failed: string[];
  /** Those of `failed` for which an event was given up. */
  gaveUp: string[];
}

export type HealthSave = Omit<Parameters<DeliveryStore['saveDeliveries']>[0], 'results'>;

/** A test that fails says nothing: nobody waits for it, and it is not repeated. */
export function healthOf(results: readonly DeliveryResult[]): WebhookHealth {
  const attempted = results.filter(({ attempt }) => attempt !== null);
  const delivered = idsOf(attempted.filter(({ outcome }) => outcome.kind === 'delivered'));
  const works = new Set(delivered);
  const failed = attempted.filter(({ webhookId, type }) => type !== TEST_EVENT_TYPE && !works.has(webhookId));
  return { delivered, failed: idsOf(failed), gaveUp: idsOf(failed.filter(({ outcome }) => outcome.kind === 'failed')) };
}

function idsOf(results: readonly DeliveryResult[]): string[] {
  return [...new Set(results.map(({ webhookId }) => webhookId))].toSorted();
}

/** Saves since when webhooks fail. Resolves with those that it disabled. */
export async function saveHealth(
  tx: Transaction,
  { delivered, failed, gaveUp }: WebhookHealth,
  { now, disableIfFailingSince, startAgainIfQuietSince }: HealthSave,
): Promise<string[]> {
  for (const webhookId of delivered) await tx.execute(clearFailing, { webhookId });
  for (const webhookId of failed) await tx.execute(setFailing, { webhookId, now, quietSince: startAgainIfQuietSince });
  const disabled: string[] = [];
  for (const webhookId of gaveUp) {
    if ((await tx.execute(disable, { webhookId, now, since: disableIfFailingSince })) > 0) disabled.push(webhookId);
  }
  return disabled;
}

function clearFailing(db: Tables, p: { webhookId: string }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('failing_since', 'is not', null)
    .set({ failing_since: null });
}

function setFailing(db: Tables, p: { webhookId: string; now: number; quietSince: number }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .set((of) => ({
      failing_since: of
        .case()
        .when(of.or([of('failing_since', 'is', null), of('last_failed_at', '<', p.quietSince)]))
        .then(p.now)
        .else(of.ref('failing_since'))
        .end(),
      last_failed_at: p.now,
    }));
}

function disable(db: Tables, p: { webhookId: string; now: number; since: number }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('failing_since', '<=', p.since)
    .where('disabled_at', 'is', null)
    .set({ disabled_at: p.now, disabled_reason: 'failing' });
}
