import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty } from '../schemas.ts';
import { exampleWebhook, WebhookId } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'delete_webhook' } as const;

export const deleteWebhook = defineOperation({
  name: 'webhooks.deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Deletes the webhook with its secrets. Events that wait are not sent; a request in flight is finished.',
  permission,
  request: Type.Object({ webhookId: WebhookId }, closed),
  response: Empty,
  problems: ['data/webhook_not_found'],
  example: { request: { webhookId: exampleWebhook.id }, response: {} },
  async handle({ principal: { workspaceId, grants }, input: { webhookId }, changes }, { store }) {
    const { id } = masked(
      await store.findWebhook(workspaceId, webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
    if ((await changes.deleteWebhook(workspaceId, id)) === 'missing') throw new Problem('data/webhook_not_found');
    return {};
  },
});
