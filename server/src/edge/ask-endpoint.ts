import { createServer, type IncomingMessage } from 'node:http';
import { networkRule } from '../net/addresses.ts';
import { type ListeningServer, listen as startListening } from '../net/listen.ts';
import type { ListenOptions } from '../net/listener.ts';
import { trackResponse } from '../net/response-order.ts';
import type { Site } from '../store/store.ts';
import type { Sites } from './cache/site-cache.ts';
import { domainName } from './http/authority.ts';
import type { FindOriginAddress } from './routing/origin-addresses.ts';
import { privateKeyPem } from './tls/tls-contexts.ts';

/**
 * Tells a program in front, such as Caddy, whether a name is served, its certificate with the private key, and where
 * its requests go. It listens on loopback only.
 *
 * `GET /edge/ask?domain=…`: 200 for a name that is ours, 404 for any other, and for the names below a wildcard domain. `GET /edge/certificate?server_name=…`: 200
 * with the chain and the key (PEM), 204 for a name that is not ours, 404 for one of ours without a certificate. `GET
 * /edge/route?domain=…`: 200 with `X-Nameplate-Origin`, the address and port of the origin, 204 where the edge itself
 * has to respond, 404 for a name that is not ours. All: 503 when the store is down.
 */
type AskEndpoint = Pick<ListeningServer, 'port' | 'accept' | 'fds'> & { stop(): Promise<void> };

interface AskEndpointOptions {
  listen: ListenOptions;
  sites: Pick<Sites, 'find' | 'findCertified' | 'findOrigin'>;
  findAddress: FindOriginAddress;
}

interface AskResponse {
  status: number;
  body?: string;
  type?: string;
  /** `address:port` */
  origin?: string;
}

const TEXT = 'text/plain; charset=utf-8';
/** Longer than Caddy keeps its connections (two minutes), so that Caddy is the one that closes them. */
const KEEP_ALIVE_MS = 150_000;

const UNKNOWN = { kind: 'unknown' } as const;
const UNAVAILABLE: AskResponse = { status: 503, body: 'Try again in a moment.\n' };

/**
 * Whether the program in front may order a certificate for a name. Below a wildcard it would for each name that somebody invents; a prepared name leads
 * elsewhere, so that no CA could validate it there.
 */
function mayOrder(site: Pick<Site, 'hostname' | 'isPrepared'>, hostname: string | null): boolean {
  return site.hostname === hostname && !site.isPrepared;
}

/** Rejects when it cannot listen, and when the address is not on loopback. */
export async function startAskEndpoint({ listen, sites, findAddress }: AskEndpointOptions): Promise<AskEndpoint> {
  if (!isLoopback(listen.host))
    throw new Error(`${listen.host} is not a loopback address. This endpoint hands out private keys.`);
  const server = createServer(async (request, response) => {
    trackResponse(response);
    const { status, body = '', type = TEXT, origin } = await respondTo(request).catch(() => UNAVAILABLE);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(origin !== undefined && { 'x-nameplate-origin': origin }),
    });
    response.end(body);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;

  async function respondTo(request: IncomingMessage): Promise<AskResponse> {
    if (!isLocal(request)) return { status: 403, body: 'Only programs on this machine may ask here.\n' };
    if (request.method !== 'GET') return { status: 405, body: 'Only GET is allowed.\n' };
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url?.pathname === '/edge/ask') return ask(nameIn(url, 'domain'));
    if (url?.pathname === '/edge/certificate') return certificate(nameIn(url, 'server_name'));
    if (url?.pathname === '/edge/route') return route(nameIn(url, 'domain'));
    return { status: 404, body: 'Ask /edge/ask, /edge/certificate or /edge/route.\n' };
  }

  async function ask(hostname: string | null): Promise<AskResponse> {
    const found = hostname === null ? UNKNOWN : await sites.find(hostname, '');
    if (found.kind === 'site') return { status: mayOrder(found.site, hostname) ? 200 : 404 };
    return found.kind === 'unknown' ? { status: 404 } : UNAVAILABLE;
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

  async function route(hostname: string | null): Promise<AskResponse> {
    if (hostname === null) return { status: 404 };
    const found = await sites.find(hostname, '');
    if (found.kind !== 'site') return found.kind === 'unknown' ? { status: 404 } : UNAVAILABLE;
    // The edge serves what has a redirect, a page or settings.
    const { redirect, suspendedStatus, settings } = found.site;
    if (redirect !== null || suspendedStatus !== null || settings !== null) return { status: 204 };
    const environment = await sites.findOrigin(found.site.environmentId);
    // A program in front knows nothing of the settings: the edge has to connect.
    const deployment = environment?.settings === null ? environment.deployment : null;
    const origin = deployment && (await findAddress(deployment.origin));
    return origin === null ? { status: 204 } : { status: 200, origin };
  }

  const { port, accept, fds, stop } = await startListening(server, listen, 'NAMEPLATE_EDGE_FRONT_LISTEN');
  return {
    port,
    accept,
    fds,
    async stop() {
      await stop();
    },
  };
}

/** Null unless the parameter is there once and is a domain name. */
function nameIn({ searchParams }: URL, parameter: string): string | null {
  const [name = '', ...more] = searchParams.getAll(parameter);
  return more.length > 0 ? null : domainName(name);
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * Whether the request is meant for this endpoint. Other requests have another host, or were forwarded: those of a
 * browser on this machine for a name that resolves to loopback, and those for an origin `http://127.0.0.1:…` that a
 * customer deployed, where the operator allows origins on loopback.
 */
function isLocal({ headers, socket }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1') ?? '';
  if (host !== 'localhost' && !isLoopback(host)) return false;
  return isLoopback(socket.remoteAddress ?? '') && !FORWARDED.some((name) => headers[name] !== undefined);
}

const isLoopback = networkRule(['127.0.0.0/8', '::1']);
