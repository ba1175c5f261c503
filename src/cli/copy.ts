import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { type DatabaseUrl, namesDatabase, readCommandConfig } from '../config/config.ts';
import { StoreUnavailable } from '../store/contract/store.ts';
import { type CopiedTable, CopyRefused, type CopySource, type CopyTarget, copyStore } from '../store/copy/copy.ts';
import { type Database, databaseAt, keyringFor } from '../store/database.ts';
import { missingKeys } from '../store/sealing/sealed-store.ts';
import { CliError, EXIT } from './cli-error.ts';
import { KEY_VARIABLE, keysOf, namedDatabase } from './open-database.ts';
import { type DataOptions, dataOption, define, jsonOption, parseDatabaseUrl } from './options.ts';
import { type Column, show, table } from './output.ts';
import { createBar } from './progress-bar.ts';

interface CopyOptions extends DataOptions {
  from?: DatabaseUrl;
  to?: DatabaseUrl;
}

const COLUMNS: Column<CopiedTable>[] = [
  { title: 'Table', text: ({ table }) => table },
  { title: 'Rows', text: ({ source }) => String(source) },
  { title: 'Copied', text: ({ target }) => String(target) },
];

export function addCopy(program: Command): void {
  const summary =
    'Copy a whole installation to a store that is new, of either kind. Stop every server first. Once interrupted, the same command goes on where it ended.';
  const examples = [
    'NAMEPLATE_DATABASE_URL=postgres://nameplate:…@db.internal/nameplate nameplate copy --from sqlite:/var/lib/nameplate/nameplate.db',
    'nameplate copy --from sqlite:.nameplate/nameplate.db --to postgres://nameplate@db.internal/nameplate',
  ];
  jsonOption(dataOption(define(program, 'copy', summary, examples)))
    .option(
      '--from <url>',
      'the store to copy, as sqlite:PATH or postgres://… (default: the one in --data)',
      parseDatabaseUrl,
    )
    .option(
      '--to <url>',
      'where to, likewise (default: NAMEPLATE_DATABASE_URL, which hides a password better)',
      parseDatabaseUrl,
    )
    .action(async (options: CopyOptions) => {
      const { from, to } = endsOf(options);
      const [source, target] = [await databaseAt(from), await databaseAt(to)];
      if (await source.isNew()) throw new CliError(`There is no store at ${source.name}.`);
      const copied = await copy(source, target);
      const missing = await keysMissing(target);
      show(options, { from: source.name, to: target.name, ...copied }, ({ tables }) =>
        [
          `${target.name} is a copy of ${source.name}; every field was compared.`,
          '',
          table(COLUMNS, tables),
          '',
          `Start servers with NAMEPLATE_DATABASE_URL naming ${target.name}, and none on ${source.name} any more: it was left as it is.`,
          ...(missing ? [keysAdvice(source, target)] : []),
        ].join('\n'),
      );
    });
}

/** Whether private keys were copied that the servers of the target could not open. */
async function keysMissing(target: Database): Promise<boolean> {
  const store = await target.open();
  try {
    return (await missingKeys(store, keyringFor(target, readCommandConfig().encryptionKeys))).length > 0;
  } finally {
    await store.close();
  }
}

function keysAdvice(source: Database, target: Database): string {
  const from = source.keyFile ?? `the ${KEY_VARIABLE} that its servers had`;
  return `Private keys are sealed as they were: put the keys of ${from} into ${keysOf(target)}, behind any that are there, and say "nameplate sealing rotate" later to be rid of them.`;
}

/** Neither end is guessed. Throws `CliError`. */
function endsOf(options: CopyOptions): { from: DatabaseUrl; to: DatabaseUrl } {
  const from = options.from ?? namedDatabase(options);
  if (from === undefined) throw badUsage('Say what to copy, with --from or --data.');
  const to = options.to ?? (namesDatabase() ? readCommandConfig().databaseUrl : undefined);
  if (to === undefined) throw badUsage('Say where to copy it, with --to or NAMEPLATE_DATABASE_URL.');
  if (isDeepStrictEqual(placeOf(from), placeOf(to))) throw badUsage('A store cannot be copied to itself.');
  return { from, to };
}

function badUsage(message: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage });
}

function placeOf(url: DatabaseUrl): unknown {
  return url.engine === 'sqlite' ? resolve(url.path) : [url.host, url.port, url.database, url.user];
}

async function copy(from: Database, to: Database): Promise<{ continued: boolean; tables: CopiedTable[] }> {
  const source = await from.copySource();
  try {
    const target = await to.copyTarget(source.name);
    try {
      return { continued: target.continues, tables: await copyWithBar(source, target) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyWithBar(source: CopySource, target: CopyTarget): Promise<CopiedTable[]> {
  const bar = createBar(process.stderr);
  if (target.continues) process.stderr.write(`Going on with the copy that ${target.name} holds the beginning of.\n`);
  try {
    return await copyStore(source, target, ({ doing, done, total }) =>
      bar.show(doing === 'copying' ? 'Copying' : 'Comparing', total === 0 ? 1 : done / total),
    );
  } catch (error) {
    if (error instanceof CopyRefused || !(error instanceof StoreUnavailable)) throw error;
    throw new CliError(`${error.message}. What has been copied is kept: the same command goes on there.`);
  } finally {
    bar.clear();
  }
}
