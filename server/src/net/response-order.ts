import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The responses in flight on each connection of an HTTP/1 server, in the order of their requests. A connection may have
 * to be ended while requests that came before are still in progress: their responses are sent first (RFC 9112 section
 * 9.3.2), since a client repeats a request that was not responded to.
 */
const connection = Symbol('connection');

interface TrackedSocket extends Duplex {
  [connection]?: Connection;
}

interface Connection {
  socket: Duplex;
  /** In the order of their requests, in which Node sends them. */
  responses: Set<ServerResponse>;
  /** Requests that are handled later, because too many of the connection are in flight. */
  waiting: (() => void)[];
  /** The last request that got its response before all of its body had come. */
  answeredEarly: IncomingMessage | null;
  /** No further request is read. */
  isEnding: boolean;
  /** The next response is the last. */
  isLastNext: boolean;
  /** Writes the last response and ends the connection, once no other is owed; null before and after. */
  refuse: (() => void) | null;
  isRefused: boolean;
  /** The response to a request whose body cannot be read. */
  unreadable: ServerResponse | null;
}

/** How long a client may take to read the last response and close. */
const LINGER_MS = 1000;
/**
 * Node parses all that it reads at once, up to 64 KiB. With a root key or a visitor's headers these are fewer requests.
 */
const MOST_WAITING = 400;

/**
 * To be called with each response, when its request arrives. False: the connection is ending, and the request is not to
 * be handled.
 */
export function trackResponse(response: ServerResponse): boolean {
  const tracked = connectionOf(response.req.socket);
  if (tracked.isEnding) return false;
  if (tracked.isLastNext) {
    tracked.isEnding = true;
    // Makes Node end the connection behind it, and say so.
    response.shouldKeepAlive = false;
  }
  tracked.responses.add(response);
  response.once('close', onResponseClose);
  return true;
}

/**
 * Node's `shouldUpgradeCallback` for requests to upgrade that are handled as any other (RFC 9110 section 7.8). The
 * response is the last on its connection: Node drops what it has read behind such a request.
 */
export function ignoreUpgrade({ socket }: IncomingMessage): false {
  connectionOf(socket).isLastNext = true;
  return false;
}

/**
 * Calls `handle` once fewer than `most` requests of the connection are being handled; to be called after
 * `trackResponse`. Nothing more is read from the connection meanwhile. Requests so small that `MOST_WAITING` of them
 * were read already close it.
 */
export function handleInTurn({ req: { socket } }: ServerResponse, most: number, handle: () => void): void {
  const { responses, waiting } = connectionOf(socket);
  if (responses.size <= most) {
    handle();
  } else if (waiting.length >= MOST_WAITING) {
    socket.destroy();
  } else {
    waiting.push(handle);
    socket.pause();
  }
}

/**
 * Makes the next response the last one on its connection: of those in flight the newest, unless its header has been
 * sent.
 */
export function endWithNextResponse(socket: Duplex): void {
  const tracked = connectionOf(socket);
  const newest = [...tracked.responses].at(-1);
  if (newest === undefined || newest.headersSent) {
    tracked.isLastNext = true;
  } else {
    tracked.isEnding = true;
    newest.shouldKeepAlive = false;
  }
}

/** Responses in flight on a connection. */
export function responsesInFlight(socket: Duplex): number {
  return (socket as TrackedSocket)[connection]?.responses.size ?? 0;
}

/**
 * Ends a connection from which no further request can be read. `refuse` is called once the responses to complete
 * requests have been sent: it writes the last response with `endSocket`. It is not called where that would be a second
 * response to one request, nor when the connection has been closed meanwhile.
 */
export function endAfterResponses(socket: Duplex, refuse: () => void): void {
  const tracked = connectionOf(socket);
  // Node's parser fails again with every chunk that follows.
  if (tracked.isRefused) return;
  tracked.isRefused = true;
  tracked.isEnding = true;
  tracked.refuse = refuse;
  for (const response of tracked.responses) if (!response.req.complete) tracked.unreadable = response;
  if (tracked.answeredEarly?.complete === false) closeInstead(tracked);
  settle(tracked);
}

/**
 * Ends a connection after CONNECT: Node no longer listens to the socket then, but responses in flight still need its
 * events.
 */
export function endAfterConnect(socket: Duplex, refuse: () => void): void {
  const { responses } = connectionOf(socket);
  socket.on('error', () => {});
  socket.on('timeout', () => socket.destroy());
  socket.on('drain', () => {
    for (const response of responses) if (response.socket === socket) response.emit('drain');
  });
  socket.resume();
  endAfterResponses(socket, refuse);
}

/**
 * Ends a connection, with the last bytes if there are any, and gives the client time to read them. What it still sends
 * is discarded.
 */
export function endSocket(socket: Duplex, last?: string): void {
  if (last === undefined) socket.end();
  else socket.end(last);
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.resume();
}

function connectionOf(socket: TrackedSocket): Connection {
  const known = socket[connection];
  if (known !== undefined) return known;
  const responses = new Set<ServerResponse>();
  const tracked: Connection = {
    socket,
    responses,
    waiting: [],
    answeredEarly: null,
    isEnding: false,
    isLastNext: false,
    refuse: null,
    isRefused: false,
    unreadable: null,
  };
  socket[connection] = tracked;
  socket.once('close', () => closeQueued(responses));
  // Node resumes it whenever a body is read or has ended.
  socket.on('resume', () => {
    if (tracked.waiting.length === 0) return;
    socket.pause();
    // Node's server reads again at each resume, also of one that was paused between the call and the event: `pause` has
    // no effect then.
    socket.emit('pause');
  });
  return tracked;
}

/** Responses close with their connection. Node forgets those that are queued. */
function closeQueued(responses: Set<ServerResponse>): void {
  for (const response of responses) {
    if (response.socket !== null) continue;
    response.destroy();
    response.emit('close');
  }
}

function onResponseClose(this: ServerResponse): void {
  const tracked = connectionOf(this.req.socket);
  tracked.responses.delete(this);
  handleNext(tracked);
  if (!this.req.complete) tracked.answeredEarly = this.req;
  if (tracked.refuse === null) return;
  if (this === tracked.unreadable) closeInstead(tracked);
  settle(tracked);
}

function handleNext({ socket, waiting }: Connection): void {
  if (waiting.length === 0) return;
  if (socket.destroyed) waiting.length = 0;
  waiting.shift()?.();
  if (waiting.length === 0) socket.resume();
}

function settle(tracked: Connection): void {
  const { socket, responses, refuse } = tracked;
  for (const { req, writableEnded } of responses) if (req.complete || writableEnded) return;
  tracked.refuse = null;
  // Not writable: the last response has closed the connection, or the client has.
  if (refuse === null || !socket.writable) return;
  if (tracked.unreadable?.headersSent && responses.has(tracked.unreadable)) socket.destroy();
  else refuse();
}

/** The request that `refuse` is about has its own response. */
function closeInstead(tracked: Connection): void {
  tracked.refuse = () => endSocket(tracked.socket);
}
