import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RunningServer } from '../../server/src/main.ts';
import { ENCRYPTION_KEY } from '../../test/support/encryption-key.ts';
import { importSource } from '../checkout.ts';
import { offer } from '../part.ts';

const { readServerConfig } = await importSource('config');
const { createLog } = await importSource('log');
const { startServer } = await importSource('main');

export interface ServerSettings {
  databaseUrl: string;
  /** Port of the nameservers and the resolver. */
  dnsPort: number;
  checkIntervalMs: number;
  /** Settings that are not the default. */
  env: Record<string, string>;
}

/** Nameplate as it is served: default configuration, log lines to standard output. */
const methods = {
  /** Resolves with where it listens. */
  async start({
    databaseUrl,
    dnsPort,
    checkIntervalMs,
    env,
  }: ServerSettings): Promise<{ api: string; metrics: string }> {
    const config = readServerConfig({
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
      NAMEPLATE_DATABASE_URL: databaseUrl,
      NAMEPLATE_CNAME_ZONE: 'cname.bench.test',
      NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dnsPort}`,
      NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_ROLES: 'api',
      NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
      ...env,
    });
    running = await startServer(config, { log: createLog(config.logLevel), nameserverPort: dnsPort, checkIntervalMs });
    return { api: running.api ?? '', metrics: running.metrics ?? '' };
  },
  /** After a garbage collection of the main thread. */
  residentBytes(): number {
    setFlagsFromString('--expose-gc');
    runInNewContext('gc')();
    return process.memoryUsage.rss();
  },
};

let running: RunningServer | undefined;

export type Server = typeof methods;
offer(methods, () => running?.stop());
