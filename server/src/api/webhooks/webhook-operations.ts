import Type, { type Static } from 'typebox';
import type { NewId } from '../../base/ids.ts';
import { DOMAIN_EVENT_TYPES, type DomainEventType } from '../../domain/domain-event.ts';
import type { Webhook, WebhookSecret } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import type { Need } from '../find.ts';
import { defineList, defineOperation, type WebhookSettings } from '../operation.ts';
import { closed, Empty, Id, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';
import { MAX_URL_LENGTH, parseReceiverUrl } from './receiver-url.ts';

const ALL = '*';

export const WebhookId = Type.String({
  minLength: 3,
  maxLength: 255,
  pattern: '^[a-zA-Z0-9_]+$',
  description: 'Id of the webhook (`wh_…`).',
});

export const ReceiverUrl = Type.String({
  minLength: 8,
  maxLength: MAX_URL_LENGTH,
  description:
    'Where events are sent: an https URL without user, password or fragment. Plain http, and addresses or names that are not public, are accepted only if the operator allows them.',
});

const EventTypes = Type.Array(Type.Enum([...DOMAIN_EVENT_TYPES, ALL], { type: 'string' }), {
  minItems: 1,
  maxItems: 50,
  description: 'Types of events that are sent. `*`: all types, including those of later releases.',
});

export const WebhookSchema = Type.Object(
  {
    id: Id('wh', 'The webhook.'),
    url: Type.String({ maxLength: MAX_URL_LENGTH, description: 'Where events are sent.' }),
    types: EventTypes,
    enabled: Type.Boolean({ description: 'Whether events are sent.' }),
    disabledAt: Type.Optional(Time('Since when it is disabled.')),
    disabledReason: Type.Optional(
      Type.Enum(['requested', 'failing'], {
        type: 'string',
        description:
          '`requested`: disabled by webhooks.updateWebhook. `failing`: disabled because nothing was delivered for three days.',
      }),
    ),
    failingSince: Type.Optional(
      Time('First failed attempt since the last successful delivery; absent if none failed.'),
    ),
    createdAt: Time('Creation.'),
    updatedAt: Type.Optional(Time('Last change by an operation; absent if there was none.')),
  },
  { title: 'Webhook' },
);

const show = shownBy(WebhookSchema);

function presentWebhook(webhook: Webhook): Static<typeof WebhookSchema> {
  return show({ ...webhook, types: webhook.types ?? [ALL], enabled: webhook.disabledAt === null });
}

/** The types of a request as they are stored: each once, null for all. */
export function typesOf(types: Static<typeof EventTypes>): DomainEventType[] | null {
  return types.includes(ALL) ? null : [...new Set(types as DomainEventType[])];
}

/** Throws a `Problem` that names everything that is wrong with the URL. */
export function urlOf(text: string, settings: WebhookSettings): string {
  const parsed = parseReceiverUrl(text, settings);
  if (parsed.ok) return parsed.url;
  const { messages, fix } = parsed;
  throw new Problem('validation/invalid_input', {
    errors: messages.map((message) => ({ location: 'body.url', message, ...(fix !== undefined && { fix }) })),
  });
}

/** A webhook for the examples of the documentation. */
export const exampleWebhook: Webhook = {
  id: 'wh_01kaghq2r3s4t5v6w7x8y9z0a1',
  workspaceId: 'ws_01kaghm5q6e8x9b2c3d4f5g6h7',
  url: 'https://hooks.example.com/nameplate',
  types: ['domain.verified', 'domain.failed'],
  createdAt: Date.UTC(2026, 10, 20, 12),
  updatedAt: null,
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
};

const exampleSecret = 'whsec_bm90IGEgc2VjcmV0LCBqdXN0IGFuIGV4YW1wbGU6MzI=';

/** Between 24 and 64, as Standard Webhooks demands. */
const SECRET_BYTES = 32;

/** A secret in the form of Standard Webhooks: `whsec_`, then random bytes in base64. `text` is shown once. */
function newWebhookSecret(
  newId: NewId,
  randomBytes: (bytes: number) => Uint8Array,
  createdAt: number,
): { text: string; secret: WebhookSecret } {
  const text = `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;
  return { text, secret: { id: newId('whs'), secret: new TextEncoder().encode(text), createdAt } };
}

/** A receiver gets every event of every domain, as whoever reads them does. */
const reading: Need = {
  permission: { resource: 'environment', action: 'read_domain' },
  where: 'on all environments: the receiver gets the events of every domain',
};
const readingAnew: Need = {
  ...reading,
  where: 'on all environments, to set the URL or the types: the receiver gets the events of every domain',
};

export const createWebhook = defineOperation({
  name: 'webhooks.createWebhook',
  summary: 'Create a webhook',
  description:
    'Creates a webhook. From then on, events of all domains of the workspace are sent to its URL. They are signed with the secret, which is shown only once.',
  permission: { resource: 'webhook', action: 'create_webhook' },
  onAll: 'workspace',
  needs: [reading],
  creates: 'secret',
  request: Type.Object({ url: ReceiverUrl, types: Type.Optional(EventTypes) }, closed),
  response: Type.Object({
    webhookId: Id('wh', 'The new webhook.'),
    secret: Type.String({ description: 'The secret with which receivers verify signatures. Begins with `whsec_`.' }),
  }),
  problems: ['limits/webhook_limit_exceeded', 'application/sealing_unavailable'],
  example: {
    request: { url: exampleWebhook.url, types: exampleWebhook.types ?? [] },
    response: { webhookId: exampleWebhook.id, secret: exampleSecret },
  },
  async handle({ principal, input, create, find }, { clock, newId, randomBytes, settings: { webhooks } }) {
    find.demandOnAll(reading);
    const { workspaceId } = principal;
    const { text, secret } = newWebhookSecret(newId, randomBytes, clock.now());
    const webhook = {
      id: newId('wh'),
      workspaceId,
      url: urlOf(input.url, webhooks),
      types: typesOf(input.types ?? ['*']),
      createdAt: secret.createdAt,
      updatedAt: null,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    };
    const shown = { webhookId: webhook.id, secret: text };
    const { made, outcome } = await create(shown, (changes) =>
      changes.createWebhook(webhook, secret, webhooks.perWorkspace),
    );
    if (outcome === 'limit') throw new Problem('limits/webhook_limit_exceeded');
    return made;
  },
});

export const getWebhook = defineOperation({
  name: 'webhooks.getWebhook',
  summary: 'Get a webhook',
  description: 'Retrieves a webhook, without its secret.',
  permission: { resource: 'webhook', action: 'read_webhook' },
  request: Type.Object({ webhookId: WebhookId }, closed),
  response: WebhookSchema,
  problems: ['data/webhook_not_found'],
  example: { request: { webhookId: exampleWebhook.id }, response: presentWebhook(exampleWebhook) },
  async handle({ input: { webhookId }, find }) {
    const webhook = await find.webhook(webhookId);
    return presentWebhook(webhook);
  },
});

export const listWebhooks = defineList({
  name: 'webhooks.listWebhooks',
  summary: 'List the webhooks of the workspace',
  description: 'Returns the webhooks in order of creation, one page at a time.',
  permission: { resource: 'webhook', action: 'read_webhook' },
  onAll: 'workspace',
  request: Type.Object({ ...pageRequest }, closed),
  item: WebhookSchema,
  problems: [],
  example: { request: { limit: 10 }, items: [presentWebhook(exampleWebhook)] },
  async handle({ principal: { workspaceId }, input }, { store }) {
    const page = await store.listWebhooks(workspaceId, pageOf(input));
    return { ...page, items: page.items.map(presentWebhook) };
  },
});

export const updateWebhook = defineOperation({
  name: 'webhooks.updateWebhook',
  summary: 'Change a webhook',
  description:
    'Changes the properties in the request. Waiting events are sent to the new URL. While the webhook is disabled, events that wait keep waiting, and new events are never sent to it. When you enable the webhook, waiting events are sent at once.',
  permission: { resource: 'webhook', action: 'update_webhook' },
  needs: [readingAnew],
  request: Type.Object(
    {
      webhookId: WebhookId,
      url: Type.Optional(ReceiverUrl),
      types: Type.Optional(EventTypes),
      enabled: Type.Optional(Type.Boolean({ description: 'Whether events are sent.' })),
    },
    closed,
  ),
  response: WebhookSchema,
  problems: ['data/webhook_not_found'],
  example: {
    request: { webhookId: exampleWebhook.id, types: ['*'] },
    response: presentWebhook({ ...exampleWebhook, types: null, updatedAt: exampleWebhook.createdAt + 3_600_000 }),
  },
  async handle({ principal, input, find, changes }, { clock, settings }) {
    const { workspaceId } = principal;
    const { id } = await find.webhook(input.webhookId);
    if (input.url !== undefined || input.types !== undefined) find.demandOnAll(readingAnew);
    const changed = {
      url: input.url === undefined ? undefined : urlOf(input.url, settings.webhooks),
      types: input.types === undefined ? undefined : typesOf(input.types),
      enabled: input.enabled,
    };
    const webhook = await changes.updateWebhook(workspaceId, id, changed, clock.now());
    if (webhook === null) throw new Problem('data/webhook_not_found');
    return presentWebhook(webhook);
  },
});

const DAY_SECONDS = 86_400;

export const rotateSecret = defineOperation({
  name: 'webhooks.rotateSecret',
  summary: 'Rotate the secret of a webhook',
  description:
    'Creates a new secret, which is shown only once. Until the previous secret expires, requests are signed with both. If an earlier rotation still overlaps, the secret that it replaced expires at once. Send an `Idempotency-Key`: if the response is lost, repeat the request to get the same secret, and the secret in use keeps signing.',
  permission: { resource: 'webhook', action: 'update_webhook' },
  replaces: 'secret',
  request: Type.Object(
    {
      webhookId: WebhookId,
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 7 * DAY_SECONDS,
          description:
            'How long requests are also signed with the previous secret; one day if absent. Use 0 if it has leaked.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object({
    secret: Type.String({ description: 'The new secret. Begins with `whsec_`.' }),
    previousExpiresAt: Time('Until when requests are also signed with the previous secret.'),
  }),
  problems: ['data/webhook_not_found', 'application/sealing_unavailable'],
  example: {
    request: { webhookId: exampleWebhook.id },
    response: { secret: exampleSecret, previousExpiresAt: exampleWebhook.createdAt + DAY_SECONDS * 1000 },
  },
  async handle({ principal: { workspaceId }, input, find, create: replace }, { clock, newId, randomBytes }) {
    const { id } = await find.webhook(input.webhookId);
    const { text, secret } = newWebhookSecret(newId, randomBytes, clock.now());
    const previousExpiresAt = secret.createdAt + (input.overlapSeconds ?? DAY_SECONDS) * 1000;
    const { made, outcome } = await replace({ secret: text, previousExpiresAt }, (changes) =>
      changes.rotateWebhookSecret(workspaceId, id, secret, previousExpiresAt),
    );
    if (outcome === 'missing') throw new Problem('data/webhook_not_found');
    return made;
  },
});

export const deleteWebhook = defineOperation({
  name: 'webhooks.deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook and its secrets. Waiting events are not sent; a request in flight finishes.',
  permission: { resource: 'webhook', action: 'delete_webhook' },
  request: Type.Object({ webhookId: WebhookId }, closed),
  response: Empty,
  problems: ['data/webhook_not_found'],
  example: { request: { webhookId: exampleWebhook.id }, response: {} },
  async handle({ principal: { workspaceId }, input: { webhookId }, find, changes }) {
    const { id } = await find.webhook(webhookId);
    if ((await changes.deleteWebhook(workspaceId, id)) === 'missing') throw new Problem('data/webhook_not_found');
    return {};
  },
});
