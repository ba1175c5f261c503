import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NewId } from '../../base/ids.ts';
import type { ThrottledWarn } from '../../base/throttled-log.ts';
import type { AccessLog } from '../access-log.ts';
import type { EdgeMetrics, Protocol } from '../edge-metrics.ts';
import type { ReverseProxy } from '../proxy/proxy.ts';
import type { RouteRequest, RoutingDecision } from '../routing/route-request.ts';
import type { UsageCounter } from '../usage-counter.ts';
import type { InFlight } from './abort-removed-names.ts';
import type { BodyTimeouts } from './body-timeouts.ts';
import type { Client } from './edge-client.ts';
import type { ClientExchange } from './http-exchange.ts';
import { type EdgePage, type PageContext, type PageName, renderPage } from './pages.ts';
import { isClosed, isQueued, pageBytes, respond, respondOnSocket, respondWithPage, sentStatus } from './respond.ts';

/** Takes each request from its header to its response. */
export interface Handler {
  onRequest(client: Client, exchange: ClientExchange): void;
  onUpgrade(client: Client, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The body of a request arrives too slowly. */
  onSlowBody(slow: ClientExchange & { client: Client }): void;
  /** Called for bytes that are no request: counts the page, and returns the id to show on it. */
  onUnreadable(page: PageName): { requestId: string };
}

interface HandlerOptions {
  routeRequest: RouteRequest;
  usage: Pick<UsageCounter, 'add'>;
  proxy: Pick<ReverseProxy, 'forward' | 'upgrade'>;
  bodyTimeouts: Pick<BodyTimeouts, 'watch'>;
  inFlight: InFlight;
  newId: NewId;
  metrics: Pick<EdgeMetrics, 'request' | 'page'>;
  warn: ThrottledWarn;
  accessLog: AccessLog | null;
}

/** Counted for a response that was never sent, because the client closed the connection. */
const CLIENT_CLOSED = 499;
const SWITCHING_PROTOCOLS = 101;
const CHALLENGE_HEADERS = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };

