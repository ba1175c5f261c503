import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../../../server/src/base/clock.ts';
import { idMaker } from '../../../server/src/base/ids.ts';
import { databaseAt, keyringFor } from '../../../server/src/store/database.ts';
import { type Keyring, parseKeys } from '../../../server/src/store/sealing/keyring.ts';
import type { Store } from '../../../server/src/store/store.ts';
import { parseDatabaseUrl } from '../../../server/src/store/url.ts';
import { ENCRYPTION_KEY } from '../../support/encryption-key.ts';
import { type Pebble, startPebble } from '../../support/pebble.ts';
import { embedded } from '../../support/server-data.ts';
import {
  launchServer,
  type Program,
  type Server,
  type ServerLine,
  type ServerStart,
  whenReady,
} from '../../support/server-process.ts';
import { createSite, plant, type Site, type Tenant } from '../../support/server-site.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type Recorder, startRecorder } from './recorder.ts';

/**
 * Everything that issuing takes, all of it real: servers in processes of their own that have all roles, a CA behind a
 * recorder, DNS, a port that the world reaches the edge at, an origin, and a tenant.
 */
export interface IssuingSite extends Omit<Site, 'serve' | 'close'> {
  pebble: Pebble;
  recorder: Recorder;
  /** The public HTTP and HTTPS ports. */
  http: Gateway;
  https: Gateway;
  tenant: Tenant;
  /** The running ones. */
  nodes: ReadonlySet<Server>;
  /** All that were ever started. */
  programs: readonly Program<ServerLine>[];
  /** The environment of nodes that are started later. */
  env: Record<string, string>;
  /** Starts a node. */
  serve(): Promise<Server>;
  /** Starts a node without waiting. */
  launch(): Program<ServerLine>;
  /** `kill -9`, or SIGTERM. Resolves once it is gone. */
  end(node: Server, how: 'kill' | 'stop'): Promise<void>;
  /** The key-encryption keys of `env` as it is now. */
  keyring(): Keyring;
  /** Opens the store beside the servers, with these. */
  open(): Promise<Store>;
  close(): Promise<void>;
}

export interface IssuingSiteOptions {
  data?: typeof embedded;
  env?: Record<string, string>;
  /** Lease of a node; a minute by default. */
  leaseMs?: number;
  externalAccount?: { kid: string; hmacKey: string };
}

/** The origin's response. */
export const GREETING = 'hello from the origin';

const SCHEDULE = { checkIntervalMs: 1000, windowMs: 3_600_000 };
/** Short intervals. */
const LIMITS = ['orders=9999999/3h', 'failures=9999999/1h', 'certificates=9999999/7d', 'duplicates=9999999/7d'].join();

export async function createIssuingSite(options: IssuingSiteOptions = {}): Promise<IssuingSite> {
  const { data = embedded, externalAccount, leaseMs } = options;
  const { serve: _, close: closeSite, ...site } = await createSite(SCHEDULE, data);
  const nodes = new Set<Server>();
  const programs: Program<ServerLine>[] = [];
  const portsOf = (kind: 'httpPort' | 'httpsPort') => () => [...nodes].flatMap((node) => node[kind] ?? []);
  const [http, https] = [await startGateway(portsOf('httpPort')), await startGateway(portsOf('httpsPort'))];
  const pebble = await startPebble({
    dns: site.dns,
    httpPort: http.port,
    ...(externalAccount && { externalAccounts: { [externalAccount.kid]: externalAccount.hmacKey } }),
  });
  const recorder = await startRecorder(pebble, () => programs.flatMap((one) => (one.isRunning() ? one.pid : [])));
  const trusted = join(site.directory, 'ca.pem');
  await writeFile(trusted, recorder.trustRoots);
  const origin = await startOrigin();
  site.dns.set('*.cname.nameplate.test', 'A', ['127.0.0.1']);
  const env: Record<string, string> = {
    NAMEPLATE_ISSUER: 'acme',
    NAMEPLATE_ACME_DIRECTORY: recorder.directoryUrl,
    NAMEPLATE_ACME_CA_FILE: trusted,
    NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_ACME_LIMITS: LIMITS,
    NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_PORT: String(https.port),
    NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
    // All clients connect from there.
    NAMEPLATE_EDGE_TRUSTED_PROXIES: '127.0.0.0/8',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    // The log level that shows the most, to look for secrets in.
    NAMEPLATE_LOG_LEVEL: 'trace',
    ...(externalAccount && {
      NAMEPLATE_ACME_EAB_KID: externalAccount.kid,
      NAMEPLATE_ACME_EAB_HMAC_KEY: externalAccount.hmacKey,
    }),
    ...options.env,
  };
  const launch = () => {
    const program = launchServer(start());
    programs.push(program);
    return program;
  };
  const start = (): ServerStart => ({
    ...SCHEDULE,
    database: site.data.url,
    nameserverPort: site.dns.port,
    challengePort: http.port,
    ...(leaseMs && { certificateLeaseMs: leaseMs }),
    roles: 'api,verifier,certificates,edge',
    env,
  });
  const database = await databaseAt(parseDatabaseUrl(site.data.url));
  const keyring = () => {
    const configured = env.NAMEPLATE_ENCRYPTION_KEY ?? ENCRYPTION_KEY;
    return keyringFor(database, configured === '' ? undefined : parseKeys(configured));
  };
  const open = async () => database.open({ keyring: keyring() });
  const tenant = await plant(site);
  await deploy(await database.open(), tenant, origin.url);

  return {
    ...site,
    pebble,
    recorder,
    http,
    https,
    tenant,
    nodes,
    programs,
    env,
    keyring,
    open,
    async serve() {
      const node = await whenReady(launch());
      nodes.add(node);
      return node;
    },
    launch,
    async end(node, how) {
      nodes.delete(node);
      await node[how]();
    },
    async close() {
      await Promise.all(programs.map((program) => program.kill()));
      await Promise.all([http.close(), https.close(), recorder.close(), origin.close()]);
      await pebble.close();
      await closeSite();
    },
  };
}

/** Deploys an origin to the tenant's environment, and closes the store. */
export async function deploy(store: Store, { workspaceId, environmentId }: Tenant, origin: string): Promise<void> {
  const id = idMaker(systemClock)('dep');
  await store.createDeployment({
    id,
    workspaceId,
    environmentId,
    origin,
    createdAt: systemClock.now(),
  });
  await store.close();
}

/** A server that responds to everything with the greeting. */
export async function startOrigin(greeting = GREETING) {
  const server = createServer((_, response) => response.end(greeting));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
