import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../server/src/base/clock.ts';
import { idMaker } from '../server/src/base/ids.ts';
import type { Log } from '../server/src/base/log.ts';
import { internalIssuer } from '../server/src/certificates/internal-ca.ts';
import {
  CA_FILE,
  makeDataDir,
  type PlaygroundFile,
  type Ready,
  readPlaygroundFile,
  replaceFile,
  writePlaygroundFile,
} from '../server/src/cli/data-dir.ts';
import { type PlaygroundConfig, readServerConfig } from '../server/src/config/config.ts';
import { WINDOW_MS } from '../server/src/domain/domain.ts';
import { startServer } from '../server/src/main.ts';
import type { Store } from '../server/src/store/store.ts';
import { STORE_FILE } from '../server/src/store/url.ts';
import { startControl } from './control.ts';
import { logAttempt } from './delivery-log.ts';
import { startSimulator } from './dns/simulator.ts';
import { EXAMPLE_ZONE, prepareExample } from './example.ts';
import { CA_NAME, fixedNames } from './fixed-names.ts';
import { restoreRecords } from './saved-records.ts';
import { createSignInLink, deployHello, type SeedDeps, seed } from './seed.ts';

/** Everything in one process on loopback: server, DNS simulator, an origin server, and initial data. */

interface PlaygroundOptions {
  dataDir: string;
  /** Ports; 0 is any free one. */
  port: number;
  dnsPort: number;
  edgeHttpPort: number;
  edgeHttpsPort: number;
  config: PlaygroundConfig;
  log: Log;
  clock?: Clock;
  checkIntervalMs?: number;
  windowMs?: number;
  /** Period of the re-checks of verified domains. */
  monitorIntervalMs?: number;
  /** Whether there is an example domain, with a link to its set-up page. */
  example?: boolean;
  /** Aborts a start that is waiting for another process. */
  signal?: AbortSignal;
}

export interface Playground {
  ready: Ready;
  /** URL for `nameplate dns` to control the simulator. */
  control: string;
  /** URL of the metrics listener, if configured. */
  metrics: string | null;
  store: Store;
  /** Resolves as that of `RunningServer`. */
  failed: Promise<void>;
  stop(): Promise<void>;
}

/** In production a minute (spec: Limits). */
export const PLAYGROUND_INTERVAL_MS = 5000;
/** In production a day (`NAMEPLATE_MONITORING_INTERVAL`). */
export const PLAYGROUND_MONITOR_INTERVAL_MS = 60_000;
/** Port of the DNS panel, if it is free at the first start; later starts keep the port. */
const PANEL_PORT = 7054;
const LOOPBACK = '127.0.0.0/8,::1';

/** Rejects with advice, after closing what it had opened. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { dataDir, config, log, clock = systemClock, checkIntervalMs = PLAYGROUND_INTERVAL_MS } = options;
  const { windowMs = WINDOW_MS, monitorIntervalMs = PLAYGROUND_MONITOR_INTERVAL_MS, signal } = options;
  await makeDataDir(dataDir);
  const before = await readPlaygroundFile(dataDir);
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const simulator = await startSimulator({ port: options.dnsPort, clock });
    opened.push(() => simulator.close());
    const records = await restoreRecords(simulator, dataDir);
    // Targets resolve to the edge, as in production.
    if (!records.found) simulator.set(`*.${config.cnameZone}`, 'A', ['127.0.0.1']);

    const { address, port } = simulator;
    const own = readServerConfig({
      NAMEPLATE_CNAME_ZONE: config.cnameZone,
      NAMEPLATE_LISTEN: `127.0.0.1:${options.port}`,
      // The playground has none unless its own setting says so; the default might be one of its ports.
      NAMEPLATE_METRICS_LISTEN: 'off',
      NAMEPLATE_DNS_RESOLVERS: `${address}:${port}`,
      NAMEPLATE_DNS_ALLOWED_NETWORKS: LOOPBACK,
      NAMEPLATE_ISSUER: 'internal',
      // Its own CA asks nobody: the record of a wildcard is there to be seen.
      NAMEPLATE_CHALLENGE_ZONE: 'acme.nameplate.test',
      NAMEPLATE_DRAIN_SECONDS: '3',
      NAMEPLATE_EDGE_ADDRESSES: '127.0.0.1',
      NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${options.edgeHttpPort}`,
      NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${options.edgeHttpsPort}`,
      NAMEPLATE_EDGE_ALLOWED_NETWORKS: LOOPBACK,
      NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: LOOPBACK,
      NAMEPLATE_WEBHOOK_SCHEMES: 'https,http',
    });
    const databaseUrl = { engine: 'sqlite', path: join(dataDir, STORE_FILE) } as const;
    const server = await startServer(
      {
        ...own,
        ...config,
        databaseUrl,
        // The load is small: checks need no thread of their own.
        apiThreads: 0,
        edgeHttpsPort: 0,
        // All names lead to loopback here.
        acmeAllowedNetworks: LOOPBACK.split(','),
        monitoringIntervalMs: monitorIntervalMs,
      },
      {
        log,
        clock,
        nameserverPort: port,
        challengePort: 'edge',
        checkIntervalMs,
        windowMs,
        onAttempt: (attempt) => logAttempt(log, attempt),
        isPublicHere: true,
        internalCaaNames: [CA_NAME],
        ...(signal && { signal }),
      },
    );
    opened.push(() => server.stop());

    const deps: SeedDeps = { store: server.store, clock, newId: idMaker(clock), randomBytes };
    const seeded = await seed(deps, before?.rootKey);
    const prepare = fixedNames(server.store, seeded.workspaceId);
    simulator.beforeAnswers((name) => prepare(simulator, name));
    const hello = await deployHello(deps, seeded, before?.hello);
    opened.push(() => hello.close());
    const control = await startControl(simulator, seeded.rootKey, records.save, portOf(before?.control) ?? PANEL_PORT);
    opened.push(() => control.close());

    const ca = join(resolve(dataDir), CA_FILE);
    await replaceFile(ca, await internalIssuer({ store: server.store, clock }).rootCertificate());

    // The verifier starts last: its first check begins at once, and is logged.
    const { service, cnameZone } = config;
    const settings = { origin: hello.origin, service, cnameZone, windowMs };
    const token = options.example ? await prepareExample(deps, seeded, settings, fragmentOf(before?.setup)) : null;
    const edge = { http: hostOf(server.edge?.http), https: hostOf(server.edge?.https), ca };
    const ready: Ready = {
      event: 'ready',
      api: server.api ?? '',
      ...seeded,
      dns: `${address}:${port}`,
      edge,
      dnsPanel: control.panel(EXAMPLE_ZONE),
      dashboard: `${server.api}/dashboard#${await createSignInLink(deps, seeded.workspaceId)}`,
      ...(token !== null && { setup: `${server.api}/setup#${token}` }),
    };
    const file: PlaygroundFile = { ...ready, hello: hello.origin, control: control.url, pid: process.pid, windowMs };
    await writePlaygroundFile(dataDir, file);
    const { metrics, store, failed } = server;
    return { ready, control: control.url, metrics, store, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `host:port` */
function hostOf(url: string | null | undefined): string {
  return url == null ? '' : new URL(url).host;
}

function portOf(url: string | undefined): number | undefined {
  return url === undefined ? undefined : Number(new URL(url).port);
}

function fragmentOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).hash.slice(1);
}
