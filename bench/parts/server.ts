import { DatabaseSync } from 'node:sqlite';
import { readServerConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/log.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { ENCRYPTION_KEY } from '../../test/support/encryption-key.ts';
import { type Checking, prepareChecks, type Report } from '../checking.ts';
import { offer } from '../part.ts';

/** Nameplate as it is served: default configuration, log lines to standard output. Checks begin and end as they are told. */
const methods = {
  /** `dnsPort`: of the nameserver and the resolver, for diagnoses. */
  async start(databaseUrl: string, dnsPort: number): Promise<number> {
    const config = readServerConfig({
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: 'off',
      NAMEPLATE_DATABASE_URL: databaseUrl,
      NAMEPLATE_CNAME_ZONE: 'cname.bench.test',
      NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dnsPort}`,
      NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_ROLES: 'api',
      NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    });
    running = await startServer(config, { log: createLog(config.logLevel), nameserverPort: dnsPort });
    database = databaseUrl;
    return Number(new URL(running.api ?? '').port);
  },

  /** On the embedded store: checks from now on, in this process, as if no time had passed since `rest`. */
  check(options: { port: number; checkIntervalMs: number }): void {
    if (running === undefined) throw new Error('the server was not started');
    checking ??= prepareChecks(running.store, options);
    const db = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 5000 });
    db.prepare('update checks set next_check_at = next_check_at + ?').run(Date.now() - restingSince);
    db.close();
    checking.start();
  },

  /** What the checks did since the last time. */
  report(): Promise<Report> {
    if (checking === undefined) throw new Error('no checks were begun');
    return checking.report();
  },

  async rest(): Promise<void> {
    await checking?.stop();
    restingSince = Date.now();
  },
};

let running: RunningServer | undefined;
let checking: Checking | undefined;
let database = '';
let restingSince = Date.now();

export type Server = typeof methods;
offer(methods, async () => {
  await checking?.close();
  await running?.stop();
});