export function createHandler(options: HandlerOptions): Handler {
  const { routeRequest, usage, proxy, bodyTimeouts, inFlight, newId, metrics, warn, accessLog } = options;

  /** A trusted proxy may have given the request an id, which its own log has too. */
  function requestIdOf({ isProxy }: Client, { headers }: ClientExchange['request']): string {
    const given = isProxy ? headers['x-request-id'] : undefined;
    return typeof given === 'string' && /^[\w.:-]{8,100}$/.test(given) ? given : newId('req');
  }

  /** Counts the end of a request. `pageLength`: null where the response is the origin's, whose bytes the proxy counts. */
  function countRequest(usageNumber: number, status: number, pageLength: number | null): void {
    usage.add(usageNumber, 'requests', 1);
    usage.add(usageNumber, 'bytesOut', pageLength ?? 0);
    if (status >= 500) usage.add(usageNumber, pageLength === null ? 'originErrors' : 'edgeErrors', 1);
  }

  function onRequest(client: Client, exchange: ClientExchange): void {
    const { request, response } = exchange;
    const startedAt = performance.now();
    const requestId = requestIdOf(client, request);
    const sampledBy = accessLog?.samples() ? accessLog : null;
    let forwarded: { contentBytes: number } | null = null;
    let origin: string | null = null;
    let usageNumber = 0;
    let remove = () => {};
    client.begin();
    bodyTimeouts.watch(client, exchange);
    // For `HEAD`, Node does not emit it on a response over HTTP/2 whose stream was written to.
    const closing = 'stream' in response ? response.stream : response;
    closing.once('close', () => {
      remove();
      client.end();
      const ms = performance.now() - startedAt;
      const protocol = protocolOf(request);
      const status = sentStatus(response) ?? CLIENT_CLOSED;
      metrics.request(protocol, status, ms / 1000);
      const pageLength = pageBytes(exchange);
      countRequest(usageNumber, status, pageLength);
      if (sampledBy === null) return;
      const bytes = pageLength ?? forwarded?.contentBytes ?? 0;
      sampledBy.write({ client, request, requestId, protocol, status, bytes, ms, origin });
    });
    void routeRequest(client, request, requestId)
      .then((decision) => {
        if (isClosed(response)) return;
        usageNumber = decision.usageNumber ?? 0;
        if (decision.kind === 'proxy') {
          remove = inFlight.add(decision.routing, () => abort(client, exchange));
          forwarded = proxy.forward({ ...decision.routing, ...exchange });
          origin = decision.routing.origin;
        } else {
          respond(exchange, pageFor(decision, { requestId, accept: request.headers.accept }));
        }
      })
      .catch((error: unknown) => {
        warn('a request could not be handled', { requestId, err: error });
        respondWithPage(exchange, 'unavailable', { hostname: null, requestId });
      });
  }

  function onUpgrade(client: Client, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const startedAt = performance.now();
    const requestId = requestIdOf(client, request);
    const sampledBy = accessLog?.samples() ? accessLog : null;
    const sentBefore = bytesSent(socket);
    let response: { status: number | null; hasFailed?: boolean } | null = null;
    let usageNumber = 0;
    let origin: string | null = null;
    let remove = () => {};
    client.begin();
    socket.on('error', () => {});
    socket.once('close', () => {
      remove();
      client.end();
      const status = response?.status ?? CLIENT_CLOSED;
      if (status >= 500) usage.add(usageNumber, response?.hasFailed === false ? 'originErrors' : 'edgeErrors', 1);
      if (sampledBy === null) return;
      const bytes = bytesSent(socket) - sentBefore;
      const ms = performance.now() - startedAt;
      sampledBy.write({ client, request, requestId, protocol: 'http/1.1', status, bytes, ms, origin });
    });
    void routeRequest(client, request, requestId)
      .then((decision) => {
        if (socket.destroyed) return;
        usageNumber = decision.usageNumber ?? 0;
        // At once, since a tunnel may last for days.
        usage.add(usageNumber, 'requests', 1);
        if (decision.kind === 'proxy') {
          remove = inFlight.add(decision.routing, () => socket.destroy());
          response = proxy.upgrade({ ...decision.routing, request, socket, head });
          origin = decision.routing.origin;
          metrics.request('http/1.1', SWITCHING_PROTOCOLS, 0);
        } else {
          const page = pageFor(decision, { requestId, accept: request.headers.accept });
          response = page;
          metrics.request('http/1.1', page.status, 0);
          respondOnSocket(socket, page);
        }
      })
      .catch((error: unknown) => {
        warn('a request could not be handled', { requestId, err: error });
        socket.destroy();
      });
  }

  function pageFor(
    decision: Exclude<RoutingDecision, { kind: 'proxy' }>,
    context: Omit<PageContext, 'hostname' | 'brand' | 'hsts'>,
  ): EdgePage {
    switch (decision.kind) {
      case 'redirect':
        return plainResponse(decision.status, decision.headers, '', context.requestId);
      case 'challenge':
        return plainResponse(200, CHALLENGE_HEADERS, decision.keyAuthorization, context.requestId);
      case 'page':
        metrics.page(decision.page);
        return renderPage(decision.page, { ...context, ...decision });
      default:
        return decision satisfies never;
    }
  }

  return {
    onRequest,
    onUpgrade,
    onSlowBody({ client, request, response }) {
      if (response.headersSent) {
        // A page that is queued: the connection ends behind it.
        if (!isQueued(response)) abort(client, { request, response });
        return;
      }
      metrics.page('request_timeout');
      respondWithPage({ request, response }, 'request_timeout', { hostname: null, requestId: newId('req') });
    },
    onUnreadable(page) {
      metrics.page(page);
      return { requestId: newId('req') };
    },
  };
}

/** Over HTTP/2, other requests on the connection go on. */
function abort(client: Client, { request, response }: ClientExchange): void {
  if ('stream' in request) response.destroy();
  else client.destroy();
}

/** On a connection so far. */
function bytesSent(socket: Duplex & { bytesWritten?: number }): number {
  return socket.bytesWritten ?? 0;
}

function plainResponse(status: number, headers: Record<string, string>, body: string, requestId: string): EdgePage {
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, 'content-length': length, 'x-request-id': requestId }, body };
}

function protocolOf({ httpVersion }: ClientExchange['request']): Protocol {
  if (httpVersion === '2.0') return 'h2';
  return httpVersion === '1.0' ? 'http/1.0' : 'http/1.1';
}
