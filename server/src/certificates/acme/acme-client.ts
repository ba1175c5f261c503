import { createPublicKey, type KeyObject } from 'node:crypto';
import { FlattenedSign } from 'jose/jws/flattened/sign';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { CaProblem } from '../issuer.ts';
import type { CaResponse, CaTransport } from './ca-transport.ts';
import { AcmeError, acmeErrorOf, parseJson } from './problem-document.ts';
import { type Directory, type ResourceReader, resourceReader } from './resources.ts';

/** Signed requests to a CA (RFC 8555 section 6): directory, nonces, errors. */
export interface AcmeClient {
  /** Host and port of the directory, for messages. */
  readonly host: string;
  readonly read: ResourceReader;
  directory(): Promise<Directory>;
  /** Unsigned: for ARI. */
  get(url: string): Promise<AcmeResponse>;
  /** `payload` null: POST-as-GET (section 6.3). Rejects with `AcmeError` for a status other than 2xx. */
  post(signer: Signer, url: string, payload: object | null, signal?: AbortSignal): Promise<AcmeResponse>;
}

/** Signs a request; `accountUrl` null: with the public key in place of the account (section 6.2). */
export interface Signer {
  key: KeyObject;
  accountUrl: string | null;
}

export interface AcmeResponse {
  /** Undefined: not JSON. */
  json: unknown;
  text: string;
  location: string | undefined;
  /** URLs of the links with `rel="alternate"` (section 7.4.2), resolved against that of the request. */
  alternates: string[];
  /** Milliseconds from now. */
  retryAfterMs: number | null;
}

/** A CA changes it rarely. */
const DIRECTORY_LIFE_MS = 3_600_000;
/** Unused nonces that are kept. */
const MAX_NONCES = 50;
/** How often a request is retried with the nonce of a `badNonce` error (section 6.5). */
const NONCE_RETRIES = 8;
const LONGEST_RETRY_AFTER_MS = 7 * 24 * 3_600_000;
const NONCE = /^[\w-]{1,512}$/;

interface AcmeClientOptions {
  directoryUrl: string;
  transport: CaTransport;
  clock: Clock;
  log: Log;
}

export function createAcmeClient({ directoryUrl, transport, clock, log }: AcmeClientOptions): AcmeClient {
  const { host } = new URL(directoryUrl);
  const read = resourceReader(directoryUrl);
  const nonces: string[] = [];
  let cached: { directory: Promise<Directory>; until: number } | null = null;

  /** Keeps the nonce, and throws `AcmeError` for a status other than 2xx. */
  function received(response: CaResponse, url: string): AcmeResponse {
    const { status, headers, body } = response;
    const nonce = headers['replay-nonce'];
    if (typeof nonce === 'string' && NONCE.test(nonce)) nonces.push(nonce);
    if (nonces.length > MAX_NONCES) nonces.shift();
    const retryAfterMs = readRetryAfter(headers['retry-after'], clock.now());
    if (status < 200 || status > 299) throw acmeErrorOf(host, response, retryAfterMs);
    const alternates = readAlternates([headers.link ?? []].flat().join(), url);
    return { json: parseJson(body), text: body.toString('utf8'), location: headers.location, alternates, retryAfterMs };
  }

  async function get(url: string): Promise<AcmeResponse> {
    return received(await transport({ method: 'GET', url }), url);
  }

  async function readDirectory(): Promise<Directory> {
    return read.directory((await get(directoryUrl)).json);
  }

  function directory(): Promise<Directory> {
    if (cached === null || clock.now() >= cached.until) {
      const reading = { directory: readDirectory(), until: clock.now() + DIRECTORY_LIFE_MS };
      cached = reading;
      reading.directory.catch(() => {
        if (cached === reading) cached = null;
      });
    }
    return cached.directory;
  }

  async function takeNonce(signal: AbortSignal | undefined): Promise<string> {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const { newNonce } = await directory();
    received(await transport({ method: 'HEAD', url: newNonce, signal }), newNonce);
    const nonce = nonces.pop();
    if (nonce === undefined) throw new CaProblem('unavailable', `${host} returned no nonce.`);
    return nonce;
  }

  async function post(
    signer: Signer,
    url: string,
    payload: object | null,
    signal?: AbortSignal,
  ): Promise<AcmeResponse> {
    for (let tries = 0; ; tries++) {
      const body = await signed(signer, { url, nonce: await takeNonce(signal) }, payload);
      const response = await transport({ method: 'POST', url, body, signal });
      log.debug({ ca: host, path: new URL(url).pathname, status: response.status }, 'request to the CA');
      try {
        return received(response, url);
      } catch (error) {
        if (!(error instanceof AcmeError)) throw error;
        const { status, type, kind, detail } = error;
        if (error.is('badNonce') && tries < NONCE_RETRIES) continue;
        // Problems that only the operator can fix.
        if (kind === 'rate_limited' || kind === 'account') {
          log.warn({ ca: host, status, type, detail }, 'the CA returned an error');
        }
        throw error;
      }
    }
  }

  return { host, read, directory, get, post };
}

/**
 * Either form of `Retry-After` (RFC 9110 section 10.2.3) in milliseconds from now, at most a week; null without one.
 */
function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** More chains than any CA has. */
const MAX_ALTERNATES = 10;

/** From a header field `Link` (RFC 8288 section 3); what cannot be read is left out. */
function readAlternates(header: string, url: string): string[] {
  const links = header.matchAll(/<([^<>]*)>((?:\s*;[^,<>]*)*)/g);
  return [...links]
    .filter(([, , parameters = '']) => /;\s*rel="?alternate"?\s*(;|$)/i.test(parameters))
    .flatMap(([, target = '']) => URL.parse(target, url)?.href ?? [])
    .slice(0, MAX_ALTERNATES);
}

async function signed(
  { key, accountUrl }: Signer,
  { url, nonce }: { url: string; nonce: string },
  payload: object | null,
): Promise<string> {
  const octets = payload === null ? new Uint8Array() : Buffer.from(JSON.stringify(payload));
  const who = accountUrl === null ? { jwk: publicJwk(key) } : { kid: accountUrl };
  const jws = await new FlattenedSign(octets).setProtectedHeader({ alg: 'ES256', url, nonce, ...who }).sign(key);
  return JSON.stringify(jws);
}

/** The public half of a private key (RFC 7517). */
export function publicJwk(key: KeyObject): { kty: string; crv: string; x: string; y: string } {
  const { kty = '', crv = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { kty, crv, x, y };
}
