import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEdge } from '../../src/edge/edge.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { EdgeStore } from '../../src/store/contract/store.ts';
import { createSupervisor } from '../../src/threads/supervisor.ts';
import { offer } from '../part.ts';

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

const stops: (() => Promise<void>)[] = [];

const methods = {
  /** Resolves with the ports. */
  async open({ directory, originPort, threads, tlsContexts, behind }: EdgeSettings) {
    const log = createLog('warn');
    const metrics = createMetrics();
    const edge = await startEdge({
      store: storeOf(directory, originPort),
      changes: { subscribe: () => {} },
      log,
      metrics,
      supervisor: createSupervisor({ log, metrics }),
      lookUp: async () => [],
      http: { host: '127.0.0.1', port: 0 },
      https: behind ? null : { host: '127.0.0.1', port: 0 },
      httpsPort: 0,
      allowedNetworks: ['127.0.0.0/8'],
      trustedProxies: behind ? ['127.0.0.0/8'] : [],
      // The client of a measurement is one address.
      limits: { connectionsPerAddress: 50_000, unknownPerMinute: 1_000_000 },
      tlsContexts,
      threads,
    });
    stops.push(edge.stop);
    const portOf = (url: string | null) => (url === null ? 0 : Number(new URL(url).port));
    return { http: portOf(edge.http), https: portOf(edge.https) };
  },
  /** Resident memory in bytes. */
  memory: () => process.memoryUsage().rss,
};

/** Responds at once. The edge reads each name once, and caches it. */
function storeOf(directory: string, originPort: number): EdgeStore {
  const origin = { deploymentId: 'dep_bench', origin: `http://127.0.0.1:${originPort}` };
  return {
    async findSite(hostname) {
      const text = readFileSync(join(directory, `${hostname}.pem`), 'utf8');
      const privateKey = createPrivateKey(text).export({ format: 'der', type: 'pkcs8' });
      const chain = text.slice(0, text.indexOf('-----BEGIN PRIVATE KEY'));
      const certificate = { chain, privateKey, notAfter: Number.MAX_SAFE_INTEGER };
      return { hostname, domainId: `dom_${hostname}`, environmentId: 'env_bench', origin, certificate };
    },
    findOrigin: async () => origin,
    findChallenge: async () => null,
  };
}

offer(methods, () => Promise.all(stops.map((stop) => stop())));
