import { ClientRequest, type IncomingMessage, type InformationEvent } from 'node:http';
import { withTimeLimit } from '../base/time-limit.ts';
import { DialError, type Dialer, type DialFailure, type DialTlsOptions } from '../net/dialer.ts';
import { createOriginConnections, type OriginConnection, TooManyConnections } from '../net/origin-connections.ts';
import { type AttemptOutcome, outcomeOfStatus, retryAfterMsOf } from './policy/attempt-outcome.ts';
import { keptText, readStart } from './response-body.ts';

/** Sends requests to receivers, which are hostile: they choose where requests go and how they are answered. */
export interface WebhookSender {
  /** One POST request. Rejects with the reason of the signal, or with `TooManyConnections`, and with nothing else. */
  send(request: WebhookRequest, signal: AbortSignal): Promise<SentRequest>;
  /** Closes idle connections, and others once they become idle. */
  stop(): void;
}

export interface WebhookRequest {
  /** http or https. */
  url: string;
  fields: Record<string, string>;
  body: string;
}

export interface SentRequest {
  /** `scheme`: the URL has one that is not allowed (any more). */
  outcome: AttemptOutcome | 'scheme';
  /** Null where no response began. */
  status: number | null;
  /**
   * A sentence for the owner of the webhook; null where it was delivered. It shows nothing of the network that requests
   * come from.
   */
  error: string | null;
  /** The start of the response's body, at most 64 KiB; null where no response began. */
  response: string | null;
  /** The delay that the receiver asked for. */
  retryAfterMs: number | null;
}

export interface SenderOptions {
  dialer: Dialer;
  /** Schemes that URLs may have: `https`, `http`. Checked here too, since a webhook may be older than the setting. */
  schemes: readonly string[];
  /** Further trust roots, for tests. Certificates are always verified. */
  tls?: Pick<DialTlsOptions, 'ca'>;
  /** Concurrency limit of the caller: as many connections are open, in use and idle, at most. */
  connections: number;
  /** Longest time for lookup, connection, handshake, request, and response with its body. */
  timeLimitMs?: number;
}

interface Received {
  status: number;
  retryAfter: string | undefined;
  body: Buffer;
}

const TIME_LIMIT_MS = 10_000;
const HEADER_BYTES = 16_384;
/** Most bytes of interim responses to one request, counted by their fields. */
const INTERIM_BYTES = 16_384;
/** Most bytes in response to one request: twice what is kept of a body. */
const RESPONSE_BYTES = 131_072;
/** Idle connections are closed after this time. */
const KEEP_ALIVE_MS = 15_000;
const PRUNE_EVERY_MS = 5000;
/** A connection that was idle for longer may be about to be closed by the receiver. */
const FRESH_MS = 5000;

/**
 * The address is checked when a connection is opened; a connection is used again for the same scheme, host and port
 * only.
 */
export function createSender({
  dialer,
  schemes,
  tls = {},
  connections: most,
  timeLimitMs = TIME_LIMIT_MS,
}: SenderOptions): WebhookSender {
  const limits = { connections: most, connectionsPerOrigin: most, keepAliveMs: KEEP_ALIVE_MS };
  const connections = createOriginConnections({ dialer, tls, limits });
  const pruning = setInterval(() => connections.prune(performance.now()), PRUNE_EVERY_MS).unref();

  async function exchange(request: WebhookRequest, signal: AbortSignal): Promise<Received> {
    const url = new URL(request.url);
    const reused = connections.take({ origin: url.origin, key: url.origin }, FRESH_MS);
    if (reused !== null) {
      try {
        return await post(reused, url, request, signal);
      } catch (error) {
        // The receiver has closed the connection before it got the request. If it got it all the same, it knows the id.
        if (signal.aborted || reused.isResponding) throw error;
      }
    }
    return post(await connections.open({ origin: url.origin, key: url.origin }, signal), url, request, signal);
  }

  return {
    async send(request, signal) {
      signal.throwIfAborted();
      if (!schemes.some((scheme) => request.url.startsWith(`${scheme}:`))) return { ...NO_RESPONSE, ...NOT_ALLOWED };
      let limited = signal;
      try {
        const received = await withTimeLimit(timeLimitMs, signal, (shorter) => {
          limited = shorter;
          return exchange(request, shorter);
        });
        return sentRequest(received);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof TooManyConnections) throw error;
        return { ...NO_RESPONSE, ...(limited.aborted ? tooLate(timeLimitMs) : failureOf(error)) };
      }
    },
    stop() {
      clearInterval(pruning);
      connections.stop();
    },
  };
}

/**
 * Resolves once the response has begun and its body has ended, has reached the size that is kept, or was cut off by the
 * signal.
 */
