import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '../../server/src/base/log.ts';
import { createSupervisor } from '../../server/src/base/threads/supervisor.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { EdgeStore, UsageStore } from '../../server/src/store/store.ts';
import { importSource } from '../checkout.ts';
import { offer } from '../part.ts';

const { startEdge } = await importSource('edge');

/** The edge by itself: every name of a directory of certificates leads to one origin. */
export type EdgePart = typeof methods;

export interface EdgeSettings {
  directory: string;
  originPort: number;
  threads: number;
  /** TLS contexts kept by each thread. */
  tlsContexts: number;
  /** Whether a program in front speaks TLS. */
  behind: boolean;
}

/** Reads that an earlier edge makes in place of `findSite`, and its way to learn of changes. */
interface EarlierStore {
  findRoute(hostname: string): Promise<object>;
  findServedCertificate(hostname: string): Promise<object>;
}
type WriteUsage = Pick<UsageStore, 'addUsage'>;
interface Changes {
  isFresh(): boolean;
  subscribe(): void;
  onChange(): void;
}
const changes: Changes = { isFresh: () => true, subscribe() {}, onChange() {} };

const stops: (() => Promise<void>)[] = [];

const methods = {
  /** Resolves with the ports. */
  async open({ directory, originPort, threads, tlsContexts, behind }: EdgeSettings) {
    const log = createLog('warn');
    const metrics = createMetrics();
    const edge = await startEdge({
      store: storeOf(directory, originPort),
      changes,
      log,
      metrics,
      supervisor: createSupervisor({ log, metrics }),
      lookUp: async () => [],
      http: { host: '127.0.0.1', port: 0 },
      https: behind ? null : { host: '127.0.0.1', port: 0 },
      askEndpoint: behind ? { host: '127.0.0.1', port: 0 } : null,
      httpsPort: 0,
      allowedNetworks: ['127.0.0.0/8'],
      trustedProxies: behind ? ['127.0.0.0/8'] : [],
      // The client of a measurement is one address.
      limits: { connectionsPerAddress: 50_000, unknownPerMinute: 1_000_000 },
      tlsContexts,
      threads,
    });
    stops.push(edge.stop);
    const portOf = (url: string | null | undefined) => (url ? Number(new URL(url).port) : 0);
    return { http: portOf(edge.http), https: portOf(edge.https), ask: portOf(edge.askEndpoint) };
  },
  /** Resident memory in bytes. */
  memory: () => process.memoryUsage().rss,
};

const numbers = new Map<string, number>();
function numberOf(hostname: string): number {
  const number = numbers.get(hostname) ?? numbers.size + 1;
  numbers.set(hostname, number);
  return number;
}

/** Responds at once. The edge reads each name once, and caches it. */
function storeOf(directory: string, originPort: number): EdgeStore & WriteUsage & EarlierStore {
  const deployment = { id: 'dep_bench', origin: `http://127.0.0.1:${originPort}` };
  // The last two are for earlier commits.
  const origin = { deployment, settings: null, deploymentId: deployment.id, origin: deployment.origin };
  const findRoute = async (hostname: string) => ({
    hostname,
    domainId: `dom_${hostname}`,
    environmentId: 'env_bench',
    usageNumber: numberOf(hostname),
  });
  const findServedCertificate = async (hostname: string) => {
    const text = readFileSync(join(directory, `${hostname}.pem`), 'utf8');
    const privateKey = createPrivateKey(text).export({ format: 'der', type: 'pkcs8' });
    const chain = text.slice(0, text.indexOf('-----BEGIN PRIVATE KEY'));
    return { chain, privateKey, notAfter: Number.MAX_SAFE_INTEGER, inherited: false };
  };
  return {
    findRoute,
    findServedCertificate,
    findSite: async (hostname) => ({
      ...(await findRoute(hostname)),
      origin,
      certificate: await findServedCertificate(hostname),
      redirect: null,
      workspaceId: 'ws_1',
      suspendedStatus: null,
      settings: null,
    }),
    addUsage: async () => {},
    findOperatorSite: async () => null,
    findOrigin: async () => origin,
    findBrand: async () => null,
    findChallenge: async () => null,
  };
}

offer(methods, () => Promise.all(stops.map((stop) => stop())));
