import { expect, test, vi } from 'vitest';
import { overHttps } from '../edge/harness.ts';
import { closingAfterEach } from '../support/closing.ts';
import { portOf, startReloadable, threads } from './reloading.ts';

// Each with real processes, which reload several times: a process that has lost a listener hands over fewer sockets than it was given.

vi.setConfig({ testTimeout: 180_000 });
const closing = closingAfterEach();

const CHANGES: [what: string, change: Record<string, string>][] = [
  ['the role edge', { NAMEPLATE_ROLES: 'api,verifier' }],
  ['the role api', { NAMEPLATE_ROLES: 'verifier,edge' }],
  ['all roles that listen', { NAMEPLATE_ROLES: 'verifier', NAMEPLATE_METRICS_LISTEN: 'off' }],
  ['the HTTP listener of the edge', { NAMEPLATE_EDGE_HTTP_LISTEN: 'off' }],
  ['the HTTPS listener of the edge', { NAMEPLATE_EDGE_HTTPS_LISTEN: 'off' }],
  ['the metrics listener', { NAMEPLATE_METRICS_LISTEN: 'off' }],
  ['two of three threads', threads(1)],
];

test.each(CHANGES)(
  '%s may go and come back in reloads, each followed by one that changes nothing',
  async (_, change) => {
    const server = await startReloadable(closing, { env: threads(3) });
    for (const changes of [change, change, {}, {}, change, change, {}, {}])
      expect(await server.reload(changes)).toMatchObject({ code: 0, stderr: '' });
    const { api, edge } = (await server.ready(9))[8] ?? {};
    expect((await overHttps({ port: portOf(edge?.https), hostname: server.hostname, path: '/' })).status).toBe(200);
    expect((await fetch(`${api}/readyz`)).status).toBe(200);
  },
);
