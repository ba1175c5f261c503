import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NewId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { isAuthority, onlyField } from '../net/host-field.ts';
import { endAfterConnect, endAfterResponses, endSocket, handleInTurn, trackResponse } from '../net/response-order.ts';
import { ERROR_CODE_HEADER, type ErrorNaming, Problem, presentProblem, STATUSES } from './errors.ts';
import { invalid } from './validation.ts';

/** Requests of one connection that are handled at a time. */
const MAX_PIPELINED = 32;

/**
 * Responds to bytes that never become a request (not HTTP, too large a header, too slow) in the envelope of every
 * response. The responses to earlier requests come first.
 */
export function handleClientErrors(
  server: Server,
  { newId, log, settings }: { newId: NewId; log: Log; settings: ErrorNaming },
): void {
  const refusal = (socket: Duplex, problem: Problem, reason: string | undefined) => () => {
    const requestId = newId('req');
    log.info({ requestId, operation: 'none', status: problem.status, code: problem.code, reason }, 'request');
    endSocket(socket, response(problem, requestId, settings));
  };
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (request.socket.destroyed || !trackResponse(response)) return;
    handleInTurn(response, MAX_PIPELINED, () => {
      for (const handle of handlers) handle.call(server, request, response);
    });
  });
  server.removeAllListeners('clientError');
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    if (code === 'ECONNRESET') socket.destroy();
    // A server ignores bytes that follow the last request (RFC 9112 section 9.6).
    else if (code !== 'HPE_CLOSED_CONNECTION') endAfterResponses(socket, refusal(socket, toProblem(code), code));
  });
  server.on('connect', (_, socket: Duplex) => {
    endAfterConnect(socket, refusal(socket, invalid('request', 'must not use CONNECT'), 'CONNECT'));
  });
  // An unknown expectation is ignored (RFC 9110 section 10.1.1); Node's own response would not be JSON.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** The problem of a request that is not HTTP/1.1 or 1.0. */
export function unreadable(): Problem {
  return invalid('request', 'must be well-formed HTTP/1.1');
}

function toProblem(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('request/header_too_large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request/timeout');
    default:
      return unreadable();
  }
}

function response(problem: Problem, requestId: string, settings: ErrorNaming): string {
  const body = JSON.stringify(presentProblem(problem, requestId, settings));
  return [
    `HTTP/1.1 ${problem.status} ${STATUSES[problem.status].title}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `${ERROR_CODE_HEADER}: ${problem.code}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** The versions of HTTP that are served. Node's parser also accepts 0.9 and 2.0. */
const VERSIONS = new Set(['1.0', '1.1']);

/**
 * The problem of a message that Node's parser accepts: its version, or a `Host` that is absent, repeated or not valid
 * (RFC 9112 section 3.2).
 */
export function malformation({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): Problem | undefined {
  if (!VERSIONS.has(httpVersion)) return unreadable();
  const host = onlyField('host', rawHeaders);
  if (host === null) return invalid('header.host', 'must be sent once (RFC 9112 section 3.2)');
  if (host === undefined && httpVersion === '1.1') {
    return invalid('header.host', 'must be present (RFC 9112 section 3.2)');
  }
  // Empty where the target has no host.
  if (host && !isAuthority(host)) return invalid('header.host', 'must be a host, with or without a port');
  return undefined;
}
