import type { NewId } from '../../ids.ts';
import { SealingUnavailable, type WebhookSecret } from '../../store/contract/store.ts';
import { Problem } from '../errors.ts';

/** Between 24 and 64, as Standard Webhooks demands. */
const SECRET_BYTES = 32;

/** A secret in the form of Standard Webhooks: `whsec_`, then random bytes in base64. `text` is shown once. */
export function newWebhookSecret(
  newId: NewId,
  randomBytes: (bytes: number) => Uint8Array,
  createdAt: number,
): { text: string; secret: WebhookSecret } {
  const text = `whsec_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;
  return { text, secret: { id: newId('whs'), secret: new TextEncoder().encode(text), createdAt } };
}

/** Runs a write that stores a secret. */
export async function storingSecret<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof SealingUnavailable) throw new Problem('application/sealing_unavailable', { cause: error });
    throw error;
  }
}
