import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import {
  EventTypes,
  exampleWebhook,
  presentWebhook,
  ReceiverUrl,
  typesOf,
  urlOf,
  WebhookId,
  WebhookSchema,
} from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'update_webhook' } as const;

export const updateWebhook = defineOperation({
  name: 'webhooks.updateWebhook',
  summary: 'Change a webhook',
  description:
    'Changes what is given. Events that wait go to the new URL. While a webhook is disabled, those that wait keep waiting, and later events are not sent to it at all; once it is enabled, those that wait are sent at once.',
  permission,
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
  async handle({ principal, input, changes }, { store, clock, settings }) {
    const { workspaceId, grants } = principal;
    const { id } = masked(
      await store.findWebhook(workspaceId, input.webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
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
