import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NewId } from '../../ids.ts';
import type { Decide, Decision } from '../routing/decide.ts';
import type { Protocol, Tally } from '../shared-counters.ts';
import type { Report } from '../throttled-log.ts';
import type { Bodies } from './body-timeouts.ts';
import type { Client } from './edge-client.ts';
import type { Asked, Exchange, Forwarder } from './edge-exchange.ts';
import type { UnderWay } from './in-flight.ts';
import { type Page, type PageContext, type PageName, renderPage } from './pages.ts';
import { answer, answerPage, answerSocket, isGone, sentStatus } from './respond.ts';

/** Takes each request from its header to its answer. */
export interface Handler {
  onRequest(client: Client, asked: Asked): void;
  onUpgrade(client: Client, request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The body of a request comes too slowly. */
  onSlowBody(slow: Pick<Exchange, 'request' | 'response'> & { client: Client }): void;
  /** What was sent never became a request: it is counted, and gets an id. */
  onUnreadable(page: PageName): { requestId: string };
}

export interface HandlerOptions {
  decide: Decide;
  forwarder: Forwarder;
  bodies: Pick<Bodies, 'watch'>;
  underWay: UnderWay;
  newId: NewId;
  tally: Pick<Tally, 'request' | 'page'>;
  report: Report;
}

/** Of an answer that was never sent, because the client has gone. */
const CLIENT_CLOSED = 499;
const SWITCHED = 101;
const CHALLENGE_HEADERS = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };

export function createHandler({ decide, forwarder, bodies, underWay, newId, tally, report }: HandlerOptions): Handler {
  /** A trusted proxy has given the request an id, which its own log has too. */
  function requestIdOf({ isProxy }: Client, { headers }: Exchange['request']): string {
    const given = isProxy ? headers['x-request-id'] : undefined;
    return typeof given === 'string' && /^[\w.:-]{8,100}$/.test(given) ? given : newId('req');
  }

  function onRequest(client: Client, asked: Asked): void {
    const { request, response } = asked;
    const began = performance.now();
    const requestId = requestIdOf(client, request);
    let leave = () => {};
    client.begin();
    bodies.watch(client, asked);
    response.once('close', () => {
      leave();
      client.end();
      tally.request(protocolOf(request), sentStatus(response) ?? CLIENT_CLOSED, (performance.now() - began) / 1000);
    });
    void decide(client, request, requestId)
      .then((decision) => {
        if (isGone(response)) return;
        if (decision.kind === 'forward') {
          leave = underWay.enter(decision.routed, () => cut(client, asked));
          forwarder.forward({ ...decision.routed, ...asked });
        } else {
          answer(asked, pageFor(decision, { requestId, accept: request.headers.accept }));
        }
      })
      .catch((error: unknown) => {
        report('a request could not be handled', { requestId, err: error });
        answerPage(asked, 'unavailable', { hostname: null, requestId });
      });
  }

  function onUpgrade(client: Client, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const requestId = requestIdOf(client, request);
    let leave = () => {};
    client.begin();
    socket.on('error', () => {});
    socket.once('close', () => {
      leave();
      client.end();
    });
    void decide(client, request, requestId)
      .then((decision) => {
        if (socket.destroyed) return;
        if (decision.kind === 'forward') {
          leave = underWay.enter(decision.routed, () => socket.destroy());
          forwarder.upgrade({ ...decision.routed, request, socket, head });
          tally.request('http/1.1', SWITCHED, 0);
        } else {
          const page = pageFor(decision, { requestId, accept: request.headers.accept });
          tally.request('http/1.1', page.status, 0);
          answerSocket(socket, page);
        }
      })
      .catch((error: unknown) => {
        report('a request could not be handled', { requestId, err: error });
        socket.destroy();
      });
  }

  function pageFor(decision: Exclude<Decision, { kind: 'forward' }>, context: Omit<PageContext, 'hostname'>): Page {
    switch (decision.kind) {
      case 'redirect':
        return bare(308, { location: decision.location }, '', context.requestId);
      case 'challenge':
        return bare(200, CHALLENGE_HEADERS, decision.keyAuthorization, context.requestId);
      case 'page':
        tally.page(decision.page);
        return renderPage(decision.page, { ...context, hostname: decision.hostname });
      default:
        return decision satisfies never;
    }
  }

  return {
    onRequest,
    onUpgrade,
    onSlowBody({ client, request, response }) {
      if (response.headersSent) {
        cut(client, { request, response });
        return;
      }
      tally.page('request_timeout');
      answerPage({ request, response }, 'request_timeout', { hostname: null, requestId: newId('req') });
    },
    onUnreadable(page) {
      const requestId = newId('req');
      tally.page(page);
      return { requestId };
    },
  };
}

/** The name is no longer that of the environment that answers. HTTP/2 has other requests on the connection. */
function cut(client: Client, { request, response }: Pick<Exchange, 'request' | 'response'>): void {
  if ('stream' in request) response.destroy();
  else client.destroy();
}

function bare(status: number, headers: Record<string, string>, body: string, requestId: string): Page {
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, 'content-length': length, 'x-request-id': requestId }, body };
}

function protocolOf({ httpVersion }: Exchange['request']): Protocol {
  if (httpVersion === '2.0') return 'h2';
  return httpVersion === '1.0' ? 'http/1.0' : 'http/1.1';
}
