import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { masked } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest } from '../schemas.ts';
import { DeliverySchema, exampleDelivery, presentDelivery, STATES } from './present-delivery.ts';
import { exampleWebhook, WebhookId } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'read_webhook' } as const;

export const listDeliveries = defineList({
  name: 'webhooks.listDeliveries',
  summary: 'List the deliveries of a webhook',
  description:
    'Deliveries, newest first, one page at a time: those that wait, and what became of the others. A page takes the same time however many there are. They are kept for 14 days unless the operator sets another time.',
  permission,
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
  async handle({ principal: { workspaceId, grants }, input }, { store }) {
    const { id } = masked(
      await store.findWebhook(workspaceId, input.webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
    const page = await store.listDeliveries(workspaceId, id, { ...pageOf(input), state: input.state });
    return { ...page, items: page.items.map(presentDelivery) };
  },
});
