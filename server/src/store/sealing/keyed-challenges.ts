import { randomBytes } from 'node:crypto';
import type { Keyring } from './keyring.ts';

/**
 * Challenges that are not stored: the response is made from the name and the token with a sealing key, which all edges of an installation have and nobody
 * else. The token says which key, so that keys can be rotated.
 */

/** Base64url of the prefix of the key, and of 24 random bytes. */
const TOKEN = /^np-([\w-]{12})[\w-]{32}$/;

/** A new challenge for a name. Throws `SealingError` where there is no key. */
export function createKeyedChallenge(keyring: Keyring, hostname: string): { token: string; response: string } {
  const token = `np-${Buffer.concat([keyring.prefix(), randomBytes(24)]).toString('base64url')}`;
  const response = respondToKeyed(keyring, hostname, token);
  if (response === null) throw new Error('the first key is not in its own keyring');
  return { token, response };
}

/** The response to a challenge of `createKeyedChallenge`; null: it is none, or its key is not in the keyring. */
export function respondToKeyed(keyring: Keyring, hostname: string, token: string): string | null {
  const prefix = TOKEN.exec(token)?.[1];
  if (prefix === undefined) return null;
  const code = keyring.authenticate(`look ${hostname} ${token}`, Buffer.from(prefix, 'base64url'));
  return code && `${token}.${Buffer.from(code).toString('base64url')}`;
}
