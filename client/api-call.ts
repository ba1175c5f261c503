import type { CallOptions } from './call-types.ts';
import { explainFailure, isTimeout } from './connection-failure.ts';
import {
  ConnectionError,
  type ErrorResponse,
  NameplateError,
  type Support,
  UnexpectedResponse,
} from './nameplate-error.ts';
import { backOff, isTemporary, pause } from './retry.ts';

/**
 * A root key or token, or a function that returns a current one: it is called for each attempt, and its error ends the
 * call. Null: none is sent.
 */
export type Credential = string | null | (() => string | Promise<string>);

/** The API, and the way to reach it. */
export interface ApiConnection {
  /** Without a final slash. */
  baseUrl: string;
  credential: Credential;
  fetch: typeof fetch;
  /** Longest time of a call with all its attempts and the waits between them; of a stream, until it begins. */
  timeoutMs: number;
  /** Attempts after the first one. */
  retries: number;
}

/** A call as it is sent. */
export interface ApiCall extends CallOptions {
  body: object;
  /** Header fields that are sent with each attempt. */
  idempotencyKey?: string | null | undefined;
  /** Whether a repeat does no harm. */
  isRepeatable: boolean;
}

interface Success {
  meta: { requestId: string };
  data: unknown;
  pagination?: { cursor?: string };
}

/**
 * Calls `<group>.<operation>`. Repeats requests that the server refused to handle (429), after the time it asks for.
 * Also repeats repeatable ones after a server error, or no response. A wait that would end after the time limit is not
 * begun: the call rejects at once then, with the error that it would have waited for. Rejects with `NameplateError`, `ConnectionError`,
 * `UnexpectedResponse`, or the reason of the signal.
 */
export async function callApi(connection: ApiConnection, operation: string, call: ApiCall): Promise<Success> {
  const { signal, isRepeatable } = call;
  const { retries, timeoutMs } = connection;
  const endsAt = performance.now() + timeoutMs;
  const limit = AbortSignal.timeout(timeoutMs);
  const limited = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await callOnce(connection, operation, call, limited);
    } catch (error) {
      signal?.throwIfAborted();
      const isHarmless = isRepeatable || (error instanceof NameplateError && error.status === 429);
      const waitMs = backOff(error, attempt);
      const isLast = attempt >= retries || performance.now() + waitMs >= endsAt;
      if (isLast || !isHarmless || !isTemporary(error)) throw error;
      await pause(waitMs, signal);
    }
  }
}

async function callOnce(
  connection: ApiConnection,
  operation: string,
  { body, idempotencyKey }: ApiCall,
  signal: AbortSignal,
): Promise<Success> {
  const response = await post(connection, operation, body, {
    headers: typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {},
    signal,
  });
  if (!response.ok) throw await errorOf(response);
  const success = await readJson(response);
  if (isSuccess(success)) return success;
  throw unexpected(response);
}

/**
 * Sends a request; rejects with `ConnectionError` unless there is a response, and as the function of the credential
 * does.
 */
export async function post(
  { baseUrl, credential, fetch, timeoutMs }: ApiConnection,
  operation: string,
  body: object,
  { headers, signal }: { headers?: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  const current = typeof credential === 'function' ? await unlessAborted(credential(), signal) : credential;
  try {
    return await fetch(`${baseUrl}/v2/${operation}`, {
      method: 'POST',
      headers: {
        ...(current !== null && { authorization: `Bearer ${current}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
      // The caller must learn that the API has moved; the key is sent to no other address.
      redirect: 'manual',
      signal,
    });
  } catch (cause) {
    if (cause instanceof ConnectionError) throw cause;
    throw new ConnectionError(explainFailure(cause, baseUrl, timeoutMs), { cause });
  }
}

/** Rejects with `ConnectionError` where the signal comes first. */
function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ConnectionError('The root key did not come in time', { cause: signal.reason }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const end = () => signal.removeEventListener('abort', abort);
    Promise.resolve(work).then(resolve, reject).finally(end);
  });
}

/** The error of a response that is not a success. */
export async function errorOf(response: Response): Promise<NameplateError | UnexpectedResponse> {
  const body = await readJson(response);
  if (!isObject(body) || !isObject(body.error) || typeof body.error.detail !== 'string') return unexpected(response);
  return new NameplateError(body.error as unknown as ErrorResponse, {
    code: response.headers.get('nameplate-error-code'),
    requestId: isObject(body.meta) ? String(body.meta.requestId) : '',
    retryAfter: numberIn(response, 'retry-after'),
    rateLimit: numberIn(response, 'ratelimit-limit'),
    support: supportIn(response),
  });
}

export function unexpected(response: Response): UnexpectedResponse {
  return new UnexpectedResponse(response.url, response.status, numberIn(response, 'retry-after'));
}

/** Undefined: the body is not JSON. Rejects with `ConnectionError` where it is incomplete. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch((cause) => {
    const message = isTimeout(cause) ? 'The response did not end in time' : 'The connection was lost';
    throw new ConnectionError(message, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    const isIncomplete = response.headers.get('content-type')?.startsWith('application/json');
    if (isIncomplete) throw new ConnectionError('The response was incomplete', { cause });
    return undefined;
  }
}

function supportIn({ headers }: Response): Support | null {
  const address = headers.get('nameplate-support');
  const name = headers.get('nameplate-support-name');
  if (address === null && name === null) return null;
  return { ...(address !== null && { address }), ...(name !== null && { name: decodeURIComponent(name) }) };
}

/** Null where the header is absent, or no number. */
function numberIn({ headers }: Response, name: string): number | null {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function isSuccess(body: unknown): body is Success {
  return isObject(body) && isObject(body.meta) && 'data' in body;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
