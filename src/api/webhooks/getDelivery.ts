import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { DeliveryId, DeliverySchema, exampleDelivery, presentDelivery } from './present-delivery.ts';
import { exampleWebhook, WebhookId } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'read_webhook' } as const;

export const getDelivery = defineOperation({
  name: 'webhooks.getDelivery',
  summary: 'Get a delivery',
  description: "Retrieves a delivery with the body of the receiver's last response.",
  permission,
  request: Type.Object({ webhookId: WebhookId, deliveryId: DeliveryId }, closed),
  response: DeliverySchema,
  problems: ['data/webhook_not_found', 'data/delivery_not_found'],
  example: {
    request: { webhookId: exampleWebhook.id, deliveryId: exampleDelivery.id },
    response: presentDelivery(exampleDelivery),
  },
  async handle({ principal: { workspaceId, grants }, input }, { store }) {
    const { id } = masked(
      await store.findWebhook(workspaceId, input.webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
    const found = await store.findDelivery(workspaceId, id, input.deliveryId);
    return presentDelivery(masked(found, () => true, 'data/delivery_not_found'));
  },
});
