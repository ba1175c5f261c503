import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { PAGE_NAMES } from './http/pages.ts';
import {
  HANDSHAKE_OUTCOMES,
  LOOKUP_KINDS,
  MEASURED,
  PROTOCOLS,
  SECONDS,
  STATUS_CLASSES,
  sumOf,
} from './shared-counters.ts';

type Sum = (slot: string) => number;

/** Shows in a registry what the threads have counted, whenever it is read. */
export function registerEdgeMetrics(registry: Registry, memories: readonly SharedArrayBuffer[]): void {
  const sum: Sum = (slot) => sumOf(memories, slot);
  const registers = [registry];
  new Counter({
    name: 'nameplate_edge_requests_total',
    help: 'Requests to the edge, by protocol and class of status; 4xx also where the client went away before its answer.',
    labelNames: ['protocol', 'status'],
    registers,
    collect() {
      this.reset();
      for (const protocol of PROTOCOLS) {
        for (const status of STATUS_CLASSES) this.inc({ protocol, status }, sum(`request ${protocol} ${status}`));
      }
    },
  });
  new SummedHistogram(sum, {
    name: 'nameplate_edge_request_seconds',
    help: 'Time from the header of a request to the edge until its answer was sent.',
    registers,
  });
  counter(registry, sum, 'handshake', HANDSHAKE_OUTCOMES, {
    name: 'nameplate_edge_handshakes_total',
    help: 'TLS handshakes, by outcome.',
    label: 'outcome',
  });
  counter(registry, sum, 'page', PAGE_NAMES, {
    name: 'nameplate_edge_pages_total',
    help: 'Answers of the edge itself, in place of an origin.',
    label: 'page',
  });
  counter(registry, sum, 'lookup', LOOKUP_KINDS, {
    name: 'nameplate_edge_lookups_total',
    help: 'Reads of the store on behalf of the edge, by kind.',
    label: 'kind',
  });
  new Gauge({
    name: 'nameplate_edge_open',
    help: 'What the edge holds now: connections of clients, names remembered, TLS contexts.',
    labelNames: ['what'],
    registers,
    collect() {
      for (const what of MEASURED) this.set({ what }, sum(`measured ${what}`));
    },
  });
}

function counter(
  registry: Registry,
  sum: Sum,
  prefix: string,
  values: readonly string[],
  { name, help, label }: { name: string; help: string; label: string },
): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const value of values) this.inc({ [label]: value }, sum(`${prefix} ${value}`));
    },
  });
}

/** A histogram whose observations were made elsewhere. */
class SummedHistogram extends Histogram {
  readonly #sum: Sum;
  /** Knows what to say of a histogram, and has seen nothing. */
  readonly #empty: Histogram;

  constructor(sum: Sum, about: { name: string; help: string; registers: Registry[] }) {
    super({ ...about, buckets: [...SECONDS] });
    this.#sum = sum;
    this.#empty = new Histogram({ ...about, buckets: [...SECONDS], registers: [] });
  }

  override get() {
    return this.getForPromString();
  }

  /** What the registry asks for to print it; the types of the library do not tell. */
  async getForPromString() {
    const metric = await this.#empty.get();
    const { name } = metric;
    let count = 0;
    const buckets = [...SECONDS, '+Inf'].map((le) => {
      count += this.#sum(`seconds ${le}`);
      return { metricName: `${name}_bucket`, labels: { le }, value: count };
    });
    const sum = { metricName: `${name}_sum`, labels: {}, value: this.#sum('seconds sum') };
    return { ...metric, values: [...buckets, sum, { metricName: `${name}_count`, labels: {}, value: count }] };
  }
}
