import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { lacksPermission } from '../masking.ts';
import { defineList } from '../operation.ts';
import { closed, pageOf, pageRequest } from '../schemas.ts';
import { exampleWebhook, presentWebhook, WebhookSchema } from './present-webhook.ts';

const permission = { resource: 'webhook', action: 'read_webhook' } as const;

export const listWebhooks = defineList({
  name: 'webhooks.listWebhooks',
  summary: 'List the webhooks of the workspace',
  description: 'Webhooks in order of creation, one page at a time.',
  permission,
  onAll: true,
  request: Type.Object({ ...pageRequest }, closed),
  item: WebhookSchema,
  problems: ['authorization/insufficient_permissions'],
  example: { request: { limit: 10 }, items: [presentWebhook(exampleWebhook)] },
  async handle({ principal: { workspaceId, grants }, input }, { store }) {
    if (!permits(grants, permission)) throw lacksPermission(permission, true);
    const page = await store.listWebhooks(workspaceId, pageOf(input));
    return { ...page, items: page.items.map(presentWebhook) };
  },
});
