import { unknownSubjects } from '../access/ratelimit/parse-rate-limits.ts';
import { nearest } from '../domain/nearest.ts';
import type { DatabaseUrl } from '../store/url.ts';
import { combinationProblems } from './combinations.ts';
import { databaseUrl, Invalid } from './parse-values.ts';
import type { Values, Variable } from './variable.ts';
import { commandVariables, playgroundVariables, type ServerValues, serverVariables } from './variables.ts';

export type { DatabaseUrl } from '../store/url.ts';
export type { DnsMode, DnsServer, Endpoint, Role } from './parse-values.ts';

type Environment = Record<string, string | undefined>;

/** Configuration of `nameplate serve`. */
export type Config = ServerValues;

/** The variables of the playground, which chooses its own addresses, store and DNS. */
export type PlaygroundConfig = Values<typeof playgroundVariables>;

/** The variables of commands other than `serve`. */
type CommandConfig = Values<typeof commandVariables> &
  Pick<Config, 'acmeCaFile' | 'control' | 'databaseUrl' | 'encryptionKeys' | 'logLevel' | 'publicUrl'>;

/** Everything that is wrong with the configuration, one line each. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  /** The values of the valid variables. */
  readonly valid: Partial<Config>;

  constructor(problems: string[], valid: Partial<Config>) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
    this.valid = valid;
  }
}

/**
 * Throws `ConfigError` with every invalid, missing and unknown variable, and invalid combinations. `operations`: the
 * names that rate limits may use; without it they are not checked.
 */
export function readServerConfig(env: Environment = process.env, operations?: readonly string[]): Config {
  const isSet = (name: string) => textOf(env, name) !== undefined;
  const combinations = (values: Partial<Config>) => combinationProblems(values, isSet);
  return read({ ...serverVariables, rateLimits: limiting(operations) }, env, combinations);
}

/** Throws `ConfigError`; `operations` as above. */
export function readPlaygroundConfig(env: Environment = process.env, operations?: readonly string[]): PlaygroundConfig {
  return read({ ...playgroundVariables, rateLimits: limiting(operations) }, env);
}

function limiting(operations: readonly string[] | undefined): typeof serverVariables.rateLimits {
  const { rateLimits } = serverVariables;
  if (operations === undefined) return rateLimits;
  const parse = (text: string) => {
    const limits = rateLimits.parse(text);
    const unknown = unknownSubjects(Object.keys(limits), operations);
    if (unknown !== null) throw new Invalid(`where ${unknown}`);
    return limits;
  };
  return { ...rateLimits, parse };
}

/** Throws `ConfigError`. Values of variables that only `serve` uses are not checked. */
export function readCommandConfig(env: Environment = process.env): CommandConfig {
  const { acmeCaFile, control, databaseUrl, encryptionKeys, logLevel, publicUrl } = serverVariables;
  return read({ ...commandVariables, acmeCaFile, control, databaseUrl, encryptionKeys, logLevel, publicUrl }, env);
}

/** The hosts that no shared target may be or be below, as far as the environment has them. Throws `ConfigError`. */
export function ownHosts(env: Environment = process.env): string[] {
  const { cnameZone, challengeZone, apiHostname } = serverVariables;
  const { required: _, ...optional } = cnameZone;
  const hosts = read({ cnameZone: optional, challengeZone, apiHostname }, env);
  return Object.values(hosts).filter((host) => host !== undefined);
}

/** Reads the variables that the templates for DNS providers are made of. Throws `ConfigError`. */
export function readConnectConfig(env: Environment = process.env) {
  const { domainConnectProvider, domainConnectService, cnameZone, cnameZoneDelegated } = serverVariables;
  const { service, challengeZone, edgeAddresses, publicUrl, apiHostname } = serverVariables;
  const connecting = { domainConnectProvider, domainConnectService, cnameZone, cnameZoneDelegated };
  return read({ ...connecting, service, challengeZone, edgeAddresses, publicUrl, apiHostname }, env);
}

