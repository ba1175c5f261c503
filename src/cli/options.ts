import { type Command, InvalidArgumentError } from 'commander';
import { type DatabaseUrl, readDatabaseUrl } from '../config/config.ts';
import type { JsonOption } from './output.ts';

/** Options that several commands share. */

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

/** A command with its summary and examples; `usage` names its arguments. */
export function define(parent: Command, usage: string, summary: string, examples: string[]): Command {
  const heading = examples.length === 1 ? 'Example' : 'Examples';
  return parent
    .command(usage)
    .description(summary)
    .addHelpText('after', `\n${heading}:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

/** A command that only holds others. */
export function group(parent: Command, name: string, summary: string, examples: string[]): Command {
  return define(parent, name, summary, examples).helpCommand(false);
}

export function dataOption(command: Command): Command {
  return command.option(
    '--data <dir>',
    `directory of the store and of the playground's files (default: ${DEFAULT_DATA})`,
  );
}

export function jsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON document and nothing else');
}

/** For commands straight on the store; they work while a server runs on it. */
export function storeOptions(command: Command): Command {
  return jsonOption(
    dataOption(command).option(
      '--database <url>',
      'the store, as sqlite:PATH or postgres://… (default: the one in --data, or NAMEPLATE_DATABASE_URL, which hides a password better)',
      parseDatabaseUrl,
    ),
  );
}

/** For commands that speak to a running server. */
export function apiOptions(command: Command): Command {
  return jsonOption(
    dataOption(command)
      .option('--url <url>', 'address of the server (default: NAMEPLATE_URL, or the playground)')
      .option(
        '--key <key>',
        "root key; - reads it from standard input (default: NAMEPLATE_ROOT_KEY, or the playground's). The list of processes shows a key that is typed here; it does not show one from standard input, --key-file or NAMEPLATE_ROOT_KEY",
      )
      .option('--key-file <path>', 'file that holds the root key'),
  );
}

/** A path as it is typed in a shell. */
export function quoted(path: string): string {
  return /^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** How to ask a playground's edge for a name over HTTPS. */
export function curlCommand({ https, ca }: { https: string; ca: string }, hostname: string): string {
  const { hostname: address, port } = new URL(`https://${https}`);
  return `curl --resolve ${hostname}:${port}:${address} --cacert ${quoted(ca)} https://${hostname}:${port}/`;
}

/** What a command that is shown to be typed needs to find the same directory. */
export function dataFlag(data: string | undefined): string {
  return data === undefined || data === DEFAULT_DATA ? '' : ` --data ${quoted(data)}`;
}

/** The same for a store. */
export function storeFlag({ database, data }: StoreOptions): string {
  if (database === undefined) return dataFlag(data);
  return ` --database ${quoted(database.engine === 'sqlite' ? `sqlite:${database.path}` : 'postgres://…')}`;
}

/** For options that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `12h`, `30d`; a mere number is seconds. In milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? 0);
  if (!(ms > 0) || ms > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError('It is a length of time, such as 90s, 30m, 12h or 30d.');
  return ms;
}

/** A name for people: anything that can be seen. */
export function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

export function parseDatabaseUrl(text: string): DatabaseUrl {
  try {
    return readDatabaseUrl(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

/** A port, 0 for any free one. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It is a port, 0 to 65535 (0: any free one).');
  return Number(text);
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}
