import type { SigningKey } from '../store/store.ts';
import { sign, type TokenKind, type VerifySignature } from './signed-token.ts';

/** Dashboard tokens: short-lived JWTs of a person in a workspace (spec: Authentication, 2). */
export interface Claims {
  /** The person. */
  sub: string;
  workspaceId: string;
  /** Grants, as of a root key. */
  permissions: string[];
  /** The root key that made the token, which works no longer than the key; absent: another one did. */
  keyId?: string | undefined;
  /** The session of our own dashboard that got the token, which works no longer than the session. */
  sessionId?: string | undefined;
}

const KIND: TokenKind = {
  typ: 'JWT',
  issuer: 'nameplate-dashboard',
  audience: 'nameplate-api',
  claims: ['workspaceId', 'permissions'],
};

/** Limits: as for `sign`. */
export function signToken(
  key: Pick<SigningKey, 'id' | 'privateKey'>,
  claims: Claims,
  life: { now: number; lifeMs: number },
): Promise<{ token: string; expiresAt: number }> {
  return sign(key, KIND, { ...claims }, life);
}

export interface TokenVerifier {
  /**
   * Resolves with null when the token is forged, expired, for another audience, or not signed by a key of ours. Rejects
   * with `StoreUnavailable`.
   */
  verify(token: string): Promise<VerifiedClaims | null>;
}

interface VerifiedClaims extends Claims {
  /** The token is refused from this time on, Unix ms. */
  expiresAt: number;
}

export function createTokenVerifier(verifySignature: VerifySignature): TokenVerifier {
  return {
    async verify(token) {
      const verified = await verifySignature(token, KIND);
      if (verified === null) return null;
      const { sub, workspaceId, permissions, keyId, sessionId } = verified.claims;
      if (typeof workspaceId !== 'string') return null;
      if (keyId !== undefined && typeof keyId !== 'string') return null;
      if (sessionId !== undefined && typeof sessionId !== 'string') return null;
      if (!Array.isArray(permissions) || !permissions.every((each) => typeof each === 'string')) return null;
      return { sub, workspaceId, permissions, keyId, sessionId, expiresAt: verified.expiresAt };
    },
  };
}
