import { eventSchemas } from '../webhooks/event-schemas.ts';
import type { ApiDocument, JsonSchema } from './api-document.ts';
import { JSON_TYPE } from './api-document.ts';
import { refer, referTo } from './components.ts';

/**
 * The request that the server sends to a webhook. One URL gets the events of all types, so there is one entry, whose
 * body is the union of all events, told apart by `type`.
 */
export function describeWebhooks(components: Map<string, JsonSchema>): ApiDocument['webhooks'] {
  const events = [...eventSchemas].map(([type, schema]) => ({ type, reference: refer(schema, components) }));
  components.set('WebhookEvent', {
    description: 'Body of a request to a webhook. More types may be added: ignore those that you do not know.',
    oneOf: events.map(({ reference }) => reference),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(events.map(({ type, reference }) => [type, reference.$ref])),
    },
  });
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        tags: ['webhooks'],
        summary: 'Receive an event',
        description:
          'Nameplate sends events to the URL of a webhook, signed according to [Standard Webhooks](https://www.standardwebhooks.com). Verify the signature over the body exactly as you received it. Nameplate retries an event until it is delivered, for at most three days. It can arrive more than once, each time with the same `webhook-id`.',
        security: [],
        parameters: Object.values(referTo('parameters', ['webhook-id', 'webhook-timestamp', 'webhook-signature'])),
        requestBody: {
          required: true,
          content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
        },
        responses: { '2XX': { description: 'Delivered. Any other status, or none within ten seconds, is a failure.' } },
      },
    },
  };
}
