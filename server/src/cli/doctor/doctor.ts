import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import {
  type Config,
  ConfigError,
  configuresServer,
  configWarnings,
  type DatabaseUrl,
  readPlaygroundConfig,
  readServerConfig,
} from '../../config/config.ts';
import { type Database, keyringFor } from '../../store/database.ts';
import { isApi, startAdvice } from '../api/api-client.ts';
import { loadCatalogue } from '../catalogue.ts';
import { EXIT } from '../cli-error.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../data-dir.ts';
import { DEFAULT_DATA, type StoreOptions, storeCommand } from '../options.ts';
import { paint, printable, show, wrap } from '../output/output.ts';
import {
  databaseUrlOf,
  keySource,
  NAME_ANOTHER_FILE,
  namedDatabase,
  playgroundStoreOf,
} from '../store/open-database.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';

export function addDoctor(program: Command): void {
  const summary =
    'Check the configuration, database, DNS, ports, clock, CA, keys and certificates, and give advice. Exits with 1 if a check fails.';
  storeCommand(program, 'doctor', summary, ['', '--json']).action(async (options: StoreOptions) => {
    const findings = await examineAll(options);
    show(options, findings, describeFindings);
    if (findings.some(({ level }) => level === 'fail')) process.exitCode = EXIT.failed;
  });
}

/** Examines what `serve` would use; if nothing is configured and there is a playground, the playground. */
async function examineAll(options: StoreOptions): Promise<DoctorResult[]> {
  const playground = configuresServer() ? null : await readPlaygroundFile(options.data ?? DEFAULT_DATA);
  return playground === null ? examineServer(options) : examinePlayground(options, playground);
}

async function loadExaminations() {
  const [store, dns, host] = await Promise.all([
    import('./examine-store.ts'),
    import('./examine-dns.ts'),
    import('./examine-host.ts'),
  ]);
  return { ...store, ...dns, ...host };
}

/** If variables are invalid, examines everything that does not depend on them. */
async function examineServer(options: StoreOptions): Promise<DoctorResult[]> {
  const clock = systemClock;
  const { findings, config } = await examineVariables();
  const { dnsResolvers: resolvers, cnameZone, dnsMode, dnsAllowedNetworks: allowedNetworks = [] } = config;
  const examine = await loadExaminations();
  const url = namedDatabase(options) ?? config.databaseUrl;
  const store = url && (await examine.examineStore(url));
  if (store) findings.push(store.finding, ...(await examinePlaygroundFile(url)));
  if (resolvers && cnameZone) {
    const isEdge = config.roles?.includes('edge') ?? false;
    const isDelegated = config.cnameZoneDelegated === 'on';
    const dns = { resolvers, cnameZone, isDelegated, allowedNetworks, isEdge, nameserverPort: 53, clock };
    findings.push(...(await examine.examineResolvers(dns)));
    if (dnsMode === 'authoritative') findings.push(await examine.examineNameservers(dns));
  }
  if (resolvers && cnameZone) findings.push(...(await examineDnsServers(config, resolvers, cnameZone)));
  if (resolvers && cnameZone) findings.push(...(await examineTargetCaa(config, cnameZone)));
  if (resolvers && cnameZone && store?.database) {
    const isEdge = config.roles?.includes('edge') ?? false;
    findings.push(...(await examine.examineTargets({ resolvers, cnameZone, isEdge, database: store.database })));
  }
  findings.push(...(await examine.examineListeners(config, store?.finding.level === 'fail')));
  if (cnameZone) findings.push(...(await examineReach(config, cnameZone, store?.database)));
  findings.push(...(await examineApiName(config, store?.database)));
  findings.push(...(await examine.examineClock(clock, url)));
  findings.push(...(await examineCertificates(config, store?.database)));
  findings.push(...(await examine.examineWebhooks(config, store?.database, clock.now())));
  return findings;
}

