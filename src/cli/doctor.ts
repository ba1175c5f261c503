import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { type Config, ConfigError, configuresServer, readPlaygroundConfig, readServerConfig } from '../config.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../dev/ready.ts';
import { answers, isApi } from './api.ts';
import { databasePath } from './database.ts';
import type { Finding } from './examine.ts';
import { EXIT } from './failure.ts';
import { DEFAULT_DATA, define, type StoreOptions, storeOptions } from './options.ts';
import { harmless, paint, show, wrap } from './output.ts';

export function addDoctor(program: Command): void {
  const summary =
    'Check configuration, store, resolvers, ports and clock; says what to do. Exits with 1 if anything fails.';
  storeOptions(define(program, 'doctor', summary, ['nameplate doctor', 'nameplate doctor --json'])).action(
    async (options: StoreOptions) => {
      const findings = await examineAll(options);
      show(options, findings, inWords);
      if (findings.some(({ level }) => level === 'fail')) process.exitCode = EXIT.failed;
    },
  );
}

/** Looks at what `serve` would run on; where nothing is configured but there is a playground, at that. */
async function examineAll(options: StoreOptions): Promise<Finding[]> {
  const playground = configuresServer() ? null : await readPlaygroundFile(options.data ?? DEFAULT_DATA);
  return playground === null ? examineServer(options) : examinePlayground(options, playground);
}

async function examineServer(options: StoreOptions): Promise<Finding[]> {
  const about = 'configuration';
  let config: Config;
  try {
    config = readServerConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Set it right, then look again; docs/configuration.md has every variable.';
    return error.problems.map((found) => ({ about, level: 'fail', found, advice }));
  }
  const { examineClock, examineDns, examineListener, examineStore } = await import('./examine.ts');
  const path = databasePath(options);
  const internal = config.dnsAllowedNetworks !== undefined;
  return [
    { about, level: 'ok', found: 'every variable is right' },
    await examineStore(path),
    ...(await examineDns(config.dnsResolvers, config.cnameZone, internal)),
    await examineListener('NAMEPLATE_LISTEN', config.listen, isApi),
    ...(config.metricsListen
      ? [await examineListener('NAMEPLATE_METRICS_LISTEN', config.metricsListen, isMetrics)]
      : []),
    examineClock(systemClock, path),
  ];
}

async function examinePlayground(options: StoreOptions, playground: PlaygroundFile): Promise<Finding[]> {
  const { examineClock, examineDns, examineStore } = await import('./examine.ts');
  const path = databasePath({ data: DEFAULT_DATA, ...options });
  const about = 'configuration';
  const found = 'nothing is configured for serve, so this looks at the playground';
  const runs = await isApi(playground.api);
  const [host = '', port = ''] = playground.dns.split(':');
  const server: Finding = runs
    ? { about: 'server', level: 'ok', found: `the playground runs at ${playground.api}` }
    : {
        about: 'server',
        level: 'warn',
        found: `the playground does not run at ${playground.api}`,
        advice: 'Start it with "npm start".',
      };
  const dns = () => examineDns([{ address: host, port: Number(port) }], readPlaygroundConfig().cnameZone, true);
  return [
    { about, level: 'ok', found },
    await examineStore(path),
    server,
    ...(runs ? await dns() : []),
    examineClock(systemClock, path),
  ];
}

function isMetrics(url: string): Promise<boolean> {
  return answers(`${url}/metrics`, /^nameplate_/m);
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function inWords(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const indent = width + 10;
  const lines = findings.flatMap(({ about, level, found, advice }) => [
    `  ${paint(COLOURS[level], level.padEnd(4))}  ${about.padEnd(width)}  ${wrap(harmless(found), indent)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(indent)}${paint('dim', wrap(advice, indent))}`]),
  ]);
  const fails = findings.filter(({ level }) => level === 'fail').length;
  const verdict =
    fails === 0
      ? 'Nothing stands in the way.'
      : `${fails === 1 ? 'One thing has' : `${fails} things have`} to be set right first.`;
  return [...lines, '', verdict].join('\n');
}
