import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { flattenedVerify } from 'jose/jws/flattened/verify';
import { AcmeProblem } from './problem.ts';

/** Signed requests, as a CA checks them (RFC 8555 section 6). */

export interface SignedRequest {
  /** Parsed; null: POST-as-GET. */
  payload: Record<string, unknown> | null;
  signer: { jwk: PublicJwk; thumbprint: string } | { accountUrl: string };
}

export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  y: string;
}

/** Single-use nonces. */
export function createNonces() {
  const fresh = new Set<string>();
  let refused = 0;
  return {
    create(): string {
      const nonce = randomBytes(16).toString('base64url');
      fresh.add(nonce);
      return nonce;
    },
    /** Rejects the next `count` nonces, also valid ones. */
    refuse(times: number) {
      refused = times;
    },
    use(nonce: unknown): void {
      const good = typeof nonce === 'string' && fresh.delete(nonce);
      if (good && refused === 0) return;
      if (good) refused -= 1;
      throw new AcmeProblem(400, 'badNonce', 'JWS has an invalid anti-replay nonce.');
    },
  };
}

/** Throws `AcmeProblem` for an invalid request. `keyOf`: the key of an account; throws for an unknown one. */
export async function verifyRequest(
  { body, contentType, url }: { body: string; contentType: string | undefined; url: string },
  { nonces, keyOf }: { nonces: ReturnType<typeof createNonces>; keyOf: (accountUrl: string) => PublicJwk },
): Promise<SignedRequest> {
  if (contentType !== 'application/jose+json') throw malformed('the body is no JWS');
  const jws = JSON.parse(body);
  const header = JSON.parse(Buffer.from(jws.protected, 'base64url').toString());
  const { alg, nonce, jwk, kid } = header;
  if (alg !== 'ES256') throw new AcmeProblem(400, 'badSignatureAlgorithm', 'only ES256 is known here');
  if (header.url !== url) throw new AcmeProblem(400, 'unauthorized', 'JWS header "url" is of another request');
  if ((jwk === undefined) === (kid === undefined)) throw malformed('JWS needs either "jwk" or "kid"');
  nonces.use(nonce);
  const publicJwk: PublicJwk = jwk ?? keyOf(kid);
  const { payload } = await flattenedVerify(jws, keyObject(publicJwk)).catch((error: unknown) => {
    throw malformed(`JWS verification error: ${error}`);
  });
  const text = Buffer.from(payload).toString();
  return {
    payload: text === '' ? null : JSON.parse(text),
    signer: jwk === undefined ? { accountUrl: kid } : { jwk, thumbprint: await calculateJwkThumbprint(jwk) },
  };
}

/** The new key of a change of keys (section 7.3.5). Throws `AcmeProblem`. */
export async function verifyKeyChange(
  inner: unknown,
  { accountUrl, oldKey, url }: { accountUrl: string; oldKey: PublicJwk; url: string },
): Promise<{ jwk: PublicJwk; thumbprint: string }> {
  const jws: { protected: string; payload: string; signature: string } = JSON.parse(JSON.stringify(inner));
  const { alg, jwk, nonce, ...header } = JSON.parse(Buffer.from(jws.protected, 'base64url').toString());
  if (alg !== 'ES256' || nonce !== undefined || header.url !== url) throw malformed('the inner JWS has a wrong header');
  const { payload } = await flattenedVerify(jws, keyObject(jwk)).catch(() => {
    throw malformed('the inner JWS is signed with another key');
  });
  const change: { account: string; oldKey: PublicJwk } = JSON.parse(Buffer.from(payload).toString());
  if (change.account !== accountUrl) throw malformed('the inner JWS is for another account');
  if (change.oldKey.x !== oldKey.x || change.oldKey.y !== oldKey.y) throw malformed('the old key is another one');
  return { jwk, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** Checks an external account binding (section 7.3.4). Throws `AcmeProblem`. */
export async function verifyBinding(
  binding: unknown,
  { jwk, url, secrets }: { jwk: PublicJwk; url: string; secrets: Record<string, string> },
): Promise<void> {
  const jws: { protected: string; payload: string; signature: string } = JSON.parse(JSON.stringify(binding ?? null));
  if (jws === null) throw new AcmeProblem(403, 'externalAccountRequired', 'an external account is required');
  const header = JSON.parse(Buffer.from(jws.protected, 'base64url').toString());
  const secret = secrets[header.kid];
  if (secret === undefined || header.alg !== 'HS256' || header.url !== url) {
    throw new AcmeProblem(403, 'unauthorized', 'the external account binding is for something else');
  }
  const { payload } = await flattenedVerify(jws, Buffer.from(secret, 'base64url')).catch(() => {
    throw new AcmeProblem(403, 'unauthorized', 'the external account binding is signed with another key');
  });
  const bound: PublicJwk = JSON.parse(Buffer.from(payload).toString());
  if (bound.x !== jwk.x || bound.y !== jwk.y) throw malformed('the external account binding is of another key');
}

function keyObject(jwk: PublicJwk): KeyObject {
  return createPublicKey({ key: { ...jwk }, format: 'jwk' });
}

function malformed(detail: string): AcmeProblem {
  return new AcmeProblem(400, 'malformed', detail);
}