function post(
  connection: OriginConnection,
  url: URL,
  { fields, body }: WebhookRequest,
  signal: AbortSignal,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const content = Buffer.from(body);
    const request = new ClientRequest({
      agent: connection,
      method: 'POST',
      path: url.pathname + url.search,
      headers: { host: url.host, ...fields, 'content-length': content.length },
      maxHeaderSize: HEADER_BYTES,
      signal,
    });
    let interimBytes = 0;
    request.on('information', ({ rawHeaders }: InformationEvent) => {
      interimBytes += 32 + rawHeaders.join('').length;
      if (interimBytes > INTERIM_BYTES) request.destroy(new Error('too many interim responses'));
    });
    // Bytes that frame a body, such as extensions of chunks, have no limit of their own.
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES) request.destroy(new Error('too many bytes'));
    };
    connection.socket.on('data', count);
    request.once('close', () => connection.socket.off('data', count));
    // Errors come after a response has begun, too, and then they only end its body.
    request.on('error', reject);
    // Node emits only this event for a response that changes the protocol.
    const onClose = () => reject(new ClosedConnection());
    request.once('close', onClose);
    request.once('response', (response: IncomingMessage) => {
      request
        .off('error', reject)
        .on('error', () => {})
        .off('close', onClose);
      const { statusCode: status = 0, headers } = response;
      const keepAlive = headers['keep-alive'];
      connection.applyKeepAlive(Array.isArray(keepAlive) ? keepAlive[0] : keepAlive);
      void readStart(response).then((start) => resolve({ status, retryAfter: headers['retry-after'], body: start }));
    });
    request.end(content);
  });
}

function sentRequest({ status, retryAfter, body }: Received): SentRequest {
  const outcome = outcomeOfStatus(status);
  return {
    outcome,
    status,
    error: outcome === 'delivered' ? null : `The receiver answered with status ${status}.${NOTES[outcome] ?? ''}`,
    response: keptText(body),
    retryAfterMs: retryAfterMsOf(status, retryAfter, Date.now()),
  };
}

const NOTES: Partial<Record<SentRequest['outcome'], string>> = { redirect: ' Redirects are not followed.' };

const NO_RESPONSE = { status: null, response: null, retryAfterMs: null };

type Failure = Pick<SentRequest, 'outcome' | 'error'>;

const NOT_ALLOWED: Failure = {
  outcome: 'scheme',
  error: 'The scheme of the URL is not allowed. Change the URL of the webhook.',
};

function tooLate(timeLimitMs: number): Failure {
  return { outcome: 'timeout', error: `There was no answer within ${timeLimitMs / 1000} s.` };
}

/** A connection was closed before a response began. */
class ClosedConnection extends Error {}

const NO_ADDRESS = {
  outcome: 'address',
  error: 'The host has no public address. Add an A record, or correct the URL of the webhook.',
} as const;

/**
 * `not_allowed` and `no_address` read alike: nobody learns which names lead where inside this network. `no_route` does not
 * say which networks this one reaches.
 */
const DIAL_FAILURES: Record<Exclude<DialFailure, 'tls'>, Failure> = {
  not_allowed: NO_ADDRESS,
  no_address: NO_ADDRESS,
  lookup: {
    outcome: 'address',
    error: 'The addresses of the host could not be looked up. Check the nameservers of its zone.',
  },
  refused: {
    outcome: 'connection',
    error: 'The host refused the connection. Start the receiver, or correct the port of the URL.',
  },
  unreachable: {
    outcome: 'connection',
    error: 'No connection could be made to the host. Check that it accepts connections from the Internet.',
  },
  no_route: {
    outcome: 'connection',
    error: 'No route leads to the host. Check its addresses: one of them has to be public IPv4.',
  },
  timeout: {
    outcome: 'timeout',
    error: 'The host did not answer in time. Check whether a firewall drops connections to its port.',
  },
};

function failureOf(error: unknown): Failure {
  if (error instanceof DialError) {
    // The code of OpenSSL or Node, such as CERT_HAS_EXPIRED, with the name of the host.
    return error.reason === 'tls' ? { outcome: 'tls', error: error.message } : DIAL_FAILURES[error.reason];
  }
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { outcome: 'invalid', error: `The header of the response is larger than ${HEADER_BYTES / 1024} KiB.` };
  }
  if (code?.startsWith('HPE_')) return { outcome: 'invalid', error: 'The response is not HTTP.' };
  if (error instanceof ClosedConnection || code === 'ECONNRESET' || code === 'EPIPE') {
    return {
      outcome: 'connection',
      error: 'The connection was closed without a response. See the log of the receiver.',
    };
  }
  return { outcome: 'invalid', error: 'The response cannot be used.' };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
