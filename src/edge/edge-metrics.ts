import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { PAGE_NAMES, type PageName } from './http/pages.ts';

/** What one thread of the edge counts. The methods never throw: they are called while connections close. */
export interface EdgeMetrics {
  /** A request has ended; `seconds` since its header. */
  request(protocol: Protocol, status: number, seconds: number): void;
  handshake(outcome: HandshakeOutcome): void;
  page(name: PageName): void;
  lookup(kind: LookupKind): void;
  threadDeath(): void;
  /** `count` is called whenever the metrics are read. */
  watchOpen(count: () => Record<OpenKind, number>): void;
  snapshot(): Promise<MetricsSnapshot>;
}

/** Values of a registry, as prom-client aggregates them; they can be sent between threads. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const PROTOCOLS = ['http/1.0', 'http/1.1', 'h2'] as const;
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** `refused`: too many unknown names from this address. `closed`: the client closed the connection, or broke the protocol. */
const HANDSHAKE_OUTCOMES = [
  'full',
  'resumed',
  'unknown_name',
  'not_certified',
  'unavailable',
  'refused',
  'timeout',
  'closed',
] as const;
const LOOKUP_KINDS = ['site', 'origin', 'challenge'] as const;

export type Protocol = (typeof PROTOCOLS)[number];
export type HandshakeOutcome = (typeof HANDSHAKE_OUTCOMES)[number];
export type LookupKind = (typeof LOOKUP_KINDS)[number];
export type OpenKind = 'connections' | 'tunnels' | 'sites' | 'origins' | 'tls_contexts';

const OPEN = 'nameplate_edge_open';

function register(registry: Registry) {
  const registers = [registry];
  return {
    nameplate_edge_requests_total: new Counter({
      name: 'nameplate_edge_requests_total',
      help: 'Requests to the edge, by protocol and status class; 4xx includes clients that closed before the response.',
      labelNames: ['protocol', 'status'],
      registers,
    }),
    nameplate_edge_request_seconds: new Histogram({
      name: 'nameplate_edge_request_seconds',
      help: 'Time from the header of a request to the end of its response.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    nameplate_edge_handshakes_total: new Counter({
      name: 'nameplate_edge_handshakes_total',
      help: 'TLS handshakes, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    nameplate_edge_pages_total: new Counter({
      name: 'nameplate_edge_pages_total',
      help: 'Pages that the edge sent itself, without a response of an origin.',
      labelNames: ['page'],
      registers,
    }),
    nameplate_edge_lookups_total: new Counter({
      name: 'nameplate_edge_lookups_total',
      help: 'Reads of the store by the edge, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    nameplate_edge_thread_deaths_total: new Counter({
      name: 'nameplate_edge_thread_deaths_total',
      help: 'Threads of the edge that died and were replaced.',
      registers,
    }),
    [OPEN]: new Gauge({
      name: OPEN,
      help: 'Open connections and tunnels; cached sites, origins and TLS contexts.',
      labelNames: ['what'],
      registers,
    }),
  } as const;
}

export function createEdgeMetrics(): EdgeMetrics {
  const registry = new Registry();
  const metrics = register(registry);
  const requests = Object.fromEntries(
    PROTOCOLS.map((protocol) => [
      protocol,
      STATUS_CLASSES.map((status) => started(metrics.nameplate_edge_requests_total.labels(protocol, status))),
    ]),
  );
  const handshakes = startedByLabel(metrics.nameplate_edge_handshakes_total, HANDSHAKE_OUTCOMES);
  const pages = startedByLabel(metrics.nameplate_edge_pages_total, PAGE_NAMES);
  const lookups = startedByLabel(metrics.nameplate_edge_lookups_total, LOOKUP_KINDS);
  return {
    request(protocol, status, seconds) {
      requests[protocol]?.[Math.floor(status / 100) - 1]?.inc();
      metrics.nameplate_edge_request_seconds.observe(seconds);
    },
    handshake: (outcome) => handshakes[outcome]?.inc(),
    page: (name) => pages[name]?.inc(),
    lookup: (kind) => lookups[kind]?.inc(),
    threadDeath: () => metrics.nameplate_edge_thread_deaths_total.inc(),
    watchOpen(count) {
      Object.assign(metrics[OPEN], {
        collect() {
          for (const [what, value] of Object.entries(count())) metrics[OPEN].set({ what }, value);
        },
      });
    },
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

/** Shows in `registry` the sum of the snapshots, whenever it is read. */
export function exposeEdgeMetrics(registry: Registry, snapshots: () => Promise<MetricsSnapshot[]>): void {
  let reading: Promise<MetricsSnapshot> | undefined;

  /** The registry reads all of its metrics at once: they share one sum. */
  function sum(): Promise<MetricsSnapshot> {
    reading ??= snapshots()
      .then(addUp)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  for (const [name, metric] of Object.entries(register(registry))) {
    const get = async () => (await sum()).find((one) => one.name === name);
    Object.assign(metric, { get, getForPromString: get });
  }
}

export function addUp(snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
  return AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
}

/** What remains of a thread that has ended: its counters. */
export function withoutGauges(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ name }) => name !== OPEN);
}

interface Child {
  inc(value?: number): void;
}

/** Shows 0 before the first increment. */
function started(child: Child): Child {
  child.inc(0);
  return child;
}

function startedByLabel(counter: Counter, values: readonly string[]): Record<string, Child> {
  return Object.fromEntries(values.map((value) => [value, started(counter.labels(value))]));
}
