import type { AddressRule } from '../net/addresses.ts';
import type { Protocol } from './edge-metrics.ts';
import { readDestination } from './http/authority.ts';
import { type Client, readSender } from './http/edge-client.ts';
import type { ClientExchange } from './http/http-exchange.ts';

/** Writes a line for each request, or for some of them. Fields: docs/guides/edge.md. */
export interface AccessLog {
  /** Whether the request that begins now is logged. */
  samples(): boolean;
  write(logged: LoggedRequest): void;
}

export interface AccessLogSettings {
  /** Fraction of requests that are logged: above 0, at most 1. */
  fraction: number;
  /** Paths are logged with their query, which may hold secrets. */
  withQuery: boolean;
}

/** A request whose response has ended. */
interface LoggedRequest {
  client: Pick<Client, 'serverName' | 'address' | 'isProxy' | 'tlsVersion'>;
  request: ClientExchange['request'];
  requestId: string;
  protocol: Protocol;
  status: number;
  /** Bytes of content sent to the client; for a tunnel, all bytes. */
  bytes: number;
  ms: number;
  /** Null: the edge responded itself. */
  origin: string | null;
}

interface AccessLogOptions extends AccessLogSettings {
  /** Trusted proxies say who the client is. */
  isTrusted: AddressRule;
  log(fields: Record<string, unknown>, message: string): void;
  /** At least 0, below 1. */
  random?: () => number;
}

/** Characters of a path and of a method. So a line has less than 4096 bytes, which a pipe takes in one piece. */
const MAX_PATH = 1024;
const MAX_METHOD = 32;

export function createAccessLog(options: AccessLogOptions): AccessLog {
  const { fraction, withQuery, isTrusted, log, random = Math.random } = options;
  return {
    samples: () => random() < fraction,
    write({ client, request, requestId, protocol, status, bytes, ms, origin }) {
      const { hostname = null, path = request.url ?? '' } = readDestination(request) ?? {};
      const fields = {
        requestId,
        client: readSender(client, request.headers, isTrusted).clientAddress,
        host: hostname,
        method: printable(request.method ?? '', MAX_METHOD),
        path: printable(withQuery ? path : path.replace(/\?.*/s, ''), MAX_PATH),
        status,
        bytes,
        ms: Math.round(ms * 10) / 10,
        protocol,
        tls: client.tlsVersion,
        origin,
      };
      log(fields, 'edge request');
    },
  };
}

/**
 * Writes visible ASCII as it is and other characters as %XX, since some of them control a reader's terminal. Keeps
 * `most` characters, then writes an ellipsis.
 */
function printable(text: string, most: number): string {
  const shown = text
    .slice(0, most + 1)
    .replace(/[^!-~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  return shown.length > most ? `${shown.slice(0, most)}…` : shown;
}
