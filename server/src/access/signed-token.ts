import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../base/clock.ts';
import { createLoadingCache } from '../store/cache/cache.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { AccessStore, SigningKey } from '../store/store.ts';

/** No token of a dashboard or a session is valid for longer, whatever its `exp`. */
export const MAX_TOKEN_LIFE_MS = 120_000;
/** How far the clock of the signing node may be ahead. It adds nothing to the life of a token. */
export const SKEW_MS = 5_000;

/**
 * Short-lived JWTs (RFC 7519) that the server signs with its own Ed25519 key (`alg` EdDSA, RFC 8037), whose id is the
 * `kid`. Those of one kind are never valid as another: type, issuer and audience differ (RFC 8725 section 3.11).
 */
export interface TokenKind {
  typ: string;
  issuer: string;
  audience: string;
  /** Claims of this kind alone. */
  claims: readonly string[];
}

const ALGORITHM = 'EdDSA';

/** Longer texts are not parsed. */
export const MAX_TOKEN_LENGTH = 4096;

/** A token with an empty signature is forged, not malformed. */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const KEY_ID = /^sig_[0-9a-z]{26}$/;

/** Whether a text has the form of a token, valid or not. */
export function isToken(text: string): boolean {
  return text.length <= MAX_TOKEN_LENGTH && FORM.test(text);
}

/** The `typ` that a token claims to have, in lower case. */
export function typeOf(token: string): string {
  try {
    const { typ } = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString());
    return String(typ).toLowerCase();
  } catch {
    return '';
  }
}

/**
 * Signs a token that is valid for `lifeMs`, in whole seconds. Throws `RangeError` for a life or length that would be
 * refused.
 */
export async function sign(
  { id, privateKey }: Pick<SigningKey, 'id' | 'privateKey'>,
  { typ, issuer, audience }: TokenKind,
  { sub, ...claims }: { sub: string } & Record<string, unknown>,
  { now, lifeMs }: { now: number; lifeMs: number },
): Promise<{ token: string; expiresAt: number }> {
  if (lifeMs < 1000 || lifeMs > MAX_TOKEN_LIFE_MS) throw new RangeError('a token is valid for 1 to 120 seconds');
  const issuedAt = Math.floor(now / 1000);
  const expiresAt = issuedAt + Math.floor(lifeMs / 1000);
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: ALGORITHM, typ, kid: id })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }));
  if (token.length > MAX_TOKEN_LENGTH) throw new RangeError('the token would be too long: name fewer permissions');
  return { token, expiresAt: expiresAt * 1000 };
}

interface VerifiedPayload {
  claims: { sub: string } & Record<string, unknown>;
  /** The token is refused from this time on, Unix ms. */
  expiresAt: number;
}

/**
 * Null when the token is forged, expired, of another kind, or not signed by a key of ours. Rejects with
 * `StoreUnavailable`.
 */
export type VerifySignature = (token: string, kind: TokenKind) => Promise<VerifiedPayload | null>;

interface Signer {
  publicKey: KeyObject;
  retiredAt: number | null;
}

/** Most signing keys cached, negative entries included. */
const SIGNERS = 1000;

/** Verifies tokens by the signing keys of the store, which it caches. */
export function signatureVerifier(
  store: Pick<AccessStore, 'findSigningKey'>,
  clock: Clock,
  changes: ChangeFeed | undefined,
): VerifySignature {
  const signers = createLoadingCache<Signer>({
    changes,
    capacity: SIGNERS,
    async read(id) {
      const key = await store.findSigningKey(id);
      return key === null ? null : { publicKey: toPublicKey(key), retiredAt: key.retiredAt };
    },
    keysOf: ({ kind, key }) => (kind === 'signing_key' ? [key] : []),
  });

  async function findSigner(kid: unknown): Promise<Signer> {
    if (typeof kid !== 'string' || !KEY_ID.test(kid)) throw new JWKSNoMatchingKey();
    const found = await signers.load(kid);
    if (found === null) throw new JWKSNoMatchingKey();
    return found;
  }

  return async (token, { typ, issuer, audience, claims }) => {
    let signer: Signer | undefined;
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          signer = await findSigner(kid);
          return signer.publicKey;
        },
        {
          algorithms: [ALGORITHM],
          ...{ typ, issuer, audience },
          requiredClaims: ['exp', 'sub', ...claims],
          maxTokenAge: MAX_TOKEN_LIFE_MS / 1000,
          clockTolerance: SKEW_MS / 1000,
          currentDate: new Date(clock.now()),
        },
      );
      return checkLife(payload, clock.now(), signer?.retiredAt ?? null);
    } catch (error) {
      // jose's errors mean a bad token; any other is ours, such as a store that is down.
      if (error instanceof JOSEError) return null;
      throw error;
    }
  };
}

/**
 * Checks what jose does not: the clock tolerance must not extend a token's life, and a retired key must not sign new
 * tokens.
 */
function checkLife(payload: Record<string, unknown>, now: number, retiredAt: number | null): VerifiedPayload | null {
  const { iat, exp, sub } = payload;
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof sub !== 'string') return null;
  const expiresAt = Math.min(exp * 1000, iat * 1000 + MAX_TOKEN_LIFE_MS);
  if (expiresAt <= now || (exp - iat) * 1000 > MAX_TOKEN_LIFE_MS) return null;
  if (retiredAt !== null && iat * 1000 > retiredAt + SKEW_MS) return null;
  return { claims: { ...payload, sub }, expiresAt };
}

function toPublicKey({ publicKey }: SigningKey): KeyObject {
  return createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
}
