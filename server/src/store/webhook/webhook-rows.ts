import type { InferResult } from 'kysely';
import { defineChange, isFound, isOutcome } from '../engine/change.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_SECRET, type Seal } from '../engine/write.ts';
import type { PageRequest, Webhook, WebhookSecret, WebhookStore } from '../store.ts';
import { resumeQueues } from './queue.ts';

type Change = Parameters<WebhookStore['updateWebhook']>[2];

async function createWebhook(tx: Transaction, webhook: Webhook, secret: WebhookSecret, limit: number) {
  const held = await tx.one(countWebhooks, { workspaceId: webhook.workspaceId });
  if (held !== null && held.count >= limit) return 'limit';
  await tx.execute(insertWebhook, { ...webhook, types: jsonOf(webhook.types) });
  await tx.execute(insertSecret, { ...secret, webhookId: webhook.id });
  return 'created';
}

export async function findWebhook(reader: Reader, workspaceId: string, webhookId: string): Promise<Webhook | null> {
  const row = await reader.one(selectWebhook, { workspaceId, webhookId });
  return row === null ? null : webhookOf(row);
}

export async function listWebhooks(reader: Reader, workspaceId: string, page: PageRequest) {
  const rows = await reader.all(selectWebhooks, { workspaceId, ...pageSlots(page) });
  return paged(rows.map(webhookOf), page);
}

async function updateWebhook(
  tx: Transaction,
  workspaceId: string,
  webhookId: string,
  { url, types, enabled }: Change,
  now: number,
): Promise<Webhook | null> {
  // First of all, since it locks the row. Only what is given is written: results of deliveries are saved at the same time.
  if ((await tx.execute(touchWebhook, { workspaceId, webhookId, now })) === 0) return null;
  if (url !== undefined) await tx.execute(updateUrl, { webhookId, url });
  if (types !== undefined) await tx.execute(updateTypes, { webhookId, types: jsonOf(types) });
  if (enabled === true && (await tx.execute(enable, { webhookId })) > 0) await resumeQueues(tx, webhookId, now);
  if (enabled === false) await tx.execute(disable, { webhookId, now });
  return findWebhook(tx, workspaceId, webhookId);
}

export async function deleteWebhook(tx: Transaction, workspaceId: string, webhookId: string) {
  return (await tx.execute(deleteRow, { workspaceId, webhookId })) === 0 ? 'missing' : 'deleted';
}

async function rotateWebhookSecret(
  tx: Transaction,
  workspaceId: string,
  webhookId: string,
  secret: WebhookSecret,
  previousExpiresAt: number,
) {
  if ((await tx.execute(touchWebhook, { workspaceId, webhookId, now: secret.createdAt })) === 0) return 'missing';
  await tx.execute(deleteRotatedSecrets, { webhookId });
  await tx.execute(expireSecret, { webhookId, at: previousExpiresAt });
  await tx.execute(insertSecret, { ...secret, webhookId });
  return 'rotated';
}

const sealed = (seal: Seal, secret: WebhookSecret): WebhookSecret => ({
  ...secret,
  secret: seal(secret.secret, { kind: 'webhook_secret', id: secret.id }),
});

