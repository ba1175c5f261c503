import { generateKeyPairSync } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { NewId } from '../base/ids.ts';
import type { AccessStore, SigningKey } from '../store/store.ts';
import { MAX_TOKEN_LIFE_MS, SKEW_MS } from './signed-token.ts';

/**
 * The keys that sign the tokens of dashboards and sessions: created at first use, and kept in the store so that every
 * node has them.
 */

interface SigningKeyDeps {
  store: Pick<AccessStore, 'findCurrentSigningKey' | 'replaceSigningKey'>;
  clock: Clock;
  newId: NewId;
}

/** The key that signs now; created when there is none. */
export async function currentSigningKey(deps: SigningKeyDeps): Promise<SigningKey> {
  const current = await deps.store.findCurrentSigningKey();
  if (current !== null) return current;
  const created = createSigningKey(deps);
  // Another process may have created one first.
  const outcome = await deps.store.replaceSigningKey(null, created, 0);
  return outcome === 'replaced' ? created : currentSigningKey(deps);
}

/**
 * Replaces the signing key. Tokens of the old one stay valid until they expire, unless `revoke` is set: then they are
 * refused within a second. Keys whose last token has expired are deleted.
 */
export async function rotateSigningKey(deps: SigningKeyDeps, { revoke }: { revoke: boolean }): Promise<SigningKey> {
  const current = await deps.store.findCurrentSigningKey();
  const created = createSigningKey(deps);
  const deleteRetiredBefore = revoke ? created.createdAt + 1 : created.createdAt - MAX_TOKEN_LIFE_MS - SKEW_MS;
  const outcome = await deps.store.replaceSigningKey(current?.id ?? null, created, deleteRetiredBefore);
  return outcome === 'replaced' ? created : rotateSigningKey(deps, { revoke });
}

function createSigningKey({ clock, newId }: SigningKeyDeps): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return { id: newId('sig'), publicKey, privateKey, createdAt: clock.now(), retiredAt: null };
}
