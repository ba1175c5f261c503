import type { Command } from 'commander';
import { readServerConfig } from '../config.ts';
import { loadCatalogue } from './catalogue.ts';
import { define } from './options.ts';
import { startUnless, stopInTime, untilSignal } from './signals.ts';

export function addServe(program: Command): void {
  const examples = ['NAMEPLATE_CNAME_ZONE=cname.example.net NAMEPLATE_DNS_RESOLVERS=9.9.9.9,1.1.1.1 nameplate serve'];
  define(
    program,
    'serve',
    'Run the server, configured by the environment (docs/configuration.md). Logs JSON lines.',
    examples,
  ).action(async () => {
    const config = readServerConfig(undefined, (await loadCatalogue()).operations);
    const asked = untilSignal();
    const [{ startServer }, { createLog }] = await Promise.all([import('../main.ts'), import('../log.ts')]);
    const log = createLog(config.logLevel);
    const server = await startUnless(asked, (signal) => startServer(config, { log, signal }));
    if (server === null) return log.info('stopped before it was ready');
    log.info({ api: server.api, metrics: server.metrics, roles: config.roles }, 'ready');
    log.info({ signal: await asked }, 'stopping');
    await stopInTime(server.stop);
    log.info('stopped');
  });
}
