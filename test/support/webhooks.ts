import type {
  DeliveryResult,
  DeliveryStore,
  DueDelivery,
  Store,
  Webhook,
  WebhookSecret,
} from '../../server/src/store/store.ts';
import { NOW, newId } from './entities.ts';

export const LEASE_MS = 30_000;

export function aWebhook(about: Partial<Webhook> & Pick<Webhook, 'workspaceId'>): Webhook {
  return {
    id: newId('wh'),
    url: 'https://hooks.example.com/nameplate',
    types: null,
    createdAt: NOW,
    updatedAt: null,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    ...about,
  };
}

export function aWebhookSecret(about: Partial<WebhookSecret> = {}): WebhookSecret {
  const id = newId('whs');
  return { id, secret: new TextEncoder().encode(`whsec_${id}`), createdAt: NOW, ...about };
}

/** Stores a webhook with a secret. */
export async function addWebhook(
  store: Store,
  about: Partial<Webhook> & Pick<Webhook, 'workspaceId'>,
  secret = aWebhookSecret(),
): Promise<Webhook> {
  const webhook = aWebhook(about);
  if ((await store.createWebhook(webhook, secret, 100)) !== 'created') throw new Error('the fixture was not created');
  return webhook;
}

/**
 * Leases everything that is due, or `limit` deliveries of it: of each webhook the most overdue, then the next of each.
 */
export async function claimDue(
  store: Pick<DeliveryStore, 'findDueWebhooks' | 'leaseDelivery'>,
  { now = NOW, limit = 1000, leaseMs = LEASE_MS }: { now?: number; limit?: number; leaseMs?: number } = {},
): Promise<DueDelivery[]> {
  const claimed: DueDelivery[] = [];
  for (let before = -1; claimed.length > before; ) {
    before = claimed.length;
    const webhooks = await store.findDueWebhooks(now);
    for (const { webhookId } of webhooks.toSorted((a, b) => a.dueAt - b.dueAt)) {
      const due = claimed.length < limit ? await store.leaseDelivery(webhookId, { now, leaseMs }) : null;
      if (due !== null) claimed.push(due);
    }
  }
  return claimed;
}

type Rule = Parameters<DeliveryStore['saveDelivery']>[1];

/** Saves results, one after the other. Resolves with the ids of the webhooks that this disabled. */
export async function saveResults(
  store: Pick<DeliveryStore, 'saveDelivery'>,
  results: readonly DeliveryResult[],
  now = NOW,
  rule: Partial<Rule> = {},
): Promise<string[]> {
  const disabled: string[] = [];
  for (const result of results) {
    const saved = await store.saveDelivery(result, {
      now,
      disableIfFailingSince: 0,
      startAgainIfQuietSince: 0,
      ...rule,
    });
    if (saved.disabled) disabled.push(result.webhookId);
  }
  return disabled;
}

/** The result of an attempt at `at`: by default a delivery. */
export function aDeliveryResult(
  { webhookId, queue, deliveryId, lease, type }: DueDelivery,
  about: Partial<Pick<DeliveryResult, 'outcome' | 'attempt'>> & { at?: number } = {},
): DeliveryResult {
  const { at = NOW, outcome = { kind: 'delivered' } as const } = about;
  const error = outcome.kind === 'delivered' ? null : 'The receiver responded with 500.';
  const status = outcome.kind === 'delivered' ? 204 : 500;
  const attempt = { at, durationMs: 12, status, error, response: outcome.kind === 'delivered' ? null : 'oops' };
  return { webhookId, queue, deliveryId, lease, type, outcome, attempt, ...(about.attempt !== undefined && about) };
}
