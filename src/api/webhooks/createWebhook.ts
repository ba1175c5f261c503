import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { lacksPermission } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Id } from '../schemas.ts';
import { EventTypes, exampleSecret, exampleWebhook, ReceiverUrl, typesOf, urlOf } from './present-webhook.ts';
import { newWebhookSecret, storingSecret } from './webhook-secret.ts';

const permission = { resource: 'webhook', action: 'create_webhook' } as const;

export const createWebhook = defineOperation({
  name: 'webhooks.createWebhook',
  summary: 'Create a webhook',
  description:
    'From now on, events of all domains of the workspace are sent to the URL, signed with the secret, which is shown this once. The permission lets its holder read these domains.',
  permission,
  onAll: true,
  creates: 'secret',
  request: Type.Object({ url: ReceiverUrl, types: Type.Optional(EventTypes) }, closed),
  response: Type.Object(
    {
      webhookId: Id('wh', 'The new webhook.'),
      secret: Type.String({ description: 'By which receivers verify signatures. Begins with `whsec_`.' }),
    },
    closed,
  ),
  problems: [
    'authorization/insufficient_permissions',
    'limits/webhook_limit_exceeded',
    'application/sealing_unavailable',
  ],
  example: {
    request: { url: exampleWebhook.url, types: exampleWebhook.types ?? [] },
    response: { webhookId: exampleWebhook.id, secret: exampleSecret },
  },
  async handle({ principal, input, create }, { clock, newId, randomBytes, settings: { webhooks } }) {
    const { workspaceId, grants } = principal;
    if (!permits(grants, permission)) throw lacksPermission(permission, true);
    const { text, secret } = newWebhookSecret(newId, randomBytes, clock.now());
    const webhook = {
      id: newId('wh'),
      workspaceId,
      url: urlOf(input.url, webhooks),
      types: typesOf(input.types ?? ['*']),
      createdAt: secret.createdAt,
      updatedAt: null,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    };
    const shown = { webhookId: webhook.id, secret: text };
    const { made, outcome } = await storingSecret(() =>
      create(shown, (changes) => changes.createWebhook(webhook, secret, webhooks.perWorkspace)),
    );
    if (outcome === 'limit') throw new Problem('limits/webhook_limit_exceeded');
    return made;
  },
});
