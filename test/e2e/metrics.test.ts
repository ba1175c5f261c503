import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readServerConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/log.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const logged: string[] = [];
let server: RunningServer;

beforeAll(async () => {
  const config = readServerConfig({
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ROLES: 'verifier',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
  });
  server = await startServer(config, { log: createLog('warn', { write: (line) => logged.push(line) }) });
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

test('metrics that cannot be read are an answer with status 500 and a line in the log, and the process goes on', async () => {
  vi.spyOn(Registry.prototype, 'metrics').mockRejectedValueOnce(new Error('a gauge is broken'));
  expect(await statusOf('/metrics')).toBe(500);
  expect(logged.at(-1)).toContain('a gauge is broken');
  expect(await statusOf('/metrics')).toBe(200);
});
