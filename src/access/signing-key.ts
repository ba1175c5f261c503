import { generateKeyPairSync } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { NewId } from '../ids.ts';
import type { AccessStore, SigningKey } from '../store/contract/store.ts';
import { LONGEST_LIFE_MS, SKEW_MS } from './dashboard-token.ts';

/** The keys that sign dashboard tokens: made at first use, replaced at will, kept in the store so that every node has them. */

interface Parts {
  store: Pick<AccessStore, 'findCurrentSigningKey' | 'replaceSigningKey'>;
  clock: Clock;
  newId: NewId;
}

/** The key that signs now, made where there is none. */
export async function currentSigningKey(parts: Parts): Promise<SigningKey> {
  const current = await parts.store.findCurrentSigningKey();
  if (current !== null) return current;
  const made = createSigningKey(parts);
  // Whoever was faster has made one.
  const outcome = await parts.store.replaceSigningKey(null, made, 0);
  return outcome === 'replaced' ? made : currentSigningKey(parts);
}

/**
 * Makes a new key sign from now on. Tokens of the one before are good until they expire, unless `revoke` is set: then they are refused
 * within a second. Keys whose last token has expired are deleted.
 */
export async function rotateSigningKey(parts: Parts, { revoke }: { revoke: boolean }): Promise<SigningKey> {
  const current = await parts.store.findCurrentSigningKey();
  const made = createSigningKey(parts);
  const forgetRetiredBefore = revoke ? made.createdAt + 1 : made.createdAt - LONGEST_LIFE_MS - SKEW_MS;
  const outcome = await parts.store.replaceSigningKey(current?.id ?? null, made, forgetRetiredBefore);
  return outcome === 'replaced' ? made : rotateSigningKey(parts, { revoke });
}

function createSigningKey({ clock, newId }: Parts): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return { id: newId('sig'), publicKey, privateKey, createdAt: clock.now(), retiredAt: null };
}
