import type {
  DeliveryClaim,
  DeliveryResult,
  DueDelivery,
  Store,
  Webhook,
  WebhookSecret,
} from '../../src/store/contract/store.ts';
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

export function aDeliveryClaim(about: Partial<DeliveryClaim> = {}): DeliveryClaim {
  const most = { beyondFirst: 500, perWebhook: 100, perWorkspace: 100 };
  return { now: NOW, limit: 100, leaseMs: LEASE_MS, ...most, inFlight: [], ...about };
}

/** What an attempt at `at` led to: by default a delivery. */
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
