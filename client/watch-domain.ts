import { type ApiConnection, errorOf, post, unexpected } from './api-call.ts';
import type { Diagnosis, Domain, ErrorCode } from './api-types.ts';
import type { CallOptions } from './call-types.ts';
import { eventParser, type ServerSentEvent } from './event-parser.ts';
import { ConnectionError, type ErrorResponse, NameplateError } from './nameplate-error.ts';
import { backOff, isTemporary, pause } from './retry.ts';

export interface WatchOptions extends CallOptions {
  /** Name or id. */
  domain: string;
  /**
   * Called whenever the stream is connected. After a lost connection, an event comes only if the domain has changed
   * meanwhile.
   */
  onConnect?: (() => void) | undefined;
  /** Called before a state of the domain, with what the checks have found, once they have found a mistake. */
  onDiagnosis?: ((diagnosis: Pick<Diagnosis, 'checkedAt' | 'findings'>) => void) | undefined;
  /** Called before each state of a domain that is not verified, while its certificate is in use: the routing record may be changed. */
  onReadyToSwitch?: ((ready: { since: number }) => void) | undefined;
  /** Called when the connection is lost, or cannot be made; the next attempt is made after `pauseMs`. */
  onDisconnect?: ((error: Error, pauseMs: number) => void) | undefined;
}

/** Three heartbeats of the server. */
const SILENCE_MS = 45_000;

/**
 * Yields the domain at once, and again with each change. It connects again whenever the connection is lost, and
 * continues from the last event. States in quick succession may be joined. Ends by `break`, by the signal (whose reason
 * it throws), with a `NameplateError` when the domain was deleted (404), or may no longer be watched, or with an
 * `UnexpectedResponse` when the API is not at this address.
 */
export async function* watchDomain(
  connection: ApiConnection,
  { domain, signal, onConnect, onDiagnosis, onReadyToSwitch, onDisconnect }: WatchOptions,
): AsyncGenerator<Domain, never, void> {
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  for (let failures = 0; ; failures += 1) {
    let lost: unknown = new ConnectionError('The server ended the stream');
    try {
      for await (const event of connect(connection, { domain, lastEventId, signal, onConnect })) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        retryMs = event.retryMs ?? retryMs;
        if (event.event === 'diagnosis') onDiagnosis?.(JSON.parse(event.data));
        if (event.event === 'ready_to_switch') onReadyToSwitch?.(JSON.parse(event.data));
        if (event.event === 'domain') yield JSON.parse(event.data);
        if (event.event === 'end') throwReason(JSON.parse(event.data));
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTemporary(error)) throw error;
      lost = error;
    }
    const pauseMs = backOff(lost, failures, retryMs);
    onDisconnect?.(lost as Error, pauseMs);
    await pause(pauseMs, signal);
  }
}

/** The server says why it ends a stream. Without an error, it is stopping. */
function throwReason({ error, code }: { error?: ErrorResponse; code?: ErrorCode }): void {
  if (error !== undefined) throw new NameplateError(error, { code: code ?? null });
}

/** The events of one connection. */
async function* connect(
  connection: ApiConnection,
  {
    domain,
    lastEventId,
    signal,
    onConnect,
  }: Pick<WatchOptions, 'domain' | 'signal' | 'onConnect'> & { lastEventId: string | undefined },
): AsyncGenerator<ServerSentEvent, void, void> {
  const attempt = new AbortController();
  const abort = () => attempt.abort(signal?.reason);
  const expectWithin = (ms: number) => {
    const silent = () => attempt.abort(new ConnectionError(`Nothing came for ${ms / 1000} s`));
    return setTimeout(silent, ms);
  };
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  let timer = expectWithin(connection.timeoutMs);
  try {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const response = await post(connection, 'domains.watchDomain', { domain }, { headers, signal: attempt.signal });
    if (!response.ok) throw await errorOf(response);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!isStream || response.body === null) throw unexpected(response);
    onConnect?.();
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parse = eventParser();
    for (;;) {
      clearTimeout(timer);
      // Not checked while the caller is busy with an event.
      timer = expectWithin(SILENCE_MS);
      const { done, value } = await reader.read().catch((cause) => {
        throw new ConnectionError('The connection was lost', { cause });
      });
      clearTimeout(timer);
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    attempt.abort();
  }
}
