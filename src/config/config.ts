import { nearest } from '../domain/nearest.ts';
import { unknownSubjects } from '../ratelimit/unknown-subjects.ts';
import type { DatabaseUrl } from '../store/url.ts';
import { combinationProblems } from './combinations.ts';
import { databaseUrl, Invalid } from './parse-values.ts';
import type { Values, Variable } from './variable.ts';
import { commandVariables, playgroundVariables, type ServerValues, serverVariables } from './variables.ts';

export type { DatabaseUrl } from '../store/url.ts';
export type { DnsMode, DnsServer, Endpoint, Role } from './parse-values.ts';
export { renderConfiguration } from './reference.ts';

type Environment = Record<string, string | undefined>;

/** Configuration of `nameplate serve`. */
export type Config = ServerValues;

/** What the playground takes from the environment; its addresses, store and DNS are its own. */
export type PlaygroundConfig = Values<typeof playgroundVariables>;

/** What commands take from the environment. */
export type CommandConfig = Values<typeof commandVariables> &
  Pick<Config, 'databaseUrl' | 'encryptionKeys' | 'logLevel'>;

/** Everything that is wrong with the environment, one line each. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  /** The variables that are right. */
  readonly right: Partial<Config>;

  constructor(problems: string[], right: Partial<Config>) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
    this.right = right;
  }
}

/**
 * Throws `ConfigError` with every bad, missing and unknown variable, and what does not go together. `operations`: names of those that there
 * are to be limited; where they are not given, limits are believed to name such.
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

/** Throws `ConfigError`; variables that only `serve` reads are not looked at. */
export function readCommandConfig(env: Environment = process.env): CommandConfig {
  const { databaseUrl, encryptionKeys, logLevel } = serverVariables;
  return read({ ...commandVariables, databaseUrl, encryptionKeys, logLevel }, env);
}

/** Reads a database URL that was typed, as NAMEPLATE_DATABASE_URL is read. Throws an error that says what is wrong with it. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  try {
    return databaseUrl(text);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new Error(
      `${shown(text)} is the database, ${error.message}. Example: ${serverVariables.databaseUrl.example}`,
    );
  }
}

/** What is no mistake but may be an oversight, a line each that says what to do. */
export function configWarnings({ databaseUrl }: Partial<Config>, env: Environment = process.env): string[] {
  const { name } = serverVariables.databaseUrl;
  if (databaseUrl?.engine !== 'postgres' || isThisMachine(databaseUrl.host)) return [];
  if (textOf(env, name)?.includes('sslmode=')) return [];
  return [
    `${name} names another machine, ${databaseUrl.host}, and no sslmode, so everything travels there in clear text. Add ?sslmode=verify-full, or ?sslmode=disable where that network is to be trusted.`,
  ];
}

function isThisMachine(host: string): boolean {
  return /^(\/|localhost$|127\.\d+\.\d+\.\d+$|::1$)/.test(host);
}

/** Whether the environment configures a server at all (and not just the playground). */
export function configuresServer(env: Environment = process.env): boolean {
  const { cnameZone, dnsResolvers, databaseUrl } = serverVariables;
  return [cnameZone, dnsResolvers, databaseUrl].some(({ name }) => textOf(env, name) !== undefined);
}

/** Whether the environment names a database. */
export function namesDatabase(env: Environment = process.env): boolean {
  return textOf(env, serverVariables.databaseUrl.name) !== undefined;
}

/** Whether a failing command shows its stack. Never throws: it is asked when the configuration itself is bad, too. */
export function showsStacks(env: Environment = process.env): boolean {
  return ['debug', 'trace'].includes(textOf(env, serverVariables.logLevel.name) ?? '');
}

/** Throws `ConfigError`, also with what does not go together. */
function read<Table extends Record<string, Variable<unknown>>>(
  table: Table,
  env: Environment,
  combinations: (values: Partial<Values<Table>>) => string[] = () => [],
): Values<Table> {
  const problems: string[] = [];
  const right: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(table)) {
    const text = textOf(env, variable.name) ?? variable.default;
    const example = `Example: ${variable.name}=${variable.example}`;
    if (text === undefined) {
      if (variable.required) problems.push(`${variable.name} is not set, and serve needs it. ${example}`);
      continue;
    }
    try {
      right[key] = variable.parse(text);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      problems.push(`${variable.name} is ${given(variable, text)}, ${error.message}. ${example}`);
    }
  }
  // Every key of the table that is in there was parsed by its own parser.
  const values = right as Partial<Values<Table>>;
  problems.push(...combinations(values), ...unknownVariables(env));
  if (problems.length > 0) throw new ConfigError(problems, right);
  // What is not there has neither value nor default.
  return values as Values<Table>;
}

/** An empty variable counts as unset, as env files and container platforms mean it. */
function textOf(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function given(variable: Variable<unknown>, text: string): string {
  return variable.secret ? '(not shown)' : shown(text);
}

/** A URL may carry a password, before its host or in its query. */
function shown(text: string): string {
  return JSON.stringify(text.replace(/:.*@/, ':…@').replace(/(\w*(?:pass|key|secret|token)\w*=)[^&]*/gi, '$1…'));
}

const PREFIX = 'NAMEPLATE_';

function unknownVariables(env: Environment): string[] {
  const known = Object.values({ ...serverVariables, ...commandVariables }).map((variable): string => variable.name);
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  // What all of them begin with makes none of them alike.
  const own = (name: string) => name.slice(PREFIX.length);
  return unknown.sort().map((name) => {
    const meant = nearest(own(name), known.map(own));
    return `${name} is not a variable of Nameplate. ${meant ? `Did you mean ${PREFIX}${meant}?` : 'docs/configuration.md lists all.'}`;
  });
}