async function examineDnsServers(
  { dnsServers, challengeZone, cnameZoneDelegated, issuer, dnsAllowedNetworks: allowedNetworks = [] }: Partial<Config>,
  resolvers: Config['dnsResolvers'],
  cnameZone: string,
): Promise<DoctorResult[]> {
  const { examineOwnZones } = await import('./examine-own-zones.ts');
  const zones = { challengeZone, cnameZone: cnameZoneDelegated === 'on' ? cnameZone : null, dnsServers };
  return examineOwnZones({
    ...zones,
    isOrdering: issuer !== 'internal',
    resolvers,
    allowedNetworks,
    port: 53,
    clock: systemClock,
  });
}

async function examineTargetCaa(config: Partial<Config>, cnameZone: string): Promise<DoctorResult[]> {
  const { roles = [], issuer, dnsResolvers: resolvers = [], caaIssuers = [] } = config;
  if (issuer !== 'acme' || !roles.includes('certificates')) return [];
  const [{ examineCaa }, { knownCaaNames }, { recursiveResolver }, { dnsClient }] = await Promise.all([
    import('./examine-caa.ts'),
    import('../../certificates/policy/known-cas.ts'),
    import('../../dns/recursive.ts'),
    import('../../dns/transport/dns-client.ts'),
  ]);
  const cas = [config.acmeDirectory, config.acmeSecondDirectory].map((url) => (url ? [...knownCaaNames(url)] : []));
  const client = dnsClient();
  const dns = recursiveResolver({ client, resolvers });
  const issuers = config.cnameZoneDelegated === 'on' ? caaIssuers : null;
  const known = cas.filter(({ length }) => length > 0);
  return examineCaa({ cnameZone, cas: known, issuers, dns }).finally(() => client.close());
}

/** serve refuses a playground's store. */
async function examinePlaygroundFile(url: DatabaseUrl): Promise<DoctorResult[]> {
  const file = await playgroundStoreOf(url);
  if (file === null) return [];
  return [fail('store', `${file} is a playground's store, whose root key is in dev.json beside it`, NAME_ANOTHER_FILE)];
}

