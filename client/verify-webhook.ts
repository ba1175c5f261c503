import type { WebhookEvent } from './api-types.ts';

/** The receiver of webhooks: `import { verifyWebhook } from '@nameplate/client/webhooks'`. It needs Web Crypto alone. */

export type { WebhookEvent };

/** A request to a receiver of webhooks. */
export interface SignedRequest {
  /** The body as it came: parsing and writing JSON again changes bytes. */
  body: string | Uint8Array;
  /** The header fields: a `Headers` object, or the `headers` of Node's requests. */
  headers: { get(name: string): string | null } | Record<string, string | string[] | undefined>;
  /** The secret of the webhook, `whsec_…`. */
  secret: string;
  /** In place of the clock: Unix time in milliseconds. */
  now?: number;
}

/**
 * No text has this type, so a `switch` over `event.type` tells unknown events from known ones, and narrows `event.data`.
 */
declare enum UnknownType {
  unknown = '',
}

/** An event of a later release: of a type that this version of the client does not know. */
export interface UnknownEvent {
  type: UnknownType;
  timestamp: string;
  data: Record<string, unknown>;
}

/** A request that no webhook with this secret sent within the last five minutes; the message says why. */
export class UnverifiedWebhook extends Error {
  override name = 'UnverifiedWebhook';
}

/** Receivers refuse older requests, so that nobody can repeat one (Standard Webhooks 1.0.0, "Verifying signatures"). */
const TOLERANCE_SECONDS = 300;

/**
 * Resolves with the event, if the request was signed with the secret. Rejects with `UnverifiedWebhook`: answer 400 then.
 * Throws a `TypeError` where `secret` is none. An event may come twice: the header field `webhook-id` is the same then.
 */
export async function verifyWebhook({
  body,
  headers,
  secret,
  now = Date.now(),
}: SignedRequest): Promise<WebhookEvent | UnknownEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new UnverifiedWebhook('The request has no signature');
  const ageSeconds = now / 1000 - Number(timestamp);
  if (!(Math.abs(ageSeconds) <= TOLERANCE_SECONDS))
    throw new UnverifiedWebhook('The request is older than five minutes, or the clock is wrong');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await hmacKey(secret);
  for (const signature of signatures.split(' ')) {
    const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice('v1,'.length)) : null;
    // In constant time.
    if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return JSON.parse(text);
  }
  throw new UnverifiedWebhook('The signature is not of this secret and body');
}

function headerOf(headers: SignedRequest['headers'], name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : undefined;
}

/** Throws where the text is no secret of a webhook. */
function hmacKey(secret: string) {
  const bytes = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : null;
  if (bytes === null) throw new TypeError('The secret of a webhook is "whsec_" and Base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Null where the text is no Base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
