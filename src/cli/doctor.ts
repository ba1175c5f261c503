import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { type Config, ConfigError, configuresServer, readPlaygroundConfig, readServerConfig } from '../config.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../dev/ready.ts';
import { answers, isApi, startCommand } from './api.ts';
import { loadCatalogue } from './catalogue.ts';
import { databaseUrlOf, namedDatabase } from './database.ts';
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

/** Where variables are wrong, what does not depend on them is looked at all the same. */
async function examineServer(options: StoreOptions): Promise<Finding[]> {
  const { findings, config } = await examineVariables();
  const { dnsResolvers, cnameZone, dnsAllowedNetworks, listen, metricsListen } = config;
  const { examineClock, examineDns, examineListener, examineStore } = await import('./examine.ts');
  const url = namedDatabase(options) ?? config.databaseUrl;
  if (url !== undefined) findings.push(await examineStore(url));
  if (dnsResolvers && cnameZone)
    findings.push(...(await examineDns(dnsResolvers, cnameZone, dnsAllowedNetworks !== undefined)));
  if (listen) findings.push(await examineListener('NAMEPLATE_LISTEN', listen, isApi));
  if (metricsListen) findings.push(await examineListener('NAMEPLATE_METRICS_LISTEN', metricsListen, isMetrics));
  findings.push(examineClock(systemClock, url));
  return findings;
}

/** What is wrong with the configuration, and what of it is right. */
async function examineVariables(): Promise<{ findings: Finding[]; config: Partial<Config> }> {
  const about = 'configuration';
  try {
    const config = readServerConfig(undefined, (await loadCatalogue()).operations);
    return { findings: [{ about, level: 'ok', found: 'every variable is right' }], config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Set it right, then look again; docs/configuration.md has every variable.';
    const findings = error.problems.map((found): Finding => ({ about, level: 'fail', found, advice }));
    return { findings, config: error.right };
  }
}

async function examinePlayground(options: StoreOptions, playground: PlaygroundFile): Promise<Finding[]> {
  const { examineClock, examineDns, examineStore } = await import('./examine.ts');
  const url = databaseUrlOf({ data: DEFAULT_DATA, ...options });
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
        advice: `Start it with "${startCommand(options.data)}".`,
      };
  const dns = () => examineDns([{ address: host, port: Number(port) }], readPlaygroundConfig().cnameZone, true);
  return [
    { about, level: 'ok', found },
    await examineStore(url),
    server,
    ...(runs ? await dns() : []),
    examineClock(systemClock, url),
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