/** The findings about the configuration, and the valid part of it. */
async function examineVariables(): Promise<{ findings: DoctorResult[]; config: Partial<Config> }> {
  const about = 'configuration';
  try {
    const config = readServerConfig(undefined, (await loadCatalogue()).operations);
    const advice = 'Make sure that nobody else can read the traffic on that network.';
    const warnings = configWarnings(config).map((found) => warn(about, found, advice));
    return { findings: [ok(about, 'every variable is valid'), ...warnings], config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Correct it, then run doctor again; docs/reference/configuration.md lists every variable.';
    return { findings: error.problems.map((found) => fail(about, found, advice)), config: error.valid };
  }
}

/**
 * Checks whether the addresses of the edge lead to it. Without a store, or where that is not wanted, it says how to
 * find out.
 */
async function examineReach(
  config: Partial<Config>,
  cnameZone: string,
  database: Database | undefined,
): Promise<DoctorResult[]> {
  const { dnsResolvers: resolvers, roles, issuer, acmeSelfCheck, acmeAllowedNetworks, edgeAddresses = [] } = config;
  const { describeReach, examineEdge } = await import('./examine-edge.ts');
  if (!database || !resolvers || !roles || acmeSelfCheck === 'off') return describeReach(config, cnameZone);
  const { addressRule } = await import('../../net/addresses.ts');
  const mayDial = issuer === 'internal' ? () => true : addressRule(acmeAllowedNetworks);
  // With certificates of their own, servers in front may answer: they need not forward the challenge.
  const ownsHttps = roles.includes('certificates') || (config.edgeHttpsListen ?? null) !== null;
  const edgesOnly = roles.includes('edge') && ownsHttps;
  const ports = { http: 80, https: config.edgeHttpsPort ?? 443 };
  const edge = { cnameZone, edgeAddresses, resolvers, database, mayDial, edgesOnly, ports, clock: systemClock };
  return examineEdge(edge);
}

/** `database`: if it can be opened. */
async function examineApiName(config: Partial<Config>, database: Database | undefined): Promise<DoctorResult[]> {
  const { apiHostname: hostname, edgeAddresses = [], dnsResolvers: resolvers } = config;
  if (hostname === undefined || resolvers === undefined) return [];
  const { examineApiHostname } = await import('./examine-edge.ts');
  const store = (await database?.open()) ?? null;
  try {
    return await examineApiHostname({ hostname, edgeAddresses, resolvers, store });
  } finally {
    await store?.close();
  }
}

/** `database`: if it can be opened. */
async function examineCertificates(config: Partial<Config>, database: Database | undefined): Promise<DoctorResult[]> {
  const { roles, issuer, acmeCaFile, acmeLimits = [], encryptionKeys } = config;
  if (roles === undefined || issuer === undefined || roles.every((role) => role === 'verifier')) return [];
  const clock = systemClock;
  const { casOf, examineAccount, examineCa, examineExpiry, examineSealing } = await import('./examine-certificates.ts');
  const findings: DoctorResult[] = [];
  const cas = roles.includes('certificates') ? casOf(config) : [];
  for (const ca of cas) findings.push(...(await examineCa(ca, acmeCaFile, clock)));
  if (database === undefined) return findings;
  const keyring = keyringFor(database, encryptionKeys);
  const store = await database.open({ keyring });
  try {
    const issuers = issuer === 'internal' ? [issuer] : cas.map(({ directoryUrl }) => directoryUrl);
    for (const each of issuers) findings.push(...(await examineAccount(store, each, acmeLimits, clock.now())));
    findings.push(await examineSealing(store, keyring, keySource(database)));
    findings.push(await examineExpiry(store, clock.now()));
  } finally {
    await store.close();
  }
  return findings;
}

async function examinePlayground(options: StoreOptions, { api, dns, edge }: PlaygroundFile): Promise<DoctorResult[]> {
  const clock = systemClock;
  const examine = await loadExaminations();
  const url = databaseUrlOf({ data: DEFAULT_DATA, ...options });
  const store = await examine.examineStore(url);
  const findings = [ok('configuration', 'serve is not configured, so this examines the playground'), store.finding];
  if (await isApi(api)) {
    findings.push(ok('server', `the playground is running at ${api}`));
    const [host = '', port = ''] = dns.split(':');
    const settings = {
      resolvers: [{ address: host, port: Number(port) }],
      cnameZone: readPlaygroundConfig().cnameZone,
      allowedNetworks: [`${host}/32`],
      isEdge: true,
      nameserverPort: Number(port),
      clock,
    };
    findings.push(...(await examine.examineResolvers(settings)), await examine.examineNameservers(settings));
    const { database } = store;
    const { examineEdge } = await import('./examine-edge.ts');
    const ports = { http: portOf(edge.http), https: portOf(edge.https) };
    const toExamine = { ...settings, edgeAddresses: ['127.0.0.1'], mayDial: () => true, edgesOnly: true, ports };
    if (database) findings.push(...(await examineEdge({ ...toExamine, database })));
  } else findings.push(warn('server', `the playground is not running at ${api}`, startAdvice(options.data)));
  return [
    ...findings,
    ...(await examine.examineClock(clock, url)),
    ...(await examineCertificates({ roles: ['certificates'], issuer: 'internal' }, store.database)),
  ];
}

/** The port of `host:port`. */
function portOf(address: string): number {
  return Number(address.split(':').at(-1));
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function describeFindings(findings: DoctorResult[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length));
  const indent = width + 10;
  const lines = findings.flatMap(({ about, level, found, advice }) => [
    `  ${paint(COLOURS[level], level.padEnd(4))}  ${about.padEnd(width)}  ${wrap(printable(found), indent)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(indent)}${paint('dim', wrap(advice, indent))}`]),
  ]);
  const fails = findings.filter(({ level }) => level === 'fail').length;
  const verdict =
    fails === 0 ? 'No check failed.' : `${fails === 1 ? 'One check' : `${fails} checks`} failed: fix that first.`;
  return [...lines, '', verdict].join('\n');
}
