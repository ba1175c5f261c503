import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { loadCatalogue } from '../server/src/cli/catalogue.ts';
import type { Ready } from '../server/src/cli/data-dir.ts';
import { curlCommand, dataCommand, dataFlag, PROGRAM, parseDuration, parsePort } from '../server/src/cli/options.ts';
import { paint, print, printable, shortDuration, timeOfDay } from '../server/src/cli/output/output.ts';
import { startUnlessStopped, stopInTime, untilSignal } from '../server/src/cli/signals.ts';
import { readPlaygroundConfig } from '../server/src/config/config.ts';
import { chooseAddresses, DEFAULT_PORTS, type DevOptions } from './dev-addresses.ts';
import type { Playground } from './playground.ts';

export function addDev(program: Command): void {
  const summary =
    'Run the playground: API, DNS checks, certificates, edge and a DNS simulator in one process on loopback.';
  const examples = ['', '--port 0 --dns-port 0 --data /tmp/playground --json'];
  dataCommand(program, 'dev', summary, examples)
    .option('--port <port>', 'port of the API; 0 means any free port', parsePort, DEFAULT_PORTS.port)
    .option('--dns-port <port>', 'port of the DNS simulator', parsePort, DEFAULT_PORTS.dnsPort)
    .option('--edge-http-port <port>', 'HTTP port of the edge', parsePort, DEFAULT_PORTS.edgeHttpPort)
    .option('--edge-https-port <port>', 'HTTPS port of the edge', parsePort, DEFAULT_PORTS.edgeHttpsPort)
    .option(
      '--check-interval <seconds>',
      'time between two checks of an unverified domain, in seconds (default: 5)',
      parseDuration,
    )
    .option(
      '--monitor-interval <seconds>',
      'time between two checks of a verified domain, in seconds (default: 60)',
      parseDuration,
    )
    .option('--window <seconds>', 'length of the verification window (default: 24h)', parseDuration)
    .option(
      '--stop-with-stdin',
      'stop when standard input ends, which happens when the program that started this one ends',
    )
    .action(run);
}

async function run(options: DevOptions): Promise<void> {
  const config = readPlaygroundConfig(undefined, (await loadCatalogue()).operations);
  const { dataDir, port, dnsPort, edgeHttpPort, edgeHttpsPort } = await chooseAddresses(options);
  const stopSignal = untilSignal();
  const [{ startPlayground, PLAYGROUND_INTERVAL_MS, PLAYGROUND_MONITOR_INTERVAL_MS }, { plainLog }, { createLog }] =
    await Promise.all([import('./playground.ts'), import('./plain-log.ts'), import('../server/src/base/log.ts')]);
  const log = createLog(
    config.logLevel,
    options.json ? process.stderr : plainLog((line, at) => print(`  ${timeOfDay(at)}  ${printable(line)}`)),
  );
  const { checkInterval: checkIntervalMs = PLAYGROUND_INTERVAL_MS, window } = options;
  const { monitorInterval: monitorIntervalMs = PLAYGROUND_MONITOR_INTERVAL_MS } = options;
  const timing = { checkIntervalMs, monitorIntervalMs, ...(window !== undefined && { windowMs: window }) };
  const playground = await startUnlessStopped(stopSignal, (signal) =>
    startPlayground({
      dataDir,
      port,
      dnsPort,
      edgeHttpPort,
      edgeHttpsPort,
      config,
      log,
      signal,
      example: true,
      ...timing,
    }),
  );
  if (playground === null) return;
  if (options.json) print(JSON.stringify(playground.ready));
  else {
    const { store, ready } = playground;
    const isNew = async (name: string) => (await store.findDomainByName(ready.workspaceId, name)) === null;
    print(welcome(playground, dataDir, timing, await firstNew(isNew)));
  }
  const stdinEnd = options.stopWithStdin ? [endOfStdin()] : [];
  const signal = await Promise.race([stopSignal, ...stdinEnd, playground.failed.then(() => null)]);
  if (signal === null) process.exitCode = 1;
  if (!options.json) print('\n  Stopping…');
  await stopInTime(playground.stop);
}

async function endOfStdin(): Promise<'end'> {
  await finished(process.stdin.resume()).catch(() => {});
  return 'end';
}

interface Timing {
  checkIntervalMs: number;
  monitorIntervalMs: number;
}

/**
 * The first screen: addresses, the two pages to open first, the commands that do the same, and the one that helps when
 * they do not.
 */
function welcome({ ready, metrics }: Playground, dataDir: string, timing: Timing, name: string): string {
  const { api, dns, edge, rootKey, project, app, environment } = ready;
  const command = (path: string) => `    ${paint('bold', `${PROGRAM} ${path} ${name}${dataFlag(dataDir)}`)}`;
  return [
    '',
    `  ${paint('bold', 'Nameplate playground')}`,
    '',
    `  API       ${api}`,
    `  DNS       ${dns} (a simulator, authoritative for every name)`,
    `  Edge      http://${edge.http} and https://${edge.https}; CA certificate: ${edge.ca}`,
    `  Root key  ${rootKey}`,
    `  Data      ${dataDir}`,
    ...(metrics === null ? [] : [`  Metrics   ${metrics}/metrics`]),
    '',
    `  Project ${project.slug}, app ${app.slug}, environment ${environment.slug}, with a built-in origin server.`,
    `  Records are checked every ${shortDuration(timing.checkIntervalMs)} here, every minute in production; those of verified`,
    `  domains every ${shortDuration(timing.monitorIntervalMs)} here, every day in production.`,
    '',
    `  Your team's side, in a browser (the link signs in once): ${paint('bold', ready.dashboard)}`,
    '',
    ...browserSteps(ready),
    '  Or run these next, in another terminal:',
    '',
    command('domains create'),
    command('dns publish'),
    command('domains wait --certificate'),
    '',
    '  Then request the domain over HTTPS:',
    '',
    `    ${paint('bold', curlCommand(edge, name))}`,
    '',
    '  If a domain is not verified, this says what is wrong in its DNS, and what to type instead:',
    '',
    command('domains diagnose'),
    '',
    `  In a third terminal, see what webhooks are sent: ${paint('bold', `${PROGRAM} webhooks listen${dataFlag(dataDir)}`)}`,
    '',
    `  ${paint('dim', 'Ctrl-C stops it. Events of domains and certificates follow, and what webhooks are sent.')}`,
    '',
  ].join('\n');
}

/** The pages of a customer and of the customer's DNS provider. */
function browserSteps({ setup, dnsPanel }: Ready): string[] {
  const panel = `    ${paint('bold', dnsPanel)}`;
  if (setup === undefined) return ['  The DNS panel of the simulator, in a browser:', '', panel, ''];
  return [
    '  Play the customer in a browser. This page is for your customer, and has two DNS records to publish:',
    '',
    `    ${paint('bold', setup)}`,
    '',
    "  Type them in here, at the customer's DNS provider, and watch the first page:",
    '',
    panel,
    '',
  ];
}

/** An example name that the playground does not have yet. */
async function firstNew(isNew: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number++) {
    const name = `shop${number === 1 ? '' : number}.example.com`;
    if (await isNew(name)) return name;
  }
}
