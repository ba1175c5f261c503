import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import type { Failure } from '../../domain/reading.ts';
import type { QueryAttempt, ServerAddress } from '../protocol/query.ts';
import { isResponseTo } from '../protocol/query.ts';

/** TCP connections to servers (RFC 7766), each message prefixed with its length, at most 65,535 octets. */
export interface TcpConnections {
  /**
   * Sends over the connection that the server was asked over just now, or over a new one. `second`: queries with it have a connection apart from those without.
   * `timeoutMs` covers each connection. Never rejects.
   */
  query(attempt: QueryAttempt, second: boolean): Promise<Buffer | Failure>;
  /** The same over a connection of its own, which is closed afterwards. */
  queryAlone(attempt: QueryAttempt): Promise<Buffer | Failure>;
  /** Closes every connection; queries in flight end as `timeout`. */
  close(): void;
}

/** `closed`: the server has closed the connection after its response to another query. */
type Received = Buffer | Failure | 'closed';

interface Connection {
  query(attempt: QueryAttempt): Promise<Received>;
  close(): void;
}

/** The queries for one record follow each other closely, and a connection that lives longer gives a forger more time. */
const IDLE_MS = 200;
const LIFE_MS = 3_000;
/** Nameservers that accept connections and never answer must not use up the descriptors of the process. */
const MAX_OPEN = 1_000;
const LENGTH_OCTETS = 2;

export function tcpConnections(): TcpConnections {
  const shared = new Map<string, Connection>();
  const open = new Set<Connection>();

  function openTo(server: ServerAddress, key: string | null): Connection {
    const onRetired = () => {
      if (key !== null && shared.get(key) === connection) shared.delete(key);
    };
    const connection = openConnection(server, onRetired, () => open.delete(connection));
    open.add(connection);
    if (key !== null) shared.set(key, connection);
    return connection;
  }

  async function queryAlone(attempt: QueryAttempt): Promise<Buffer | Failure> {
    if (attempt.signal.aborted) return 'timeout';
    if (open.size >= MAX_OPEN) return 'unreachable';
    const connection = openTo(attempt.server, null);
    const received = await connection.query(attempt);
    connection.close();
    return received === 'closed' ? 'malformed' : received;
  }

  return {
    async query(attempt, second) {
      if (attempt.signal.aborted) return 'timeout';
      const key = `${attempt.server.address} ${attempt.server.port} ${second}`;
      const connection = shared.get(key);
      if (connection === undefined && open.size >= MAX_OPEN) return 'unreachable';
      const received = await (connection ?? openTo(attempt.server, key)).query(attempt);
      return received === 'closed' ? queryAlone(attempt) : received;
    },
    queryAlone,
    close() {
      for (const connection of [...open]) connection.close();
    },
  };
}

/** `onRetired`: no other query is to use it; it closes after those in flight. */
function openConnection({ address, port }: ServerAddress, onRetired: () => void, onClosed: () => void): Connection {
  const socket = connect({ host: address, port, noDelay: true });
  const inFlight = new Map<number, { query: QueryAttempt['query']; settle(result: Received): void }>();
  /** Ids of queries that timed out: their responses may still come. */
  const late = new Set<number>();
  let received = Buffer.alloc(0);
  let answered = false;
  let closed = false;
  const life = setTimeout(() => retire(), LIFE_MS);
  const idle = setTimeout(() => closeIfIdle(), IDLE_MS);

  function retire(): void {
    onRetired();
    closeIfIdle();
  }

  function closeIfIdle(): void {
    if (inFlight.size === 0) shut('timeout');
  }

  function shut(reason: Received): void {
    if (closed) return;
    closed = true;
    clearTimeout(life);
    clearTimeout(idle);
    socket.destroy();
    onRetired();
    onClosed();
    for (const { settle } of [...inFlight.values()]) settle(reason);
  }

  socket.on('error', () => shut(answered ? 'closed' : 'unreachable'));
  socket.on('end', () => shut(answered ? 'closed' : 'malformed'));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    while (received.length >= LENGTH_OCTETS) {
      const end = LENGTH_OCTETS + received.readUInt16BE(0);
      if (received.length < end) return;
      const octets = received.subarray(LENGTH_OCTETS, end);
      received = received.subarray(end);
      const id = octets.length < 2 ? -1 : octets.readUInt16BE(0);
      if (late.delete(id)) continue;
      const match = inFlight.get(id);
      if (match === undefined || !isResponseTo(match.query, octets)) return shut('malformed');
      answered = true;
      match.settle(octets);
    }
  });

  function unusedId(): number {
    let id = randomInt(0x10000);
    while (inFlight.has(id) || late.has(id)) id = randomInt(0x10000);
    return id;
  }

  return {
    query: ({ query, timeoutMs, signal }) =>
      new Promise((resolve) => {
        const id = unusedId();
        const settle = (result: Received) => {
          if (!inFlight.delete(id)) return;
          clearTimeout(timer);
          signal.removeEventListener('abort', expire);
          idle.refresh();
          resolve(result);
        };
        // A server that is slow once is not asked over this connection again.
        const expire = () => {
          settle('timeout');
          late.add(id);
          retire();
        };
        const timer = setTimeout(expire, timeoutMs);
        signal.addEventListener('abort', expire);
        inFlight.set(id, { query, settle });
        query.octets.writeUInt16BE(id, 0);
        const prefix = Buffer.alloc(LENGTH_OCTETS);
        prefix.writeUInt16BE(query.octets.length);
        socket.write(Buffer.concat([prefix, query.octets]));
      }),
    close: () => shut('timeout'),
  };
}
