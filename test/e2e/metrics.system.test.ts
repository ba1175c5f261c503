import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { startBackupGauge } from '../../server/src/roles/gauges.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { verify } from '../support/certificates.ts';
import { temporaryDirectory } from '../support/command.ts';
import * as entities from '../support/entities.ts';

const directory = temporaryDirectory();
const logged: string[] = [];
const log = createLog('warn', { write: (line) => logged.push(line) });
let server: RunningServer;

beforeAll(async () => {
  const path = `${directory.path}/nameplate.db`;
  const store = await sqliteStore({ path });
  const { environment } = await entities.plant(store);
  for (let i = 0; i < 3; i++) await entities.attach(store, environment);
  await verify(store, environment);
  await store.recordBackup(1_800_000_000_000);
  await store.close();
  const config = readServerConfig({
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
    NAMEPLATE_ROLES: 'verifier',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
  });
  server = await startServer(config, { log });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await server.stop();
  directory.remove();
});

const statusOf = async (path: string, method = 'GET') => (await fetch(`${server.metrics}${path}`, { method })).status;

test('metrics are read, and nothing else is there or can be done', async () => {
  expect(await statusOf('/metrics')).toBe(200);
  expect(await statusOf('/metrics', 'HEAD')).toBe(200);
  expect(await statusOf('/metrics', 'POST')).toBe(405);
  expect(await statusOf('/')).toBe(404);
});

/** The lines of one metric, without its description. */
async function linesOf(metric: string): Promise<string[]> {
  const text = await (await fetch(`${server.metrics}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
}

test('a verifier reports the number of domains of each status', async () => {
  const counted = ['pending', 'verifying', 'verified', 'failed'].map(
    (status, at) => `nameplate_domains{status="${status}"} ${[3, 0, 1, 0][at]}`,
  );
  await expect.poll(() => linesOf('nameplate_domains')).toEqual(counted);
  expect(await linesOf('nameplate_domains_drifted')).toEqual(['nameplate_domains_drifted 0']);
});

test('a verifier reports the time of the last backup', async () => {
  await expect
    .poll(() => linesOf('nameplate_backup_last_success_timestamp_seconds'))
    .toEqual(['nameplate_backup_last_success_timestamp_seconds 1800000000']);
});

test('a store of which nameplate backup has made none has no such time', async () => {
  const metrics = createMetrics();
  const path = `${directory.path}/other.db`;
  const store = await sqliteStore({ path });
  await startBackupGauge({ store, metrics, log }).stop();
  expect(await metrics.registry.metrics()).not.toMatch(/^nameplate_backup/m);
  await store.close();
});

test('a process that has seen no certificate reports no first expiry', async () => {
  expect(await linesOf('nameplate_certificate_expiry_timestamp_seconds')).toEqual([]);
});

test('metrics that cannot be read are an answer with status 500 and a line in the log, and the process goes on', async () => {
  vi.spyOn(Registry.prototype, 'metrics').mockRejectedValueOnce(new Error('a gauge is broken'));
  expect(await statusOf('/metrics')).toBe(500);
  expect(logged.at(-1)).toContain('a gauge is broken');
  expect(await statusOf('/metrics')).toBe(200);
});
