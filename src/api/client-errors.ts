import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NewId } from '../ids.ts';
import type { Log } from '../log.ts';
import { type ErrorNaming, Problem, presentProblem, STATUSES } from './errors.ts';
import { invalid } from './validation.ts';

const LINGER_MS = 1000;

/** Node keeps the current response of a socket here. */
interface HttpSocket extends Socket {
  _httpMessage?: { headersSent: boolean } | null;
}

/** Responds to what never becomes a request (not HTTP, too large a header, too slow) in the envelope of every response. */
export function handleClientErrors(
  server: Server,
  { newId, log, settings }: { newId: NewId; log: Log; settings: ErrorNaming },
): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: HttpSocket) => {
    const responseBegan = socket._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || responseBegan) {
      socket.destroy();
      return;
    }
    const problem = toProblem(error.code);
    const requestId = newId('req');
    log.info({ requestId, operation: 'none', status: problem.status, reason: error.code }, 'request');
    socket.end(response(problem, requestId, settings));
    destroyAfterLinger(socket);
  });
  // An unknown expectation is ignored (RFC 9110 section 10.1.1); Node's own response would not be JSON.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Gives the client time to read the response and close; then destroys the connection. */
function destroyAfterLinger(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function toProblem(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('request/header_too_large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request/timeout');
    default:
      return invalid('request', 'must be well-formed HTTP/1.1');
  }
}

function response(problem: Problem, requestId: string, settings: ErrorNaming): string {
  const body = JSON.stringify(presentProblem(problem, requestId, settings));
  return [
    `HTTP/1.1 ${problem.status} ${STATUSES[problem.status].title}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
