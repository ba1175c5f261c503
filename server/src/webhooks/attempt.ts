import { webhookBody } from '../domain/webhook-message.ts';
import { TooManyConnections } from '../net/origin-connections.ts';
import type { DueDelivery } from '../store/store.ts';
import type { OwnFailure } from './policy/own-failure.ts';
import type { SentRequest, WebhookSender } from './sender.ts';
import { signatureFields } from './signature.ts';

/** The result of an attempt. `dropped`: it was aborted, or not made since its lease might have expired. */
export type Attempt = { kind: 'made'; sent: SentRequest } | { kind: 'dropped' } | { kind: OwnFailure; cause: unknown };

interface AttemptOptions {
  sender: Pick<WebhookSender, 'send'>;
  /** A note on records of apex domains, as in `domains.getDomain`. */
  apexNote: string | undefined;
  /** When it is made (Unix ms). */
  at: number;
  signal: AbortSignal;
}

const FIELDS = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'nameplate' };

/** Signs and sends one delivery. Never rejects. */
export async function attemptDelivery(
  due: DueDelivery,
  { sender, apexNote, at, signal }: AttemptOptions,
): Promise<Attempt> {
  if (due.secrets.length === 0) return { kind: 'secret', cause: null };
  try {
    const body = webhookBody(due, apexNote);
    const secrets = due.secrets.map(({ secret }) => Buffer.from(secret).toString());
    const fields = { ...FIELDS, ...signatureFields({ id: due.eventId, body }, secrets, at) };
    return { kind: 'made', sent: await sender.send({ url: due.url, fields, body }, signal) };
  } catch (cause) {
    if (signal.aborted) return { kind: 'dropped' };
    return { kind: cause instanceof TooManyConnections ? 'busy' : 'error', cause };
  }
}
