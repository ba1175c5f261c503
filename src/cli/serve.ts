import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Command } from 'commander';
import { type Config, configWarnings, readServerConfig } from '../config/config.ts';
import { releaseMemorySoon } from '../memory.ts';
import { readPlaygroundFile, STORE_FILE } from '../playground/data-dir.ts';
import { CliError } from './cli-error.ts';
import { loadCatalogue } from './operation-names.ts';
import { define } from './options.ts';
import { startUnlessStopped, stopInTime, untilSignal } from './signals.ts';

export function addServe(program: Command): void {
  const examples = ['NAMEPLATE_CNAME_ZONE=cname.example.net NAMEPLATE_DNS_RESOLVERS=1.1.1.1,8.8.8.8 nameplate serve'];
  define(
    program,
    'serve',
    'Run the server. Environment variables configure it (docs/configuration.md). Logs JSON lines.',
    examples,
  ).action(async () => {
    const config = readServerConfig(undefined, (await loadCatalogue()).operations);
    const stopSignal = untilSignal();
    const [{ startServer }, { createLog }] = await Promise.all([import('../main.ts'), import('../log.ts')]);
    await refusePlayground(config);
    const log = createLog(config.logLevel);
    for (const warning of configWarnings(config)) log.warn(warning);
    const server = await startUnlessStopped(stopSignal, (signal) => startServer(config, { log, signal }));
    if (server === null) return log.info('stopped before it was ready');
    const { api, edge, metrics } = server;
    const listeners = edge && { http: edge.http, https: edge.https, health: edge.health };
    log.info({ api, edge: listeners, metrics, roles: config.roles }, 'ready');
    if (isBundleOutdated()) log.warn('dist/ was built from other sources, so the sources run: npm run build');
    releaseMemorySoon();
    const signal = await Promise.race([stopSignal, server.failed.then(() => null)]);
    if (signal === null) process.exitCode = 1;
    log.info({ signal }, 'stopping');
    await stopInTime(server.stop);
    log.info('stopped');
  });
}

/** Whether the sources run although there is a bundle: `bin/start.mjs` runs a bundle that is current. */
function isBundleOutdated(): boolean {
  return import.meta.filename.endsWith('.ts') && existsSync(new URL('../../dist/', import.meta.url));
}

/** A playground's store accepts the root key in dev.json beside it. */
async function refusePlayground({ databaseUrl }: Config): Promise<void> {
  if (databaseUrl.engine !== 'sqlite' || basename(databaseUrl.path) !== STORE_FILE) return;
  if ((await readPlaygroundFile(dirname(databaseUrl.path))) === null) return;
  throw new CliError(
    `${databaseUrl.path} is a playground's store, whose root key is in dev.json beside it. Set NAMEPLATE_DATABASE_URL to another file, such as sqlite:/var/lib/nameplate/nameplate.db.`,
  );
}
