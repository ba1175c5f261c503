import Type, { type Static } from 'typebox';
import { DOMAIN_EVENT_TYPES } from '../../domain/domain-event.ts';
import { TEST_EVENT_TYPE } from '../../domain/webhook-message.ts';
import type { Delivery, RateLimit } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { defineList, defineOperation } from '../operation.ts';
import { closed, Id, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';
import { exampleWebhook, WebhookId } from './webhook-operations.ts';

/** Each is stored with its event and the response, as long as any other delivery. */
const DELIVERIES_ON_REQUEST: RateLimit = { limit: 60, windowMs: 60_000 };

const DeliveryId = Type.String({
  minLength: 3,
  maxLength: 255,
  pattern: '^[a-zA-Z0-9_]+$',
  description: 'Id of the delivery (`dlv_…`).',
});

const AttemptSchema = Type.Object(
  {
    at: Time('When it began.'),
    durationMs: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
    status: Type.Optional(Type.Integer({ description: 'HTTP status of the response; absent if there was none.' })),
    error: Type.Optional(Type.String({ description: 'Why it failed; absent if it did not.' })),
    response: Type.Optional(
      Type.String({
        description:
          'Body of the response, at most 64 KiB. Only `getDelivery` returns it, and only for the 100 newest failed attempts of the webhook.',
      }),
    ),
  },
  { title: 'DeliveryAttempt', description: 'The last attempt; absent before the first.' },
);

export const STATES: Delivery['state'][] = ['waiting', 'delivered', 'failed'];

export const DeliverySchema = Type.Object(
  {
    id: Id('dlv', 'The delivery.'),
    webhookId: Id('wh', 'Its webhook.'),
    eventId: Id('evt', 'The event. Every request that delivers it has this id in the header `webhook-id`.'),
    type: Type.Enum([...DOMAIN_EVENT_TYPES, TEST_EVENT_TYPE], { type: 'string', description: 'Type of the event.' }),
    domainId: Type.Optional(Id('dom', 'The domain that the event is about; absent for a test event.')),
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'Its name.' })),
    state: Type.Enum(STATES, {
      type: 'string',
      description:
        '`waiting`: for its next attempt, for an earlier event of the domain, or for the webhook to be enabled. `failed`: given up after three days.',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts made.' }),
    lastAttempt: Type.Optional(AttemptSchema),
    nextAttemptAt: Type.Optional(
      Time(
        'When the next attempt is due. Absent if the delivery waits for an earlier event, or for the webhook to be enabled.',
      ),
    ),
    happenedAt: Time('When the event happened.'),
    createdAt: Time('When the delivery was created: with the event, or by webhooks.redeliver.'),
    finishedAt: Type.Optional(Time('When it was delivered or given up.')),
  },
  { title: 'Delivery' },
);

const show = shownBy(DeliverySchema);

function presentDelivery(delivery: Delivery): Static<typeof DeliverySchema> {
  return show({ ...delivery, domain: delivery.domainName });
}

const NOON = exampleWebhook.createdAt;

/** A delivery for the examples of the documentation. */
const exampleDelivery: Delivery = {
  id: 'dlv_01kaghr1s2t3v4w5x6y7z8a9b0',
  webhookId: exampleWebhook.id,
  eventId: 'evt_01kaghr1s2f7g8h9j0k1m2n3b4',
  type: 'domain.verified',
  domainId: 'dom_01kaghn1h2f7n8v3q0y6w5t4r9',
  domainName: 'api.example.com',
  state: 'waiting',
  attempts: 1,
  lastAttempt: {
    at: NOON + 60_100,
    durationMs: 87,
    status: 503,
    error: 'The receiver responded with status 503.',
    response: null,
  },
  nextAttemptAt: NOON + 65_000,
  happenedAt: NOON + 60_000,
  createdAt: NOON + 60_000,
  finishedAt: null,
};

