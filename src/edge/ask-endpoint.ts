import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Endpoint } from '../config/config.ts';
import { networkRule } from '../net/addresses.ts';
import { domainName } from './http/authority.ts';
import type { Sites } from './routing/site-cache.ts';
import { privateKeyPem } from './tls/tls-contexts.ts';

/**
 * For a program in front, such as Caddy: whether a name is served, and its certificate with the private key. On loopback only.
 *
 * `GET /edge/ask?domain=…`: 200 for a name that is ours, 404 for any other. `GET /edge/certificate?server_name=…`: 200 with the chain and the key
 * (PEM), 204 for a name that is not ours, 404 for one of ours without a certificate. Both: 503 when the store is down.
 */
interface AskEndpoint {
  port: number;
  stop(): Promise<void>;
}

interface AskEndpointOptions {
  listen: Endpoint;
  sites: Pick<Sites, 'find' | 'findCertified'>;
}

interface AskResponse {
  status: number;
  body?: string;
  type?: string;
}

const UNAVAILABLE: AskResponse = { status: 503, body: 'Try again in a moment.\n' };

/** Rejects when it cannot listen, with the error of the system; and when the address is not on loopback. */
export async function startAskEndpoint({ listen, sites }: AskEndpointOptions): Promise<AskEndpoint> {
  if (!isLoopback(listen.host))
    throw new Error(`${listen.host} is not a loopback address. This endpoint hands out private keys.`);
  const server = createServer(async (request, response) => {
    const { status, body = '', type = 'text/plain; charset=utf-8' } = await respondTo(request).catch(() => UNAVAILABLE);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    });
    response.end(body);
  });

  async function respondTo(request: IncomingMessage): Promise<AskResponse> {
    if (!isLocal(request)) return { status: 403, body: 'Only programs on this machine may ask here.\n' };
    if (request.method !== 'GET') return { status: 405, body: 'Only GET is allowed.\n' };
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url?.pathname === '/edge/ask') return ask(domainName(url.searchParams.get('domain') ?? ''));
    if (url?.pathname === '/edge/certificate')
      return certificate(domainName(url.searchParams.get('server_name') ?? ''));
    return { status: 404, body: 'Ask /edge/ask or /edge/certificate.\n' };
  }

  async function ask(hostname: string | null): Promise<AskResponse> {
    const kind = hostname === null ? 'unknown' : (await sites.find(hostname, '')).kind;
    if (kind === 'site') return { status: 200 };
    return kind === 'unknown' ? { status: 404 } : UNAVAILABLE;
  }

  async function certificate(hostname: string | null): Promise<AskResponse> {
    if (hostname === null) return { status: 204 };
    const found = await sites.findCertified(hostname, '');
    if (found.kind !== 'site') return found.kind === 'unknown' ? { status: 204 } : UNAVAILABLE;
    const { certificate } = found.site;
    if (certificate === null) return { status: 404, body: 'This name has no certificate yet.\n' };
    if (certificate instanceof Error) return UNAVAILABLE;
    return {
      status: 200,
      type: 'application/x-pem-file',
      body: `${certificate.chain.trimEnd()}\n${privateKeyPem(certificate.privateKey)}`,
    };
  }

  const listening = once(server, 'listening');
  server.listen(listen.port, listen.host);
  await listening;
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * Whether the request is meant for this endpoint. Others have another host, or were forwarded: those of a browser on this machine for a name that
 * resolves to loopback, and those for an origin `http://127.0.0.1:…` that a customer deployed, where the operator allows origins on loopback.
 */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1') ?? '';
  if (host !== 'localhost' && !isLoopback(host)) return false;
  return isLoopback(socket.remoteAddress ?? '') && !FORWARDED.some((name) => headers[name] !== undefined);
}

const isLoopback = networkRule(['127.0.0.0/8', '::1']);
