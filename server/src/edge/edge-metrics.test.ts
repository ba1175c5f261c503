import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { addSnapshots, addUp, withoutGauges } from '../base/threads/snapshots.ts';
import { createEdgeMetrics } from './edge-metrics.ts';

const open = { connections: 7, tunnels: 1, sites: 0, origins: 0, tls_contexts: 0 };

it('the registry of the process shows the sum of what it and all threads count, and every series from the start', async () => {
  const registry = new Registry();
  const threads = [createEdgeMetrics(), createEdgeMetrics()];
  for (const metrics of threads) {
    metrics.watchOpen(() => open);
    metrics.request('h2', 204, 0.003);
    metrics.request('http/1.1', 499, 0.2);
    metrics.page('unavailable');
  }
  createEdgeMetrics(registry).request('h2', 200, 0.003);
  addSnapshots(registry, () => Promise.all(threads.map((metrics) => metrics.snapshot())));
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'nameplate_edge_requests_total{protocol="h2",status="2xx"} 3',
    'nameplate_edge_requests_total{protocol="http/1.1",status="4xx"} 2',
    'nameplate_edge_requests_total{protocol="http/1.0",status="5xx"} 0',
    'nameplate_edge_request_seconds_bucket{le="0.005"} 3',
    'nameplate_edge_request_seconds_bucket{le="0.25"} 5',
    'nameplate_edge_request_seconds_bucket{le="+Inf"} 5',
    'nameplate_edge_request_seconds_count 5',
    'nameplate_edge_pages_total{page="unavailable"} 2',
    'nameplate_edge_handshakes_total{outcome="timeout"} 0',
    'nameplate_edge_lookups_total{kind="site"} 0',
    'nameplate_edge_open{what="connections"} 14',
  ]) {
    expect(lines).toContain(line);
  }
});

it('a request with an impossible status is measured, and nothing throws', async () => {
  const metrics = createEdgeMetrics();
  for (const status of [Number.NaN, 0, -1, 99, 600, 999, 1e9, Number.POSITIVE_INFINITY])
    metrics.request('h2', status, 0);
  const snapshot = await metrics.snapshot();
  const sumOf = (name: string) =>
    snapshot.find((one) => one.name === name)?.values.reduce((sum, { value }) => sum + value, 0);
  expect(sumOf('nameplate_edge_requests_total')).toBe(0);
});

it('of a thread that has ended, counters stay and gauges go', async () => {
  const metrics = createEdgeMetrics();
  metrics.watchOpen(() => open);
  metrics.handshake('full');
  const rest = withoutGauges(await metrics.snapshot());
  const names = (await addUp([rest, rest])).map(({ name }) => name);
  expect(names).toContain('nameplate_edge_handshakes_total');
  expect(names).not.toContain('nameplate_edge_open');
});
