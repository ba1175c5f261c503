import type { SetupLink } from '../store/store.ts';
import { hashSecret, secretForm } from './secret-text.ts';

/**
 * The token of a set-up link: `nps_` and 39 characters, see `secretForm`. Whoever has it can open sessions for one
 * domain.
 */
const FORM = secretForm('nps_');

export const SETUP_TOKEN_LENGTH = FORM.length;

/** A token of 24 bytes from `randomBytes`, which must be a CSPRNG, and its SHA-256, which alone is stored. */
export function createSetupToken(randomBytes: (bytes: number) => Uint8Array): { token: string; hash: Uint8Array } {
  const token = FORM.create(randomBytes);
  return { token, hash: hashSetupToken(token) };
}

/** Whether a text has the form and the checksum of a token, existing or not. */
export function isSetupToken(text: string): boolean {
  return FORM.matches(text);
}

/** SHA-256: 32 bytes. */
export function hashSetupToken(token: string): Uint8Array {
  return Buffer.from(hashSecret(token), 'hex');
}

export type SetupLinkErrorCode =
  | 'authentication/setup_link_not_found'
  | 'authentication/setup_link_expired'
  | 'authentication/setup_link_revoked';

/** Why a link, as the store has it, opens nothing; null: it does. */
export function setupLinkError(link: SetupLink, now: number): SetupLinkErrorCode | null {
  if (link.revokedAt !== null) return 'authentication/setup_link_revoked';
  return link.expiresAt <= now ? 'authentication/setup_link_expired' : null;
}
