import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id } from '../schemas.ts';
import { DELIVERIES_ON_REQUEST, DeliveryId, exampleDelivery } from './present-delivery.ts';
import { exampleWebhook, WebhookId } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'update_webhook' } as const;

export const redeliver = defineOperation({
  name: 'webhooks.redeliver',
  summary: 'Send an event again',
  description:
    'Sends the event of a delivery again, with the same `webhook-id` and the same content, as a delivery of its own that waits for no other. If the delivery still waits, it is attempted at once instead, or the earlier one of its domain for which it waits. A workspace may ask for 60 a minute unless the operator sets another limit.',
  permission,
  rateLimit: DELIVERIES_ON_REQUEST,
  request: Type.Object({ webhookId: WebhookId, deliveryId: DeliveryId }, closed),
  response: Type.Object({ deliveryId: Id('dlv', 'The delivery that is due now.') }, closed),
  problems: ['data/webhook_not_found', 'data/delivery_not_found', 'application/webhook_disabled'],
  example: {
    request: { webhookId: exampleWebhook.id, deliveryId: exampleDelivery.id },
    response: { deliveryId: 'dlv_01kaghs5t6v7w8x9y0z1a2b3c4' },
  },
  async handle({ principal: { workspaceId, grants }, input, changes }, { store, clock }) {
    const { id } = masked(
      await store.findWebhook(workspaceId, input.webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
    const added = await changes.redeliver(workspaceId, id, input.deliveryId, clock.now());
    if (added.kind === 'missing') throw new Problem('data/delivery_not_found');
    if (added.kind === 'disabled') throw new Problem('application/webhook_disabled');
    return { deliveryId: added.deliveryId };
  },
});
