import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id } from '../schemas.ts';
import { DELIVERIES_ON_REQUEST, exampleDelivery } from './present-delivery.ts';
import { exampleWebhook, WebhookId } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'update_webhook' } as const;

export const sendTest = defineOperation({
  name: 'webhooks.sendTest',
  summary: 'Send a test event',
  description:
    'Sends an event of the type `webhook.test` within seconds, whatever the webhook subscribes to; it is not repeated if it fails. webhooks.getDelivery says what the receiver responded. A workspace may send 60 a minute unless the operator sets another limit.',
  permission,
  rateLimit: DELIVERIES_ON_REQUEST,
  request: Type.Object({ webhookId: WebhookId }, closed),
  response: Type.Object({ deliveryId: Id('dlv', 'The delivery.') }, closed),
  problems: ['data/webhook_not_found', 'application/webhook_disabled'],
  example: { request: { webhookId: exampleWebhook.id }, response: { deliveryId: exampleDelivery.id } },
  async handle({ principal: { workspaceId, grants }, input: { webhookId }, changes }, { store, clock }) {
    const { id } = masked(
      await store.findWebhook(workspaceId, webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
    const added = await changes.addTestDelivery(workspaceId, id, clock.now());
    if (added.kind === 'missing') throw new Problem('data/webhook_not_found');
    if (added.kind === 'disabled') throw new Problem('application/webhook_disabled');
    return { deliveryId: added.deliveryId };
  },
});
