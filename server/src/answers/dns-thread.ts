import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { metricFactory } from '../base/metric-factory.ts';
import type { SupervisedMethods } from '../base/threads/supervisor.ts';
import { serveParent } from '../base/threads/thread.ts';
import type { DnsThreadData, DnsThreadMethods } from './dns.ts';
import { startDnsServer } from './dns-server.ts';
import { dnsServerMetrics } from './dns-server-metrics.ts';

// The script of the thread that answers DNS queries. The main thread reads the store for it.

const { settings, data }: DnsThreadData = workerData;
const factory = metricFactory();

const own: DnsThreadMethods & SupervisedMethods = {
  setData: async (next) => (await server).setData(next),
  accept: async () => (await server).accept(),
  fds: async () => (await server).fds(),
  snapshot: () => factory.registry.getMetricsAsJSON(),
  async stop() {
    (await server).stop();
    main.close();
  },
};
const main = serveParent<Record<string, never>>(own);

const server = startDnsServer(settings, { data, clock: systemClock, metrics: dnsServerMetrics(factory) });
await server;
main.ready();
