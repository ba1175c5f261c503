import { hashSecret, secretForm } from './secret-text.ts';

/** The secrets of dashboard sessions: `npd_` is that of a link, which works once; `npc_` that of a cookie. See `secretForm`. */
const LINK = secretForm('npd_');
const COOKIE = secretForm('npc_');

interface NewSecret {
  text: string;
  /** SHA-256, which alone is stored: 32 bytes. */
  hash: Uint8Array;
}

type RandomBytes = (bytes: number) => Uint8Array;

/** `randomBytes` must be a CSPRNG. */
export const createLinkSecret = (randomBytes: RandomBytes): NewSecret => withHash(LINK.create(randomBytes));
export const createCookieSecret = (randomBytes: RandomBytes): NewSecret => withHash(COOKIE.create(randomBytes));

/** The hash of a text that has the form of such a secret, existing or not; null: it has not. */
export const hashOfLink = (text: string): Uint8Array | null => (LINK.matches(text) ? withHash(text).hash : null);
export const hashOfCookie = (text: string): Uint8Array | null => (COOKIE.matches(text) ? withHash(text).hash : null);

function withHash(text: string): NewSecret {
  return { text, hash: Buffer.from(hashSecret(text), 'hex') };
}
