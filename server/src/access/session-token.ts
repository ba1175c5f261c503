import type { SetupLink, SigningKey } from '../store/store.ts';
import { MAX_TOKEN_LIFE_MS, sign, type TokenKind, typeOf, type VerifySignature } from './signed-token.ts';

/**
 * Session tokens: short-lived JWTs for which the token of a set-up link is exchanged. Each is bound to its link, and to
 * the one domain of the link.
 */
const KIND: TokenKind = {
  typ: 'nameplate-setup+jwt',
  issuer: 'nameplate-setup',
  audience: 'nameplate-setup',
  claims: ['workspaceId', 'domainId'],
};

type Binding = Pick<SetupLink, 'id' | 'workspaceId' | 'domainId'>;

/** Signs a token of the longest life. */
export function signSession(
  key: Pick<SigningKey, 'id' | 'privateKey'>,
  { id, workspaceId, domainId }: Binding,
  now: number,
): Promise<{ token: string; expiresAt: number }> {
  return sign(key, KIND, { sub: id, workspaceId, domainId }, { now, lifeMs: MAX_TOKEN_LIFE_MS });
}

/** Whether a token says that it is one of a session. */
export function isSessionToken(token: string): boolean {
  return typeOf(token) === KIND.typ;
}

export interface VerifiedSession {
  link: Binding;
  /** The token is refused from this time on, Unix ms. */
  expiresAt: number;
}

/**
 * Null when the token is forged, expired, of another kind, or not signed by a key of ours. Rejects with
 * `StoreUnavailable`.
 */
export async function verifySession(token: string, verifySignature: VerifySignature): Promise<VerifiedSession | null> {
  const verified = await verifySignature(token, KIND);
  if (verified === null) return null;
  const { sub, workspaceId, domainId } = verified.claims;
  if (typeof workspaceId !== 'string' || typeof domainId !== 'string') return null;
  return { link: { id: sub, workspaceId, domainId }, expiresAt: verified.expiresAt };
}
