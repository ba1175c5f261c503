import Type, { type Static } from 'typebox';
import { DOMAIN_EVENT_TYPES, type DomainEventType } from '../../domain/domain-event.ts';
import type { Webhook } from '../../store/contract/store.ts';
import { Problem } from '../errors.ts';
import type { WebhookSettings } from '../operation.ts';
import { closed, Id, Time } from '../schemas.ts';
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
    'Where events are sent: an https URL, without user, password and fragment. http, and addresses and names that are not public, only where the operator allows them.',
});

export const EventTypes = Type.Array(Type.Enum([...DOMAIN_EVENT_TYPES, ALL], { type: 'string' }), {
  minItems: 1,
  maxItems: 50,
  description: 'Types of the events that are sent. `*`: all types, future ones too.',
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
        description: '`requested`: by `webhooks.updateWebhook`; `failing`: nothing was delivered for three days.',
      }),
    ),
    failingSince: Type.Optional(Time('First failed attempt since the last delivery; absent if there was none.')),
    createdAt: Time('Creation.'),
    updatedAt: Type.Optional(Time('Last change by an operation; absent if there was none.')),
  },
  { ...closed, title: 'Webhook' },
);

/** Absent values are left out, never null. */
export function presentWebhook(webhook: Webhook): Static<typeof WebhookSchema> {
  const { id, url, types, disabledAt, disabledReason, failingSince, createdAt, updatedAt } = webhook;
  return {
    id,
    url,
    types: types ?? [ALL],
    enabled: disabledAt === null,
    ...(disabledAt !== null && { disabledAt }),
    ...(disabledReason !== null && { disabledReason }),
    ...(failingSince !== null && { failingSince }),
    createdAt,
    ...(updatedAt !== null && { updatedAt }),
  };
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

export const exampleSecret = 'whsec_bm90IGEgc2VjcmV0LCBqdXN0IGFuIGV4YW1wbGU6MzI=';
