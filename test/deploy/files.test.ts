import { dirname, join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { IMAGE } from '../../scripts/image.ts';
import { operations } from '../../server/src/api/operations.ts';
import { STOP_MS } from '../../server/src/cli/signals.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { anyAddress } from '../../server/src/config/parse-values.ts';
import { commandVariables, serverVariables } from '../../server/src/config/variables.ts';
import { watchEdgeCache } from '../../server/src/edge/cache/edge-cache-metrics.ts';
import { createEdgeMetrics } from '../../server/src/edge/edge-metrics.ts';
import { PAGE_NAMES, renderPage } from '../../server/src/edge/http/pages.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { asUnavailable } from '../../server/src/store/engine/postgres/postgres-errors.ts';
import { assignment, read } from './files.ts';

const example = Object.fromEntries(
  read('deploy/nameplate.env.example')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map(assignment),
);
const image = readServerConfig({ ...IMAGE.Env, ...example });
const unit = read('deploy/nameplate.service');
const pods = read('deploy/chart/nameplate/templates/pods.yaml');

interface Dashboard {
  panels: {
    id: number;
    title: string;
    gridPos: { x: number; y: number; w: number; h: number };
    targets?: { expr: string }[];
  }[];
}

/** The values that the unit gives a setting. */
function settings(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

const service = readServerConfig({ ...Object.fromEntries(settings('Environment').map(assignment)), ...example });

test.each([
  'compose.yaml',
  'deploy/chart/nameplate/templates/pods.yaml',
  'deploy/chart/nameplate/values.yaml',
  'deploy/haproxy.cfg',
  'deploy/healthcheck.ts',
  'deploy/nameplate.service',
  'deploy/nameplate.env.example',
  'scripts/image.ts',
  'docs/guides/alerts.md',
  'docs/guides/certificates.md',
  'docs/guides/operations.md',
  'docs/guides/scale.md',
])('%s names only variables that exist', (path) => {
  const known = Object.values({ ...serverVariables, ...commandVariables }).map(({ name }) => name);
  for (const [name] of read(path).matchAll(/NAMEPLATE_[A-Z_]*[A-Z]/g)) expect(known).toContain(name);
});

const { listen, metricsListen, edgeHttpListen, edgeHttpsListen, edgeHealthListen } = serverVariables;

test('the image listens on all addresses, above port 1023, and exposes that; API and metrics at the ports of the defaults', () => {
  const usual = [listen, metricsListen].map((each) => each.parse(each.default)?.port);
  const health = edgeHealthListen.parse(edgeHealthListen.example)?.port;
  const edge = [image.edgeHttpListen, image.edgeHttpsListen, image.edgeHealthListen];
  const listeners = [image.listen, image.metricsListen, ...edge];
  const ports = listeners.map((listener) => listener?.port);
  expect(ports).toEqual([...usual, 8080, 8443, health]);
  // IPv6 too, where the container has it.
  expect(listeners).toEqual(ports.map((port) => ({ host: anyAddress(), port })));
  expect(IMAGE.ports).toEqual(ports);
});

test('compose.yaml publishes the edge to the world at the ports of the defaults, all else to this machine', () => {
  const published = [...read('compose.yaml').matchAll(/- "((?:[\d.]+:)?\d+):(\d+)"/g)];
  const outside = [edgeHttpListen, edgeHttpsListen].map((each) => `${each.parse(each.default)?.port}`);
  expect(published.map(([, outer, inner]) => [outer, Number(inner)])).toEqual([
    [outside[0], image.edgeHttpListen?.port],
    [outside[1], image.edgeHttpsListen?.port],
    [`127.0.0.1:${image.listen.port}`, image.listen.port],
    [`127.0.0.1:${image.metricsListen?.port}`, image.metricsListen?.port],
  ]);
});

test('the unit may listen on the ports of the edge, and may nothing else that root may', () => {
  const ports = [service.edgeHttpListen?.port, service.edgeHttpsListen?.port];
  expect(ports).toEqual([80, 443]);
  for (const name of ['AmbientCapabilities', 'CapabilityBoundingSet'])
    expect(settings(name)).toEqual(['CAP_NET_BIND_SERVICE']);
  // In a user namespace of its own it would have the capability there alone, where there are no such ports.
  expect(settings('PrivateUsers')).toEqual([]);
});

test('the image and the unit keep the store where they may write', () => {
  const directoryOf = ({ databaseUrl }: typeof image) =>
    databaseUrl.engine === 'sqlite' ? dirname(databaseUrl.path) : databaseUrl.engine;
  expect(IMAGE.WorkingDir).toBe(directoryOf(image));
  expect(settings('StateDirectory').map((name) => `/var/lib/${name}`)).toEqual([directoryOf(service)]);
  const cache = settings('Environment')
    .map(assignment)
    .find(([name]) => name === 'NODE_COMPILE_CACHE');
  expect(settings('CacheDirectory').map((name) => `/var/cache/${name}`)).toEqual([cache?.[1]]);
});

test('the image, compose.yaml and the unit keep the edge cache where it survives a restart, with PostgreSQL too', () => {
  const beside = ({ databaseUrl }: typeof image) =>
    databaseUrl.engine === 'sqlite' ? join(dirname(databaseUrl.path), 'edge-cache') : databaseUrl.engine;
  expect(image.edgeCache).toBe(beside(image));
  expect(service.edgeCache).toBe(beside(service));
  expect(read('compose.yaml')).toContain(`- edge:${dirname(String(image.edgeCache))}\n`);
});

test('the image runs Node with the memory that bin/nameplate gives it', () => {
  const program = read('bin/nameplate');
  const [, flags] = /^exec "\$node" (.*) "\$root\/bin\/start.mjs"/m.exec(program) ?? [];
  const [, arenas] = /MALLOC_ARENA_MAX-(\d+)/.exec(program) ?? [];
  expect(IMAGE.Env).toMatchObject({ NODE_OPTIONS: flags, MALLOC_ARENA_MAX: arenas });
});

test('the unit, compose.yaml and the chart give a clean stop the time that it may take', () => {
  const longestMs = service.drainMs + STOP_MS;
  expect(Number(settings('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(longestMs);
  const [, compose] = /^ {2}nameplate:\n[\s\S]*?stop_grace_period: (\d+)s/m.exec(read('compose.yaml')) ?? [];
  expect(Number(compose) * 1000).toBeGreaterThan(longestMs);
  const [, kubernetes] = /terminationGracePeriodSeconds: (\d+)/.exec(pods) ?? [];
  const [, sleep] = /sleep: \{ seconds: (\d+) \}/.exec(pods) ?? [];
  expect((Number(kubernetes) - Number(sleep)) * 1000).toBeGreaterThan(longestMs);
});

test('the unit lets another process notify systemd, and reloads with the program that it runs', () => {
  expect(settings('Type')).toEqual(['notify']);
  expect(settings('NotifyAccess')).toEqual(['all']);
  expect(settings('ExecReload')).toEqual(settings('ExecStart').map((command) => command.replace(/ serve$/, ' reload')));
});

/** Names of the metrics in an alert or a panel, without the suffix of a histogram. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:nameplate|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));
}

async function allMetrics(): Promise<Map<string, string>> {
  const { registry } = createMetrics();
  createEdgeMetrics(registry);
  watchEdgeCache(registry, { clock: { now: () => 0 }, entries: () => 0, written: () => null });
  return new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
}

test('every alert asks for metrics and operations that there are', async () => {
  const known = await allMetrics();
  const alerts = read('deploy/alerts.yml');
  const asked = metricsIn(alerts);
  expect(asked.length).toBeGreaterThan(0);
  for (const name of asked) expect([...known.keys()]).toContain(name);
  const answers = operations.map(({ name, status }) => `operation="${name}",status="${status}"`);
  for (const [answer] of alerts.matchAll(/operation="[^}]*/g)) expect(answers).toContain(answer);
});

test('every panel of the dashboard asks for metrics that there are, counters as rates, and the panels do not overlap', async () => {
  const known = await allMetrics();
  const { panels }: Dashboard = JSON.parse(read('deploy/grafana.json'));
  const taken = new Set<string>();
  for (const { id, title, gridPos, targets = [] } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken, `${title} (${id})`).not.toContain(`${x},${y}`);
        taken.add(`${x},${y}`);
      }
    for (const { expr } of targets) {
      expect(metricsIn(expr).length + Number(expr.includes('up{'))).toBeGreaterThan(0);
      for (const name of metricsIn(expr)) {
        expect([...known.keys()]).toContain(name);
        const isRate = new RegExp(`(?:rate|increase)\\(${name}(?:_bucket)?[[{]`).test(expr);
        expect(isRate, expr).toBe(known.get(name) !== 'gauge');
      }
    }
  }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

test('every alert about the edge asks for series that it counts from its start', async () => {
  const registry = new Registry();
  createEdgeMetrics(registry);
  const series = await registry.metrics();
  const asked = [...read('deploy/alerts.yml').matchAll(/(nameplate_edge_\w+)\{(\w+)=~?"([^"]*)"\}/g)];
  expect(asked.length).toBeGreaterThan(0);
  for (const [, name, label, values = ''] of asked)
    for (const value of values.split('|'))
      expect(series).toMatch(new RegExp(`^${name}\\{[^}]*${label}="${value}"`, 'm'));
});

test('load balancers and pods look at the health of the edge where the image has it, and reach its ports', () => {
  const port = image.edgeHealthListen?.port;
  expect(read('deploy/haproxy.cfg')).toContain(`option httpchk GET /readyz\n`);
  expect(read('deploy/haproxy.cfg')).toContain(` check port ${port} `);
  expect(
    [...pods.matchAll(/(\w+)Probe:(?:\n +#.*)?\n +httpGet: \{ path: (\S+), port: health \}/g)].map(([, name, path]) => [
      name,
      path,
    ]),
  ).toEqual([
    ['startup', '/healthz'],
    ['liveness', '/healthz'],
    ['readiness', '/readyz'],
  ]);
  const named = [...pods.matchAll(/name: (\w+), containerPort: (\d+)/g)].map(([, name, at]) => [name, Number(at)]);
  expect(Object.fromEntries(named)).toEqual({
    api: image.listen.port,
    metrics: image.metricsListen?.port,
    health: port,
    http: image.edgeHttpListen?.port,
    https: image.edgeHttpsListen?.port,
  });
});

test('docs/guides/alerts.md explains every alert', () => {
  const told = read('docs/guides/alerts.md');
  for (const [, name] of read('deploy/alerts.yml').matchAll(/- alert: (\w+)/g)) expect(told).toContain(`\`${name}\``);
});

test('docs/guides/help-a-customer.md explains every page of the edge that a visitor may see', () => {
  const told = read('docs/guides/help-a-customer.md');
  for (const name of PAGE_NAMES) {
    const { body } = renderPage(name, { hostname: null, requestId: 'req_1', accept: 'application/json' });
    const { title } = JSON.parse(body).error;
    // Faults of the program that sent the request have one row.
    expect(told).toContain(/^The (request|method|version) /.test(title) ? '"The request …"' : `"${title}"`);
  }
});

test.each(['08P01', '26000', '42P05'])('the refusal of a pooler (%s) leads to the setting that it needs', (code) => {
  const refusal = Object.assign(new Error('as the pooler says it'), { severity: 'ERROR', code });
  const [, section, page = ''] = /see "(\w+)" in (\S+\.md)/.exec(String(asUnavailable(refusal))) ?? [];
  expect(read(page)).toContain(`## ${section}\n`);
});
