import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkRule } from '../net/addresses.ts';
import { domainName } from './http/authority.ts';
import type { Routes } from './routing/routes.ts';
import { privateKeyPem } from './tls/private-key-pem.ts';

/**
 * What a program in front asks, such as Caddy: whether a name is served, and for its certificate with the private key. It listens on loopback alone.
 *
 * `GET /edge/ask?domain=…`: 200 for a name that is ours, 404 for any other. `GET /edge/certificate?server_name=…`: 200 with the chain and the key
 * (PEM), 204 for a name that is not ours, 404 for one of ours that has none yet. 503 for both when the store cannot be asked.
 */
export interface Front {
  port: number;
  stop(): Promise<void>;
}

export interface FrontOptions {
  listen: { host: string; port: number };
  routes: Pick<Routes, 'findRoute'> & { certificates: Pick<Routes['certificates'], 'load'> };
}

interface Reply {
  status: number;
  body?: string;
  type?: string;
}

/** Rejects when it cannot listen, with the system's own error; and where the address is not on loopback. */
export async function startFront({ listen, routes }: FrontOptions): Promise<Front> {
  if (!isLoopback(listen.host))
    throw new Error(`${listen.host} is not a loopback address: whoever asks there is handed private keys.`);
  const server = createServer(async (request, response) => {
    const { status, body = '', type = 'text/plain; charset=utf-8' } = await reply(request).catch(unavailable);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    });
    response.end(body);
  });

  async function reply(request: IncomingMessage): Promise<Reply> {
    if (!isAskedHere(request)) return { status: 403, body: 'This is for programs on the same machine alone.\n' };
    if (request.method !== 'GET') return { status: 405, body: 'Only GET is answered here.\n' };
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/edge/ask') return ask(domainName(searchParams.get('domain') ?? ''));
    if (pathname === '/edge/certificate') return certificate(domainName(searchParams.get('server_name') ?? ''));
    return { status: 404, body: 'There are /edge/ask and /edge/certificate here.\n' };
  }

  async function ask(hostname: string | null): Promise<Reply> {
    const kind = hostname === null ? 'unknown' : (await routes.findRoute(hostname, '')).kind;
    if (kind === 'route') return { status: 200 };
    return kind === 'unknown' ? { status: 404 } : unavailable();
  }

  async function certificate(hostname: string | null): Promise<Reply> {
    if (hostname === null) return { status: 204 };
    const { kind } = await routes.findRoute(hostname, '');
    if (kind !== 'route') return kind === 'unknown' ? { status: 204 } : unavailable();
    const served = await routes.certificates.load(hostname);
    if (served === null) return { status: 404, body: 'There is no certificate for this name yet.\n' };
    return {
      status: 200,
      type: 'application/x-pem-file',
      body: `${served.chain.trimEnd()}\n${privateKeyPem(served.privateKey)}`,
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

function unavailable(): Reply {
  return { status: 503, body: 'Try again in a moment.\n' };
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * Whether the one who asks means this very server. What an origin is asked, or what a page in a browser of this machine asks by a name that leads to
 * loopback, has another host or was forwarded: a customer may deploy `http://127.0.0.1:…` where the operator allows origins on loopback.
 */
function isAskedHere({ headers, socket }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1') ?? '';
  if (host !== 'localhost' && !isLoopback(host)) return false;
  return isLoopback(socket.remoteAddress ?? '') && !FORWARDED.some((name) => headers[name] !== undefined);
}

const isLoopback = networkRule(['127.0.0.0/8', '::1']);
