/** The receiver of webhooks: `import { verifyWebhook } from '@nameplate/client/webhooks'`. It needs Web Crypto alone. */
export type { WebhookEvent } from './api-types.ts';
export {
  type SignedRequest,
  type UnknownEvent,
  UnverifiedWebhook,
  verifyWebhook,
} from './verify-webhook.ts';
