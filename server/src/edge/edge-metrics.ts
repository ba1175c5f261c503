import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricsSnapshot } from '../base/threads/snapshots.ts';
import { PROXY_HEADER_OUTCOMES, type ProxyHeaderOutcome } from '../net/proxy-header-reader.ts';
import { PAGE_NAMES, type PageName } from './http/pages.ts';

/** Counts the metrics of one edge thread. The methods never throw: they are called while connections close. */
export interface EdgeMetrics {
  /** Called when a request has ended; `seconds`: time since its header. */
  request(protocol: Protocol, status: number, seconds: number): void;
  handshake(outcome: HandshakeOutcome): void;
  /** Called for a connection that has to begin with a PROXY header. */
  proxyHeader(outcome: ProxyHeaderOutcome): void;
  page(name: PageName): void;
  lookup(kind: LookupKind): void;
  /** `count` is called whenever the metrics are read. */
  watchOpen(count: () => Record<OpenKind, number>): void;
  snapshot(): Promise<MetricsSnapshot>;
}

const PROTOCOLS = ['http/1.0', 'http/1.1', 'h2'] as const;
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/**
 * `challenge`: a CA has seen the response to a challenge. `refused`: too many unknown names from this address. `closed`: the client closed the connection, or broke the
 * protocol.
 */
const HANDSHAKE_OUTCOMES = [
  'full',
  'resumed',
  'challenge',
  'unknown_name',
  'not_certified',
  'unavailable',
  'refused',
  'timeout',
  'closed',
] as const;
const LOOKUP_KINDS = ['brand', 'site', 'origin', 'challenge'] as const;

export type Protocol = (typeof PROTOCOLS)[number];
export type HandshakeOutcome = (typeof HANDSHAKE_OUTCOMES)[number];
export type LookupKind = (typeof LOOKUP_KINDS)[number];
type OpenKind = 'connections' | 'tunnels' | 'sites' | 'origins' | 'tls_contexts';

function register(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    requests: counter(
      'nameplate_edge_requests_total',
      'Requests to the edge, by protocol and status class; 4xx includes clients that closed before the response.',
      'protocol',
      'status',
    ),
    seconds: new Histogram({
      name: 'nameplate_edge_request_seconds',
      help: 'Time from the header of a request to the end of its response.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    handshakes: counter('nameplate_edge_handshakes_total', 'TLS handshakes, by outcome.', 'outcome'),
    proxyHeaders: counter(
      'nameplate_edge_proxy_headers_total',
      'Connections that have to begin with a PROXY header, by how they began.',
      'outcome',
    ),
    pages: counter('nameplate_edge_pages_total', 'Responses of the edge itself, in place of an origin.', 'page'),
    lookups: counter('nameplate_edge_lookups_total', 'Reads of the store by the edge, by kind.', 'kind'),
    open: new Gauge({
      name: 'nameplate_edge_open',
      help: 'Open connections and tunnels; cached sites, origins and TLS contexts.',
      labelNames: ['what'],
      registers,
    }),
  };
}

export function createEdgeMetrics(registry = new Registry()): EdgeMetrics {
  const { open, seconds, ...counters } = register(registry);
  const requests = Object.fromEntries(
    PROTOCOLS.map((protocol) => [
      protocol,
      STATUS_CLASSES.map((status) => fromZero(counters.requests.labels(protocol, status))),
    ]),
  );
  const handshakes = byLabel(counters.handshakes, HANDSHAKE_OUTCOMES);
  const proxyHeaders = byLabel(counters.proxyHeaders, PROXY_HEADER_OUTCOMES);
  const pages = byLabel(counters.pages, PAGE_NAMES);
  const lookups = byLabel(counters.lookups, LOOKUP_KINDS);
  return {
    request(protocol, status, elapsedSeconds) {
      requests[protocol]?.[Math.floor(status / 100) - 1]?.inc();
      seconds.observe(elapsedSeconds);
    },
    handshake: (outcome) => handshakes[outcome]?.inc(),
    proxyHeader: (outcome) => proxyHeaders[outcome]?.inc(),
    page: (name) => pages[name]?.inc(),
    lookup: (kind) => lookups[kind]?.inc(),
    watchOpen(count) {
      Object.assign(open, {
        collect() {
          for (const [what, value] of Object.entries(count())) open.set({ what }, value);
        },
      });
    },
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

interface Child {
  inc(value?: number): void;
}

/** Shows the value before the first increment. */
function fromZero(child: Child): Child {
  child.inc(0);
  return child;
}

function byLabel(counter: Counter, values: readonly string[]): Record<string, Child> {
  return Object.fromEntries(values.map((value) => [value, fromZero(counter.labels(value))]));
}
