import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { createLoadingCache } from '../cache/cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { AccessStore, SigningKey } from '../store/contract/store.ts';

/**
 * Dashboard tokens: short-lived JWTs (RFC 7519) that speak for a person in a workspace (spec: Authentication, 2). Signed with Ed25519
 * (`alg` EdDSA, RFC 8037) by a key of the server's own, whose id is the `kid`.
 */
export interface Claims {
  /** Whom the token speaks for. */
  sub: string;
  workspaceId: string;
  /** As those of a root key, see `permissions`. */
  permissions: string[];
}

const ALGORITHM = 'EdDSA';
const ISSUER = 'nameplate-dashboard';
const AUDIENCE = 'nameplate-api';

/** No token is good for longer, whatever it says. */
export const LONGEST_LIFE_MS = 120_000;
/** How far the clock of the node that signed may be ahead. Nothing is added to the life of a token. */
export const SKEW_MS = 5_000;
/** Longer texts are no tokens and are not looked at. */
export const LONGEST_TOKEN = 4096;

/** A signature may be empty: such a token is a forged one, not a text of another form. */
const FORM = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const KEY_ID = /^sig_[0-9a-z]{26}$/;

/** Whether a text has a token's form. Says nothing about whether the token is good. */
export function isToken(text: string): boolean {
  return text.length <= LONGEST_TOKEN && FORM.test(text);
}

/** Signs a token that is good for `lifeMs`, in whole seconds. Throws `RangeError` for a life or a token that would be refused. */
export async function mintToken(
  { id, privateKey }: Pick<SigningKey, 'id' | 'privateKey'>,
  { sub, workspaceId, permissions }: Claims,
  { now, lifeMs }: { now: number; lifeMs: number },
): Promise<{ token: string; expiresAt: number }> {
  if (lifeMs < 1000 || lifeMs > LONGEST_LIFE_MS) throw new RangeError('a token lives for 1 to 120 seconds');
  const issuedAt = Math.floor(now / 1000);
  const expiresAt = issuedAt + Math.floor(lifeMs / 1000);
  const token = await new SignJWT({ workspaceId, permissions })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' }));
  if (token.length > LONGEST_TOKEN) throw new RangeError('the token would be too long: name fewer permissions');
  return { token, expiresAt: expiresAt * 1000 };
}

/** Reads tokens. */
export interface TokenReader {
  /** What a token says; null when it is forged, expired, meant for others, or signed by no key of ours. Rejects with `StoreUnavailable`. */
  read(token: string): Promise<Claims | null>;
}

interface Signer {
  publicKey: KeyObject;
  retiredAt: number | null;
}

/** More than are ever in use at once; unknown ones count too. */
const SIGNERS = 1000;

/** Reads tokens with the signing keys of the store, which it caches. */
export function tokenReader(
  store: Pick<AccessStore, 'findSigningKey'>,
  clock: Clock,
  changes: ChangeFeed | undefined,
): TokenReader {
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

  return {
    async read(token) {
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
            typ: 'JWT',
            issuer: ISSUER,
            audience: AUDIENCE,
            requiredClaims: ['exp', 'sub', 'workspaceId', 'permissions'],
            maxTokenAge: LONGEST_LIFE_MS / 1000,
            clockTolerance: SKEW_MS / 1000,
            currentDate: new Date(clock.now()),
          },
        );
        return toClaims(payload, clock.now(), signer?.retiredAt ?? null);
      } catch (error) {
        // What jose refuses is a bad token; anything else is ours, such as a store that is away.
        if (error instanceof JOSEError) return null;
        throw error;
      }
    },
  };
}

/** What jose's checks leave open: the tolerance lengthens no life, and a retired key signs nothing new. */
function toClaims(payload: Record<string, unknown>, now: number, retiredAt: number | null): Claims | null {
  const { iat, exp, sub, workspaceId, permissions } = payload;
  if (typeof iat !== 'number' || typeof exp !== 'number') return null;
  if (exp * 1000 <= now || iat * 1000 + LONGEST_LIFE_MS <= now || (exp - iat) * 1000 > LONGEST_LIFE_MS) return null;
  if (retiredAt !== null && iat * 1000 > retiredAt + SKEW_MS) return null;
  if (typeof sub !== 'string' || typeof workspaceId !== 'string') return null;
  if (!Array.isArray(permissions) || !permissions.every((each) => typeof each === 'string')) return null;
  return { sub, workspaceId, permissions };
}

function toPublicKey({ publicKey }: SigningKey): KeyObject {
  return createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
}
