import { type Command, InvalidArgumentError } from 'commander';
import { type DatabaseUrl, readDatabaseUrl } from '../config/config.ts';
import { DOMAIN_EVENT_TYPES } from '../domain/domain-event.ts';
import { nearest } from '../domain/nearest.ts';
import type { JsonOption } from './output/output.ts';

/** How commands are declared, and the options and arguments that several of them take. */

export interface DataOptions extends JsonOption {
  data?: string;
}

export interface StoreOptions extends DataOptions {
  database?: DatabaseUrl;
}

export interface ApiOptions extends DataOptions {
  url?: string;
  key?: string;
  keyFile?: string;
}

export const DEFAULT_DATA = '.nameplate';

/** Whether the program runs from a clone, and not from a package that npm installed. */
export const IS_CLONE = !import.meta.dirname.includes('/node_modules/nameplate/');
/** The program as it is typed there. */
export const PROGRAM = IS_CLONE ? './bin/nameplate' : 'npx nameplate';

export const TYPED_PASSWORD =
  'A password typed here is visible in the process list; one in NAMEPLATE_DATABASE_URL is not';

const NEEDS_DATABASE = `
This command opens the database itself, so no server has to run. Use it on a
machine that can reach the database (for SQLite: the machine with the file), with
the server's NAMEPLATE_DATABASE_URL and, if that is set, NAMEPLATE_ENCRYPTION_KEY.`;

const NEEDS_API = `
This command calls the API of a running server: set NAMEPLATE_URL and
NAMEPLATE_ROOT_KEY, or use --url and --key-file. Without them it calls the playground.`;

/**
 * A command with its summary and examples; `usage` names its arguments. An example is the part after the command's
 * name, or a whole line that has the word nameplate. A group of commands has no action.
 */
export function define(parent: Command, usage: string, summary: string, examples: string[]): Command {
  const command = parent.command(usage).description(summary).helpCommand(false);
  const typed = `nameplate ${pathOf(command)}`;
  const lines = examples.map((example) =>
    /(^|\s)nameplate(\s|$)/.test(example) ? example : `${typed} ${example}`.trimEnd(),
  );
  const heading = lines.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${heading}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
}

/** `webhooks rotate-secret` */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** A command with `--data` and `--json`; `json` describes the latter. */
export function dataCommand(
  parent: Command,
  usage: string,
  summary: string,
  examples: string[],
  json?: string,
): Command {
  return jsonOption(
    define(parent, usage, summary, examples).option(
      '--data <dir>',
      `directory with the playground's database and files (default: ${DEFAULT_DATA})`,
    ),
    json,
  );
}

/** A command that opens the database itself, also while a server runs on it. */
export function storeCommand(parent: Command, usage: string, summary: string, examples: string[]): Command {
  return dataCommand(parent, usage, summary, examples)
    .option(
      '--database <url>',
      `sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE (default: NAMEPLATE_DATABASE_URL; with --data, the playground's). ${TYPED_PASSWORD}`,
      parseDatabaseUrl,
    )
    .addHelpText('after', NEEDS_DATABASE);
}

/** A command that calls the API of a running server; `json` as above. */
export function apiCommand(
  parent: Command,
  usage: string,
  summary: string,
  examples: string[],
  json?: string,
): Command {
  return dataCommand(parent, usage, summary, examples, json)
    .option('--url <url>', 'address of the server (default: NAMEPLATE_URL, else the playground)')
    .option(
      '--key <key>',
      "root key, or - to read it from standard input (default: NAMEPLATE_ROOT_KEY, else the playground's). A key typed here is visible in the process list; one from standard input, --key-file or NAMEPLATE_ROOT_KEY is not",
    )
    .option('--key-file <path>', 'file that contains the root key')
    .addHelpText('after', NEEDS_API);
}

export function jsonOption(command: Command, about = 'print one JSON document instead of text'): Command {
  return command.option('--json', about);
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The curl command that requests a name from a playground's edge over HTTPS. */
export function curlCommand({ https, ca }: { https: string; ca: string }, hostname: string): string {
  const { hostname: address, port } = new URL(`https://${https}`);
  return `curl --resolve ${hostname}:${port}:${address} --cacert ${shellQuote(ca)} https://${hostname}:${port}/`;
}

/** The `--data` that a suggested command needs to use the same directory. */
export function dataFlag(data: string | undefined): string {
  return data === undefined || data === DEFAULT_DATA ? '' : ` --data ${shellQuote(data)}`;
}

/** The option that a suggested command needs to use the same store. */
export function storeFlag({ database, data }: StoreOptions): string {
  if (database === undefined) return dataFlag(data);
  return ` --database ${shellQuote(database.engine === 'sqlite' ? `sqlite:${database.path}` : 'postgres://…')}`;
}

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `12h`, `30d`; a bare number is in seconds. Returns milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(ms > 0) || ms > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 12h or 30d.');
  return ms;
}

export function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** One more value of an option that can be repeated. */
export function collectNames(text: string, before: string[] = []): string[] {
  return [...before, parseName(text)];
}

/** One more type of events, of an option that can be repeated. */
export function collectTypes(text: string, before: string[] = []): string[] {
  const known: readonly string[] = [...DOMAIN_EVENT_TYPES, '*'];
  if (known.includes(text)) return [...before, text];
  const meant = nearest(text, DOMAIN_EVENT_TYPES);
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new InvalidArgumentError(`It is not a type of events.${advice} Types are: ${known.join(' ')}`);
}

export function parseDatabaseUrl(text: string): DatabaseUrl {
  try {
    return readDatabaseUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 to 65535; 0 means any free port.');
  return Number(text);
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** The number of items to show: one or more. */
export function parseLimit(text: string): number {
  const count = parseCount(text);
  if (count === 0) throw new InvalidArgumentError('Expected a whole number from 1 on.');
  return count;
}

/** Collects the pairs of an option that may be repeated. Throws `InvalidArgumentError` where there is no pair. */
export function addPair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be KEY=VALUE.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
