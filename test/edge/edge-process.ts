import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/src/base/log.ts';
import { addSnapshots } from '../../server/src/base/threads/snapshots.ts';
import { createSupervisor } from '../../server/src/base/threads/supervisor.ts';
import { startEdge } from '../../server/src/edge/edge.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { verify } from '../support/certificates.ts';
import { aDeployment, plant } from '../support/entities.ts';
import { issue, ROOT } from './authority.ts';
import { onLoopback } from './loopback.ts';

// An edge in a process of its own, which so many names lead to: `fork('test/edge/edge-process.ts', [names])`. It ends
// with its parent.

/** Sent once the process serves. */
export interface Serving {
  httpPort: number;
  httpsPort: number;
  hostnames: string[];
  /** The CA of its certificates. PEM. */
  root: string;
}

/** The answer to `measure`. */
export interface Measured {
  rssBytes: number;
  metrics: string;
}

const origin = createServer((_, response) => response.end('served')).listen(0, '127.0.0.1');
const directory = await mkdtemp(join(tmpdir(), 'nameplate-edge-'));
const store = await sqliteStore({ path: join(directory, 'nameplate.db') });
const log = createLog('warn');
const metrics = createMetrics();
const changes = startChangeFeed(store, { log });
const { environment } = await plant(store);
const { port } = origin.address() as AddressInfo;
await store.createDeployment(aDeployment(environment, { origin: `http://127.0.0.1:${port}` }));

const hostnames = Array.from({ length: Number(process.argv[2] ?? 1) }, (_, i) => `site${i}.example.com`);
for (const name of hostnames) {
  await verify(store, environment, { name, at: Date.now() });
  const { serial: _, ...issued } = issue(name);
  await store.importCertificate(name, issued, Date.now());
}

const supervisor = createSupervisor({ log, metrics });
const edge = await startEdge({
  store,
  changes,
  log,
  metrics,
  supervisor,
  ...onLoopback,
  // All come from this machine, and may take their time.
  limits: { headerMs: 600_000, idleMs: 600_000, connectionsPerAddress: 100_000 },
});
addSnapshots(metrics.registry, supervisor.snapshots);

process.on('message', async () => {
  const measured: Measured = { rssBytes: process.memoryUsage.rss(), metrics: await metrics.registry.metrics() };
  process.send?.(measured);
});
process.on('disconnect', async () => {
  await edge.stop();
  await changes.stop();
  await store.close();
  origin.close().closeAllConnections();
  await rm(directory, { recursive: true });
});
const portOf = (url: string | null) => Number(url?.split(':').at(-1));
const serving: Serving = { httpPort: portOf(edge.http), httpsPort: portOf(edge.https), hostnames, root: ROOT };
process.send?.(serving);
