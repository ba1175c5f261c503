import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { exampleWebhook, presentWebhook, WebhookId, WebhookSchema } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'read_webhook' } as const;

export const getWebhook = defineOperation({
  name: 'webhooks.getWebhook',
  summary: 'Get a webhook',
  description: 'Retrieves a webhook, without its secret.',
  permission,
  request: Type.Object({ webhookId: WebhookId }, closed),
  response: WebhookSchema,
  problems: ['data/webhook_not_found'],
  example: { request: { webhookId: exampleWebhook.id }, response: presentWebhook(exampleWebhook) },
  async handle({ principal: { workspaceId, grants }, input: { webhookId } }, { store }) {
    const webhook = masked(
      await store.findWebhook(workspaceId, webhookId),
      ({ id }) => permits(grants, permission, id),
      'data/webhook_not_found',
    );
    return presentWebhook(webhook);
  },
});
