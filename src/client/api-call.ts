import { ConnectionError, type ErrorResponse, NameplateError } from './nameplate-error.ts';
import { backOff, isTemporary, pause } from './retry.ts';

/** Where requests go. */
export interface ApiConnection {
  /** Without a final slash. */
  baseUrl: string;
  rootKey: string;
  fetch: typeof fetch;
  /** Of one attempt. */
  timeoutMs: number;
  /** Attempts after the first one. */
  retries: number;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

interface Success {
  meta: { requestId: string };
  data: unknown;
  pagination?: { cursor?: string };
}

/**
 * Calls `<group>.<operation>`. Repeats what the server has not done (429), after the time it asks for, and with `isRead` also what may have been done: a
 * server error, or no response. Rejects with `NameplateError`, `ConnectionError`, or the reason of the signal.
 */
export async function callApi(
  connection: ApiConnection,
  operation: string,
  body: object,
  { signal, isRead }: CallOptions & { isRead: boolean },
): Promise<Success> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await callOnce(connection, operation, body, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const isHarmless = isRead || (error instanceof NameplateError && error.status === 429);
      if (attempt >= connection.retries || !isHarmless || !isTemporary(error)) throw error;
      await pause(backOff(error, attempt), signal);
    }
  }
}

async function callOnce(
  connection: ApiConnection,
  operation: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<Success> {
  const limit = AbortSignal.timeout(connection.timeoutMs);
  const response = await post(connection, operation, body, {
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  if (!response.ok) throw await errorOf(response);
  const success = await readJson(response);
  if (isSuccess(success)) return success;
  throw notApi(response);
}

/** Sends a request; rejects with `ConnectionError` unless there is a response. */
export async function post(
  { baseUrl, rootKey, fetch }: ApiConnection,
  operation: string,
  body: object,
  { headers, signal }: { headers?: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(`${baseUrl}/v2/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
  } catch (cause) {
    throw new ConnectionError(`${baseUrl} cannot be reached`, { cause });
  }
}

export async function errorOf(response: Response): Promise<NameplateError | ConnectionError> {
  const body = await readJson(response);
  if (!isObject(body) || !isObject(body.error) || typeof body.error.detail !== 'string') return notApi(response);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const requestId = response.headers.get('x-request-id') ?? '';
  return new NameplateError(body.error as unknown as ErrorResponse, requestId, Number.isNaN(seconds) ? null : seconds);
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throw notApi(response, cause);
  }
}

function notApi({ status, url }: Response, cause?: unknown): ConnectionError {
  const options = cause === undefined ? {} : { cause };
  return new ConnectionError(`${url} returned status ${status}, but no response of Nameplate's API`, options);
}

function isSuccess(body: unknown): body is Success {
  return isObject(body) && isObject(body.meta) && 'data' in body;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
