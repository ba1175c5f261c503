import { createPublicKey, type KeyObject } from 'node:crypto';
import { FlattenedSign } from 'jose/jws/flattened/sign';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { CaProblem } from '../issuer.ts';
import type { CaResponse, CaTransport } from './ca-transport.ts';
import { ERROR_PREFIX, parseJson, Refusal, refusalOf } from './problem-document.ts';
import { type Directory, type ResourceReader, resourceReader } from './resources.ts';
import { readRetryAfter } from './retry-after.ts';

/** Signed requests to a CA (RFC 8555 section 6): directory, nonces, refusals. */
export interface AcmeClient {
  /** Host and port of the directory, for words. */
  readonly host: string;
  readonly read: ResourceReader;
  directory(): Promise<Directory>;
  /** Without a signature: ARI alone. */
  get(url: string): Promise<AcmeReply>;
  /** `payload` null: POST-as-GET (section 6.3). Rejects with `Refusal` for what is no success. */
  post(signer: Signer, url: string, payload: object | null, signal?: AbortSignal): Promise<AcmeReply>;
}

/** Whose request it is; `accountUrl` null: that of whoever has the key (section 6.2). */
export interface Signer {
  key: KeyObject;
  accountUrl: string | null;
}

export interface AcmeReply {
  /** Undefined: no JSON. */
  json: unknown;
  text: string;
  location: string | undefined;
  /** Milliseconds from now. */
  retryAfterMs: number | null;
}

/** Read again so often: a CA changes it rarely. */
const DIRECTORY_LIFE_MS = 3_600_000;
/** Those that came with answers and were not used yet. */
const NONCES = 50;
/** How often a request is sent again with the nonce that the CA gave with its refusal (section 6.5). */
const BAD_NONCES = 8;
const NONCE = /^[\w-]{1,512}$/;

export interface AcmeClientOptions {
  directoryUrl: string;
  transport: CaTransport;
  clock: Clock;
  log: Log;
}

export function createAcmeClient({ directoryUrl, transport, clock, log }: AcmeClientOptions): AcmeClient {
  const { host } = new URL(directoryUrl);
  const read = resourceReader(directoryUrl);
  const nonces: string[] = [];
  let known: { directory: Promise<Directory>; until: number } | null = null;

  /** What every answer brings: a nonce for the next request, and a refusal or a reply. */
  function received(answer: CaResponse): AcmeReply {
    const nonce = answer.headers['replay-nonce'];
    if (typeof nonce === 'string' && NONCE.test(nonce)) nonces.push(nonce);
    if (nonces.length > NONCES) nonces.shift();
    const retryAfterMs = readRetryAfter(answer.headers['retry-after'], clock.now());
    if (answer.status < 200 || answer.status > 299) throw refusalOf(host, answer, retryAfterMs);
    const { headers, body } = answer;
    return { json: parseJson(body), text: body.toString('utf8'), location: headers.location, retryAfterMs };
  }

  async function get(url: string): Promise<AcmeReply> {
    return received(await transport({ method: 'GET', url }));
  }

  async function readDirectory(): Promise<Directory> {
    return read.directory((await get(directoryUrl)).json);
  }

  function directory(): Promise<Directory> {
    if (known === null || clock.now() >= known.until) {
      const reading = { directory: readDirectory(), until: clock.now() + DIRECTORY_LIFE_MS };
      known = reading;
      reading.directory.catch(() => {
        if (known === reading) known = null;
      });
    }
    return known.directory;
  }

  async function takeNonce(signal: AbortSignal | undefined): Promise<string> {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const { newNonce } = await directory();
    received(await transport({ method: 'HEAD', url: newNonce, signal }));
    const nonce = nonces.pop();
    if (nonce === undefined) throw new CaProblem('unavailable', `${host} gave no nonce.`);
    return nonce;
  }

  async function post(signer: Signer, url: string, payload: object | null, signal?: AbortSignal): Promise<AcmeReply> {
    for (let tries = 0; ; tries++) {
      const body = await signed(signer, { url, nonce: await takeNonce(signal) }, payload);
      const answer = await transport({ method: 'POST', url, body, signal });
      log.debug({ ca: host, path: new URL(url).pathname, status: answer.status }, 'the CA was asked');
      try {
        return received(answer);
      } catch (error) {
        if (isBadNonce(error) && tries < BAD_NONCES) continue;
        if (error instanceof Refusal && isForOperators(error)) {
          log.warn({ ca: host, status: error.status, type: error.type, said: error.words }, 'the CA refused');
        }
        throw error;
      }
    }
  }

  return { host, read, directory, get, post };
}

function isBadNonce(error: unknown): boolean {
  return error instanceof CaProblem && error.type === `${ERROR_PREFIX}badNonce`;
}

/** What no customer can mend. */
function isForOperators({ kind }: Refusal): boolean {
  return kind === 'rate_limited' || kind === 'account';
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
