import type { Command } from 'commander';
import { systemClock } from '../../clock.ts';
import {
  type Config,
  ConfigError,
  configuresServer,
  configWarnings,
  readPlaygroundConfig,
  readServerConfig,
} from '../../config/config.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../../playground/ready.ts';
import { type Database, keyringFor } from '../../store/database.ts';
import { isApi, startCommand } from '../api-client.ts';
import { loadCatalogue } from '../catalogue.ts';
import { EXIT } from '../cli-error.ts';
import { databaseUrlOf, keysOf, namedDatabase } from '../open-database.ts';
import { DEFAULT_DATA, define, type StoreOptions, storeOptions } from '../options.ts';
import { harmless, paint, show, wrap } from '../output.ts';
import type { Finding } from './finding.ts';

export function addDoctor(program: Command): void {
  const summary =
    'Check configuration, store, DNS, ports, clock, CA, keys and certificates; says what to do. Exits with 1 if anything fails.';
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
  const clock = systemClock;
  const { findings, config } = await examineVariables();
  const { dnsResolvers, cnameZone, dnsMode, dnsAllowedNetworks: allowedNetworks } = config;
  const [{ examineStore }, { examineDns, examineNameservers }, { examineClock, examineListeners, reachability }] =
    await Promise.all([import('./examine-store.ts'), import('./examine-dns.ts'), import('./examine-host.ts')]);
  const url = namedDatabase(options) ?? config.databaseUrl;
  const store = url && (await examineStore(url));
  if (store) findings.push(store.finding);
  if (dnsResolvers && cnameZone) {
    const asking = { resolvers: dnsResolvers, cnameZone, allowedNetworks: allowedNetworks ?? [] };
    findings.push(...(await examineDns(dnsResolvers, cnameZone, allowedNetworks !== undefined)));
    if (dnsMode === 'authoritative') findings.push(await examineNameservers({ ...asking, nameserverPort: 53, clock }));
  }
  findings.push(...(await examineListeners(config)));
  if (cnameZone) findings.push(...reachability(config, cnameZone));
  findings.push(...(await examineClock(clock, url)));
  findings.push(...(await examineCertificates(config, store?.database)));
  return findings;
}

/** What is wrong with the configuration, and what of it is right. */
async function examineVariables(): Promise<{ findings: Finding[]; config: Partial<Config> }> {
  const about = 'configuration';
  try {
    const config = readServerConfig(undefined, (await loadCatalogue()).operations);
    const advice = 'See that nobody else can listen on that network.';
    const warnings = configWarnings(config).map((found): Finding => ({ about, level: 'warn', found, advice }));
    return { findings: [{ about, level: 'ok', found: 'every variable is right' }, ...warnings], config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Set it right, then look again; docs/configuration.md has every variable.';
    const findings = error.problems.map((found): Finding => ({ about, level: 'fail', found, advice }));
    return { findings, config: error.right };
  }
}

/** `database`: one that can be used. */
async function examineCertificates(config: Partial<Config>, database: Database | undefined): Promise<Finding[]> {
  const { roles, issuer, acmeCaFile, acmeLimits = [], encryptionKeys } = config;
  if (roles === undefined || issuer === undefined || roles.every((role) => role === 'verifier')) return [];
  const clock = systemClock;
  const { casOf, examineAccount, examineCa, examineExpiry, examineSealing } = await import('./examine-certificates.ts');
  const findings: Finding[] = [];
  const cas = roles.includes('certificates') ? casOf(config) : [];
  for (const ca of cas) findings.push(...(await examineCa(ca, acmeCaFile, clock)));
  if (database === undefined) return findings;
  const keyring = keyringFor(database, encryptionKeys);
  const store = await database.open({ keyring });
  try {
    const issuers = issuer === 'internal' ? [issuer] : cas.map(({ directoryUrl }) => directoryUrl);
    for (const each of issuers) findings.push(...(await examineAccount(store, each, acmeLimits, clock.now())));
    findings.push(await examineSealing(store, keyring, keysOf(database)));
    findings.push(await examineExpiry(store, clock.now()));
  } finally {
    await store.close();
  }
  return findings;
}

async function examinePlayground(options: StoreOptions, playground: PlaygroundFile): Promise<Finding[]> {
  const clock = systemClock;
  const [{ examineStore }, { examineDns, examineNameservers }, { examineClock }] = await Promise.all([
    import('./examine-store.ts'),
    import('./examine-dns.ts'),
    import('./examine-host.ts'),
  ]);
  const url = databaseUrlOf({ data: DEFAULT_DATA, ...options });
  const store = await examineStore(url);
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
  const { cnameZone } = readPlaygroundConfig();
  const resolvers = [{ address: host, port: Number(port) }];
  const asking = { resolvers, cnameZone, allowedNetworks: [`${host}/32`], nameserverPort: Number(port), clock };
  const dns = async () => [...(await examineDns(resolvers, cnameZone, true)), await examineNameservers(asking)];
  return [
    { about, level: 'ok', found },
    store.finding,
    server,
    ...(runs ? await dns() : []),
    ...(await examineClock(clock, url)),
    ...(await examineCertificates({ roles: ['certificates'], issuer: 'internal' }, store.database)),
  ];
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
