import { Webhook } from 'standardwebhooks';

interface SignedMessage {
  /** The same in every attempt of an event. */
  id: string;
  body: string;
}

/**
 * The header fields that identify and sign a request (Standard Webhooks 1.0.0, "Webhook headers (sending metadata to
 * consumers)"). `secrets`: `whsec_…`; during a rotation two, and a signature for each. `at`: of this attempt (Unix ms).
 */
export function signatureFields(
  { id, body }: SignedMessage,
  secrets: readonly string[],
  at: number,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const date = new Date(at);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, date, body)).join(' '),
  };
}