export const sendTest = defineOperation({
  name: 'webhooks.sendTest',
  summary: 'Send a test event',
  description:
    "Sends an event of the type `webhook.test` within seconds, whatever types the webhook has. It is not retried if it fails: webhooks.getDelivery shows the receiver's response. A workspace can send 60 test events a minute unless the operator sets another limit.",
  permission: { resource: 'webhook', action: 'update_webhook' },
  rateLimit: DELIVERIES_ON_REQUEST,
  request: Type.Object({ webhookId: WebhookId }, closed),
  response: Type.Object({ deliveryId: Id('dlv', 'The delivery.') }),
  problems: ['data/webhook_not_found', 'application/webhook_disabled'],
  example: { request: { webhookId: exampleWebhook.id }, response: { deliveryId: exampleDelivery.id } },
  async handle({ principal: { workspaceId }, input: { webhookId }, find, changes }, { clock }) {
    const { id } = await find.webhook(webhookId);
    const added = await changes.addTestDelivery(workspaceId, id, clock.now());
    if (added.kind === 'missing') throw new Problem('data/webhook_not_found');
    if (added.kind === 'disabled') throw new Problem('application/webhook_disabled');
    return { deliveryId: added.deliveryId };
  },
});

export const listDeliveries = defineList({
  name: 'webhooks.listDeliveries',
  summary: 'List the deliveries of a webhook',
  description:
    'Returns the deliveries, newest first, one page at a time: those that wait, and the others with their results. Deliveries are kept for 14 days unless the operator sets another time.',
  permission: { resource: 'webhook', action: 'read_webhook' },
  request: Type.Object(
    {
      webhookId: WebhookId,
      ...pageRequest,
      state: Type.Optional(Type.Enum(STATES, { type: 'string', description: 'Only deliveries in this state.' })),
    },
    closed,
  ),
  item: DeliverySchema,
  problems: ['data/webhook_not_found'],
  example: { request: { webhookId: exampleWebhook.id, limit: 10 }, items: [presentDelivery(exampleDelivery)] },
  async handle({ principal: { workspaceId }, input, find }, { store }) {
    const { id } = await find.webhook(input.webhookId);
    const page = await store.listDeliveries(workspaceId, id, { ...pageOf(input), state: input.state });
    return { ...page, items: page.items.map(presentDelivery) };
  },
});

export const getDelivery = defineOperation({
  name: 'webhooks.getDelivery',
  summary: 'Get a delivery',
  description: "Retrieves a delivery, with the body of the receiver's last response if that attempt failed.",
  permission: { resource: 'webhook', action: 'read_webhook' },
  gives: 'the response contains the first 64 KiB of what the receiver last answered, if that delivery failed',
  request: Type.Object({ webhookId: WebhookId, deliveryId: DeliveryId }, closed),
  response: DeliverySchema,
  problems: ['data/webhook_not_found', 'data/delivery_not_found'],
  example: {
    request: { webhookId: exampleWebhook.id, deliveryId: exampleDelivery.id },
    response: presentDelivery(exampleDelivery),
  },
  async handle({ principal: { workspaceId }, input, find }, { store }) {
    const { id } = await find.webhook(input.webhookId);
    const found = await store.findDelivery(workspaceId, id, input.deliveryId);
    if (found === null) throw new Problem('data/delivery_not_found');
    return presentDelivery(found);
  },
});

export const redeliver = defineOperation({
  name: 'webhooks.redeliver',
  summary: 'Send an event again',
  description:
    'Sends the event of a delivery again, with the same `webhook-id` and content. If the delivery is finished, this creates a new one, which waits for no other. If it still waits, no new one is created: it is attempted at once, or the earlier delivery of the domain that it waits for. A workspace can request 60 a minute unless the operator sets another limit.',
  permission: { resource: 'webhook', action: 'update_webhook' },
  rateLimit: DELIVERIES_ON_REQUEST,
  request: Type.Object({ webhookId: WebhookId, deliveryId: DeliveryId }, closed),
  response: Type.Object({ deliveryId: Id('dlv', 'The new delivery, or the given one if it still waits.') }),
  problems: ['data/webhook_not_found', 'data/delivery_not_found', 'application/webhook_disabled'],
  example: {
    request: { webhookId: exampleWebhook.id, deliveryId: exampleDelivery.id },
    response: { deliveryId: 'dlv_01kaghs5t6v7w8x9y0z1a2b3c4' },
  },
  async handle({ principal: { workspaceId }, input, find, changes }, { clock }) {
    const { id } = await find.webhook(input.webhookId);
    const added = await changes.redeliver(workspaceId, id, input.deliveryId, clock.now());
    if (added.kind === 'missing') throw new Problem('data/delivery_not_found');
    if (added.kind === 'disabled') throw new Problem('application/webhook_disabled');
    return { deliveryId: added.deliveryId };
  },
});
