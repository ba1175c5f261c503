import Type from 'typebox';
import { permits } from '../../access/permissions.ts';
import { Problem } from '../errors.ts';
import { masked } from '../masking.ts';
import { defineOperation } from '../operation.ts';
import { closed, Time } from '../schemas.ts';
import { exampleSecret, exampleWebhook, WebhookId } from './present-webhook.ts';
import { newWebhookSecret, storingSecret } from './webhook-secret.ts';

const permission = { resource: 'webhook', action: 'update_webhook' } as const;

const DAY_SECONDS = 86_400;

export const rotateSecret = defineOperation({
  name: 'webhooks.rotateSecret',
  summary: 'Rotate the secret of a webhook',
  description:
    'Returns a new secret, this once. Requests are signed with both secrets until the previous one expires; one that a rotation before has replaced expires at once.',
  permission,
  request: Type.Object(
    {
      webhookId: WebhookId,
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 7 * DAY_SECONDS,
          description: 'How long the previous secret also signs; a day if absent. 0 if it has leaked.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object(
    {
      secret: Type.String({ description: 'The new secret. Begins with `whsec_`.' }),
      previousExpiresAt: Time('Until when the previous secret also signs.'),
    },
    closed,
  ),
  problems: ['data/webhook_not_found', 'application/sealing_unavailable'],
  example: {
    request: { webhookId: exampleWebhook.id },
    response: { secret: exampleSecret, previousExpiresAt: exampleWebhook.createdAt + DAY_SECONDS * 1000 },
  },
  async handle({ principal: { workspaceId, grants }, input, changes }, { store, clock, newId, randomBytes }) {
    const { id } = masked(
      await store.findWebhook(workspaceId, input.webhookId),
      (found) => permits(grants, permission, found.id),
      'data/webhook_not_found',
    );
    const { text, secret } = newWebhookSecret(newId, randomBytes, clock.now());
    const previousExpiresAt = secret.createdAt + (input.overlapSeconds ?? DAY_SECONDS) * 1000;
    const rotated = await storingSecret(() => changes.rotateWebhookSecret(workspaceId, id, secret, previousExpiresAt));
    if (rotated === 'missing') throw new Problem('data/webhook_not_found');
    return { secret: text, previousExpiresAt };
  },
});
