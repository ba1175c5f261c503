import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NewId } from '../ids.ts';
import type { Log } from '../log.ts';
import { type ErrorNaming, Problem, presentProblem, STATUSES } from './errors.ts';
import { invalid } from './validation.ts';

const LINGER_MS = 1000;

/** A response that has begun on a socket; Node keeps it there. */
interface AnsweringSocket extends Socket {
  _httpMessage?: { headersSent: boolean } | null;
}

/** Answers what never becomes a request (not HTTP, too large a header, too slow) with the same envelope as everything else. */
export function serveClientErrors(
  server: Server,
  { newId, log, settings }: { newId: NewId; log: Log; settings: ErrorNaming },
): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: AnsweringSocket) => {
    const begun = socket._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || begun) {
      socket.destroy();
      return;
    }
    const problem = toProblem(error.code);
    const requestId = newId('req');
    log.info({ requestId, operation: 'none', status: problem.status, reason: error.code }, 'request');
    socket.end(response(problem, requestId, settings));
    letGo(socket);
  });
  // An expectation that Node does not know is no reason to refuse (RFC 9110 section 10.1.1); its own refusal would not be JSON.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Gives a client time to read its answer, and then closes the connection, whether or not the client closes its side. */
function letGo(socket: Socket): void {
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late));
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