/** Parses a database URL as NAMEPLATE_DATABASE_URL is parsed. Throws an error that says what is wrong with it. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  try {
    return databaseUrl(text);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new Error(
      `The database is ${shown(text)}, ${error.message}. Example: ${serverVariables.databaseUrl.example}`,
    );
  }
}

/** Likely oversights, one line each, with advice. */
export function configWarnings({ databaseUrl }: Partial<Config>, env: Environment = process.env): string[] {
  const { name } = serverVariables.databaseUrl;
  if (databaseUrl?.engine !== 'postgres' || isThisMachine(databaseUrl.host)) return [];
  if (textOf(env, name)?.includes('sslmode=')) return [];
  return [
    `${name} names another machine, ${databaseUrl.host}, without sslmode, so the connection is not encrypted. Add ?sslmode=verify-full, or ?sslmode=disable if you trust that network.`,
  ];
}

function isThisMachine(host: string): boolean {
  return /^(\/|localhost$|127\.\d+\.\d+\.\d+$|::1$)/.test(host);
}

/** Whether the environment configures `serve` (and not just the playground). */
export function configuresServer(env: Environment = process.env): boolean {
  const { cnameZone, dnsResolvers, databaseUrl } = serverVariables;
  return [cnameZone, dnsResolvers, databaseUrl].some(({ name }) => textOf(env, name) !== undefined);
}

/** The variables of a server, where the environment has those that each server needs; else null. */
export function serverVariablesIn(env: Environment = process.env): Record<string, string> | null {
  const isComplete = Object.values(serverVariables).every(
    (variable: Variable<unknown>) => !variable.required || textOf(env, variable.name) !== undefined,
  );
  if (!isComplete) return null;
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, text]) =>
      name.startsWith(PREFIX) && text !== undefined ? [[name, text]] : [],
    ),
  );
}

/** Whether the environment names a database. */
export function namesDatabase(env: Environment = process.env): boolean {
  return textOf(env, serverVariables.databaseUrl.name) !== undefined;
}

/** Whether errors are printed with their stack. Never throws, even if the configuration is invalid. */
export function showsStacks(env: Environment = process.env): boolean {
  return ['debug', 'trace'].includes(textOf(env, serverVariables.logLevel.name) ?? '');
}

/** Throws `ConfigError`. `combinations` returns the problems of values that are valid only by themselves. */
function read<Table extends Record<string, Variable<unknown>>>(
  table: Table,
  env: Environment,
  combinations: (values: Partial<Values<Table>>) => string[] = () => [],
): Values<Table> {
  const problems: string[] = [];
  const valid: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(table)) {
    const text = textOf(env, variable.name) ?? variable.default;
    const example = `Example: ${variable.name}=${variable.example}`;
    if (text === undefined) {
      if (variable.required) problems.push(`${variable.name} is not set, and serve needs it. ${example}`);
      continue;
    }
    try {
      valid[key] = variable.parse(text);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      problems.push(`${variable.name} is ${given(variable, text)}, ${error.message}. ${example}`);
    }
  }
  // Each value comes from the parser of its key.
  const values = valid as Partial<Values<Table>>;
  problems.push(...combinations(values), ...unknownVariables(env));
  if (problems.length > 0) throw new ConfigError(problems, valid);
  // A missing key has neither value nor default.
  return values as Values<Table>;
}

/** An empty variable counts as unset, as in env files and on container platforms. */
function textOf(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function given(variable: Variable<unknown>, text: string): string {
  return variable.secret ? '(not shown)' : shown(text);
}

/** Hides the password that a URL may contain, before its host or in its query. */
function shown(text: string): string {
  return JSON.stringify(text.replace(/:.*@/, ':…@').replace(/(\w*(?:pass|key|secret|token)\w*=)[^&]*/gi, '$1…'));
}

const PREFIX = 'NAMEPLATE_';

function unknownVariables(env: Environment): string[] {
  const known = Object.values({ ...serverVariables, ...commandVariables }).map((variable): string => variable.name);
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  // The nearest name is found without the common prefix, which would make all of them look alike.
  const own = (name: string) => name.slice(PREFIX.length);
  return unknown.sort().map((name) => {
    const meant = nearest(own(name), known.map(own));
    return `${name} is not a variable of Nameplate. ${meant ? `Did you mean ${PREFIX}${meant}?` : 'docs/reference/configuration.md lists all variables.'}`;
  });
}
