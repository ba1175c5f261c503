import Type, { type Static } from 'typebox';
import { DOMAIN_EVENT_TYPES } from '../../domain/domain-event.ts';
import { TEST_EVENT_TYPE } from '../../domain/webhook-message.ts';
import type { Delivery, RateLimit } from '../../store/contract/store.ts';
import { closed, Id, Time } from '../schemas.ts';
import { exampleWebhook } from './present-webhook.ts';

/** Each is stored with its event and the response, as long as any other delivery. */
export const DELIVERIES_ON_REQUEST: RateLimit = { limit: 60, windowMs: 60_000 };

export const DeliveryId = Type.String({
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
          'Body of the response, at most 64 KiB; of the 100 newest responses of the webhook that delivered nothing. In `getDelivery` alone.',
      }),
    ),
  },
  { ...closed, title: 'DeliveryAttempt' },
);

export const STATES: Delivery['state'][] = ['waiting', 'delivered', 'failed'];

export const DeliverySchema = Type.Object(
  {
    id: Id('dlv', 'The delivery.'),
    webhookId: Id('wh', 'Its webhook.'),
    eventId: Id('evt', 'The event: `webhook-id` of the request, the same in every attempt and repetition.'),
    type: Type.Enum([...DOMAIN_EVENT_TYPES, TEST_EVENT_TYPE], { type: 'string', description: 'Type of the event.' }),
    domainId: Type.Optional(Id('dom', 'The domain that the event is about; absent in a test.')),
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'Its name.' })),
    state: Type.Enum(STATES, {
      type: 'string',
      description:
        '`waiting` for its next attempt, or for an earlier event of the domain; `failed`: given up after three days.',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts made.' }),
    lastAttempt: Type.Optional(AttemptSchema),
    nextAttemptAt: Type.Optional(
      Time('When the next attempt is due; absent if it waits for an earlier event, or for the webhook to be enabled.'),
    ),
    happenedAt: Time('When the event happened.'),
    createdAt: Time('When the delivery was added: with the event, or when it was asked for.'),
    finishedAt: Type.Optional(Time('When it was delivered or given up.')),
  },
  { ...closed, title: 'Delivery' },
);

/** Absent values are left out, never null. */
export function presentDelivery(delivery: Delivery): Static<typeof DeliverySchema> {
  const { domainId, domainName, lastAttempt, nextAttemptAt, finishedAt, ...rest } = delivery;
  return {
    ...rest,
    ...(domainId !== null && { domainId }),
    ...(domainName !== null && { domain: domainName }),
    ...(lastAttempt !== null && { lastAttempt: presentAttempt(lastAttempt) }),
    ...(nextAttemptAt !== null && { nextAttemptAt }),
    ...(finishedAt !== null && { finishedAt }),
  };
}

function presentAttempt({ at, durationMs, status, error, response }: NonNullable<Delivery['lastAttempt']>) {
  return {
    at,
    durationMs,
    ...(status !== null && { status }),
    ...(error !== null && { error }),
    ...(response !== null && { response }),
  };
}

const NOON = exampleWebhook.createdAt;

/** A delivery for the examples of the documentation. */
export const exampleDelivery: Delivery = {
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
