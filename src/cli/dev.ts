import type { Command } from 'commander';
import { readPlaygroundConfig } from '../config/config.ts';
import type { Playground } from '../playground/playground.ts';
import { loadCatalogue } from './catalogue.ts';
import { choosePlace, DEFAULTS, type DevOptions } from './choose-place.ts';
import { curlCommand, dataFlag, dataOption, define, jsonOption, parseDuration, parsePort } from './options.ts';
import { clockTime, harmless, paint, print, span } from './output.ts';
import { startUnless, stopInTime, untilSignal } from './signals.ts';

export function addDev(program: Command): void {
  const summary =
    'Run the playground: API, DNS checks, certificates, the edge and a DNS simulator in one process on loopback.';
  const examples = ['nameplate dev', 'nameplate dev --port 0 --dns-port 0 --data /tmp/playground --json'];
  jsonOption(dataOption(define(program, 'dev', summary, examples)))
    .option('--port <port>', 'port of the API; 0 is any free one', parsePort, DEFAULTS.port)
    .option('--dns-port <port>', 'port of the DNS simulator', parsePort, DEFAULTS.dnsPort)
    .option('--edge-http-port <port>', 'port of the edge for HTTP', parsePort, DEFAULTS.edgeHttpPort)
    .option('--edge-https-port <port>', 'port of the edge for HTTPS', parsePort, DEFAULTS.edgeHttpsPort)
    .option('--check-interval <seconds>', 'time between two checks of a domain (default: 5)', parseDuration)
    .option('--window <seconds>', 'length of the verification window (default: 24h)', parseDuration)
    .action(run);
}

async function run(options: DevOptions): Promise<void> {
  const config = readPlaygroundConfig(undefined, (await loadCatalogue()).operations);
  const { dataDir, port, dnsPort, edgeHttpPort, edgeHttpsPort } = await choosePlace(options);
  const asked = untilSignal();
  const [{ startPlayground, PLAYGROUND_INTERVAL_MS }, { narrator }, { createLog }] = await Promise.all([
    import('../playground/playground.ts'),
    import('../playground/narrator.ts'),
    import('../log.ts'),
  ]);
  const log = createLog(
    config.logLevel,
    options.json ? process.stderr : narrator((words, at) => print(`  ${clockTime(at)}  ${harmless(words)}`)),
  );
  const { checkInterval: checkIntervalMs = PLAYGROUND_INTERVAL_MS, window } = options;
  const timing = { checkIntervalMs, ...(window !== undefined && { windowMs: window }) };
  const playground = await startUnless(asked, (signal) =>
    startPlayground({ dataDir, port, dnsPort, edgeHttpPort, edgeHttpsPort, config, log, signal, ...timing }),
  );
  if (playground === null) return;
  if (options.json) print(JSON.stringify(playground.ready));
  else {
    const { store, ready } = playground;
    const isNew = async (name: string) => (await store.findDomainByName(ready.workspaceId, name)) === null;
    print(welcome(playground, dataDir, checkIntervalMs, await firstNew(isNew)));
  }
  await asked;
  if (!options.json) print('\n  Stopping…');
  await stopInTime(playground.stop);
}

/** What a person sees first: where everything is, and three commands that end in `verified`. */
function welcome({ ready, metrics }: Playground, dataDir: string, intervalMs: number, name: string): string {
  const { api, dns, edge, rootKey, project, app, environment } = ready;
  const command = (words: string) => `    ${paint('bold', `./bin/nameplate ${words} ${name}${dataFlag(dataDir)}`)}`;
  return [
    '',
    `  ${paint('bold', 'Nameplate playground')}`,
    '',
    `  API       ${api}`,
    `  DNS       ${dns} (a simulator; it answers for every name)`,
    `  Edge      http://${edge.http} and https://${edge.https}; its CA is ${edge.ca}`,
    `  Root key  ${rootKey}`,
    `  Data      ${dataDir}`,
    ...(metrics === null ? [] : [`  Metrics   ${metrics}/metrics`]),
    '',
    `  Project ${project.slug}, app ${app.slug}, environment ${environment.slug}, with a built-in origin.`,
    `  Records are checked every ${span(intervalMs)} here, every minute in production.`,
    '',
    '  Type next, in another terminal:',
    '',
    command('domains create'),
    command('dns publish'),
    command('domains wait --certificate'),
    '',
    '  Then see it served over HTTPS:',
    '',
    `    ${paint('bold', curlCommand(edge, name))}`,
    '',
    `  ${paint('dim', 'Ctrl-C stops it. What becomes of domains is told here:')}`,
    '',
  ].join('\n');
}

/** A name to try that the playground does not have yet. */
async function firstNew(isNew: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number++) {
    const name = `shop${number === 1 ? '' : number}.example.com`;
    if (await isNew(name)) return name;
  }
}