// No entry has the URL of a webhook: it may hold a secret.
export const webhookChanges = {
  createWebhook: defineChange({
    perform: createWebhook,
    // The workspace, for the number of its webhooks.
    locks: ({ workspaceId }) => [workspaceId],
    audit: { targets: (_, { id, workspaceId }) => [{ workspaceId, target: id }], isMade: isOutcome('created') },
    secret: (seal, webhook, secret, limit) => [webhook, sealed(seal, secret), limit],
    invalidates: NO_DOMAINS,
  }),
  updateWebhook: defineChange({
    perform: updateWebhook,
    locks: (_, webhookId) => [webhookId],
    audit: {
      targets(_, workspaceId, id, change) {
        const changed = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name]));
        return [{ workspaceId, target: id, detail: { changed } }];
      },
      isMade: isFound,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  deleteWebhook: defineChange({
    perform: deleteWebhook,
    locks: (_, webhookId) => [webhookId],
    audit: { targets: (_, workspaceId, id) => [{ workspaceId, target: id }], isMade: isOutcome('deleted') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  rotateWebhookSecret: defineChange({
    perform: rotateWebhookSecret,
    locks: (_, webhookId) => [webhookId],
    audit: { targets: (_, workspaceId, id) => [{ workspaceId, target: id }], isMade: isOutcome('rotated') },
    secret: (seal, workspaceId, id, secret, expiresAt) => [workspaceId, id, sealed(seal, secret), expiresAt],
    invalidates: NO_DOMAINS,
  }),
};

function jsonOf(types: Webhook['types']): string | null {
  return types === null ? null : JSON.stringify(types);
}

type WebhookRow = InferResult<ReturnType<typeof selectFromWebhooks>>[number];

function webhookOf(row: WebhookRow): Webhook {
  return { ...row, types: row.types === null ? null : JSON.parse(row.types) };
}

const WEBHOOK = [
  'id',
  'workspaceId',
  'url',
  'types',
  'createdAt',
  'updatedAt',
  'disabledAt',
  'disabledReason',
  'failingSince',
] as const;

function selectFromWebhooks(db: Tables) {
  return db.selectFrom('webhooks').select(WEBHOOK);
}

function selectWebhook(db: Tables, p: { workspaceId: string; webhookId: string }) {
  return selectFromWebhooks(db).where('id', '=', p.webhookId).where('workspaceId', '=', p.workspaceId);
}

function selectWebhooks(db: Tables, p: PageSlots & { workspaceId: string }) {
  return selectFromWebhooks(db)
    .where('workspaceId', '=', p.workspaceId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows);
}

function countWebhooks(db: Tables, p: { workspaceId: string }) {
  return db
    .selectFrom('webhooks')
    .where('workspaceId', '=', p.workspaceId)
    .select((of) => of.fn.countAll<number>().as('count'));
}

function insertWebhook(db: Tables, p: WebhookRow) {
  return db.insertInto('webhooks').values(pick(p, WEBHOOK));
}

function updateUrl(db: Tables, p: { webhookId: string; url: string }) {
  return db.updateTable('webhooks').where('id', '=', p.webhookId).set({ url: p.url });
}

function updateTypes(db: Tables, p: { webhookId: string; types: string | null }) {
  return db.updateTable('webhooks').where('id', '=', p.webhookId).set({ types: p.types });
}

/** Where it is disabled. */
function enable(db: Tables, p: { webhookId: string }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('disabledAt', 'is not', null)
    .set({ disabledAt: null, disabledReason: null, failingSince: null });
}

/** Where it is enabled. */
function disable(db: Tables, p: { webhookId: string; now: number }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('disabledAt', 'is', null)
    .set({ disabledAt: p.now, disabledReason: 'requested' });
}

function touchWebhook(db: Tables, p: { workspaceId: string; webhookId: string; now: number }) {
  return db
    .updateTable('webhooks')
    .where('id', '=', p.webhookId)
    .where('workspaceId', '=', p.workspaceId)
    .set({ updatedAt: p.now });
}

/** Deletes its secrets as well (`on delete cascade`). */
function deleteRow(db: Tables, p: { workspaceId: string; webhookId: string }) {
  return db.deleteFrom('webhooks').where('id', '=', p.webhookId).where('workspaceId', '=', p.workspaceId);
}

function insertSecret(db: Tables, p: WebhookSecret & { webhookId: string }) {
  return db
    .insertInto('webhookSecrets')
    .values({ ...pick(p, ['id', 'webhookId', 'secret', 'createdAt']), expiresAt: null });
}

function deleteRotatedSecrets(db: Tables, p: { webhookId: string }) {
  return db.deleteFrom('webhookSecrets').where('webhookId', '=', p.webhookId).where('expiresAt', 'is not', null);
}

function expireSecret(db: Tables, p: { webhookId: string; at: number }) {
  return db
    .updateTable('webhookSecrets')
    .where('webhookId', '=', p.webhookId)
    .where('expiresAt', 'is', null)
    .set({ expiresAt: p.at });
}
