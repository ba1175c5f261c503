import type { Socket } from 'node:net';
import { type AddressRule, unmappedAddress } from './addresses.ts';
import { readProxyHeader } from './proxy-header.ts';

/**
 * How a connection that has to begin with a PROXY header began. `local`: the header names no client. `closed`: by the
 * sender, before the header was complete. `refused`: too many others were waiting for their header.
 */
export const PROXY_HEADER_OUTCOMES = ['client', 'local', 'malformed', 'timeout', 'closed', 'refused'] as const;
export type ProxyHeaderOutcome = (typeof PROXY_HEADER_OUTCOMES)[number];

/** The client that opened a connection. */
export interface Opener {
  /**
   * The client's address where a PROXY header names one, otherwise the peer's. IPv4 as such, also on an IPv6 socket.
   */
  address: string;
  /** Bytes of the PROXY header; 0 without one. */
  headerBytes: number;
}

interface ProxyHeaderReaderOptions {
  /** Peers whose connections begin with a header. Those of others never have one. */
  isSender: AddressRule;
  /** Whether a connection of theirs without a valid header is closed; otherwise what it begins with is the client's. */
  isRequired: boolean;
  /** How long a header may take. */
  timeoutMs: number;
  /** Connections that wait for their header; above, a new one is closed. */
  maxWaiting: number;
  onOutcome?(outcome: ProxyHeaderOutcome, peer: string): void;
}

const NO_HEADER = { source: null, length: 0 };

/** Calls `next` once it is known who has opened a new connection. One that lacks the header is closed instead. */
export type ProxyHeaderReader = (socket: Socket, next: (opener: Opener) => void) => void;

export function createProxyHeaderReader(options: ProxyHeaderReaderOptions): ProxyHeaderReader {
  const { isSender, isRequired, timeoutMs, maxWaiting, onOutcome } = options;
  let waiting = 0;

  function awaitHeader(socket: Socket, peer: string, next: (opener: Opener) => void): void {
    const timeout = setTimeout(() => end('timeout'), timeoutMs);
    const closed = () => end('closed');
    let received: Buffer = Buffer.alloc(0);
    waiting += 1;

    function end(outcome: ProxyHeaderOutcome): void {
      waiting -= 1;
      clearTimeout(timeout);
      socket.off('close', closed).off('readable', read);
      if (outcome !== 'client' && outcome !== 'local') socket.destroy();
      onOutcome?.(outcome, peer);
    }

    function read(): void {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const header = readProxyHeader(received);
      if (header.kind === 'partial') return;
      if (header.kind === 'malformed' && isRequired) {
        end('malformed');
        return;
      }
      const { source, length } = header.kind === 'complete' ? header : NO_HEADER;
      end(source === null ? 'local' : 'client');
      if (received.length > length) socket.unshift(received.subarray(length));
      next({ address: source === null ? peer : unmappedAddress(source), headerBytes: length });
    }

    socket.on('close', closed);
    socket.on('readable', read);
  }

  return (socket, next) => {
    const peer = unmappedAddress(socket.remoteAddress);
    if (!isSender(peer)) {
      next({ address: peer, headerBytes: 0 });
    } else if (waiting < maxWaiting) {
      awaitHeader(socket, peer, next);
    } else {
      socket.destroy();
      onOutcome?.('refused', peer);
    }
  };
}
