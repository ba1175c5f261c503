import type { Command } from 'commander';
import { type DatabaseUrl, namesDatabase, readCommandConfig } from '../../config/config.ts';
import { joinList } from '../../domain/text.ts';
import type { Copied, CopiedTable, CopyProgress } from '../../store/copy/copy.ts';
import { type Database, databaseAt, keyringFor } from '../../store/database.ts';
import { missingKeys } from '../../store/sealing/rotation.ts';
import { StoreUnavailable } from '../../store/store.ts';
import type { PostgresUrl, SqliteUrl } from '../../store/url.ts';
import { CliError, EXIT } from '../cli-error.ts';
import {
  type DataOptions,
  dataCommand,
  parseDatabaseUrl,
  type StoreOptions,
  storeCommand,
  TYPED_PASSWORD,
} from '../options.ts';
import { type Column, printError, show, table } from '../output/output.ts';
import { withBar } from '../output/terminal.ts';
import { databaseUrlOf, existingDatabase, keySource, namedDatabase } from './open-database.ts';

/** The commands for a whole database: `migrate`, `backup` and `copy`. */

export function addMigrate(program: Command): void {
  const summary = 'Create the database schema or bring it up to date. "nameplate serve" also does this when it starts.';
  storeCommand(program, 'migrate', summary, ['--dry-run', '--database sqlite:/var/lib/nameplate/nameplate.db'])
    .option('--dry-run', 'list the pending migrations without running them')
    .action(async (options: StoreOptions & { dryRun?: true }) => {
      const database = await databaseAt(databaseUrlOf(options));
      const onLongWait = (doing: string) => process.stderr.write(`nameplate: waiting for another process, ${doing}\n`);
      const migrations = await (options.dryRun ? database.pendingMigrations() : database.migrate({ onLongWait }));
      const { name } = database;
      show(options, { database: name, migrations, dryRun: options.dryRun === true }, () => {
        if (migrations.length === 0) return `${name} is up to date.`;
        const list = migrations.map((migration) => `  ${migration}`).join('\n');
        return `${options.dryRun ? 'Pending in' : 'Migrated'} ${name}:\n${list}`;
      });
    });
}

export function addBackup(program: Command): void {
  const summary =
    'Copy the SQLite database to a new file while servers run, and verify the copy. The copy contains secrets, so only its owner can read it.';
  storeCommand(program, 'backup', summary, ['nameplate-2026-08-01.db', '/backups/nameplate.db --json'])
    .argument('<file>', 'file for the backup, which must not exist yet')
    .action(async (file: string, options: StoreOptions) => {
      const { name, backUp } = await databaseAt(databaseUrlOf(options));
      if (backUp === null)
        throw new CliError(
          `${name} is a PostgreSQL database: back it up with PostgreSQL's own tools, such as pg_dump.`,
        );
      const database = await existingDatabase(options);
      const at = Date.now();
      const bytes = await withBar((bar, interrupted) =>
        backUp(file, (done) => {
          if (interrupted.aborted) throw new CliError('Interrupted; no backup was made.');
          bar.show(done < 1 ? 'Copying' : 'Verifying the copy', done);
        }),
      );
      await record(database, at);
      show(options, { database: name, file, bytes }, () =>
        [
          `${file} is a verified backup of ${name}.`,
          `Any secrets in it (private keys, secrets of webhooks and origins) are encrypted under ${keySource(database)}: keep a copy of that too, in another place.`,
          'To restore it, stop every server, remove the store with its -wal and -shm files, and put a copy of the backup in its place.',
        ].join('\n'),
      );
    });
}

/**
 * Recorded for the metrics. A store that cannot record it, such as one that a new release is about to migrate, is
 * backed up all the same.
 */
async function record(database: Database, at: number): Promise<void> {
  try {
    const store = await database.open();
    await store.recordBackup(at).finally(() => store.close());
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    const note =
      'The backup is complete, but its time could not be recorded for nameplate_backup_last_success_timestamp_seconds';
    printError(`${note}: ${error.message}`);
  }
}

interface CopyOptions extends DataOptions {
  from?: DatabaseUrl;
  to?: DatabaseUrl;
}

const COPY_COLUMNS: Column<CopiedTable>[] = [
  { title: 'Table', text: ({ table }) => table },
  { title: 'Rows', text: ({ source }) => String(source) },
  { title: 'Copied', text: ({ target }) => String(target) },
];

export function addCopy(program: Command): void {
  const summary =
    'Copy a whole installation from SQLite to an empty PostgreSQL database. Stop every server first. An interrupted copy leaves the new database empty: run the command again.';
  const examples = [
    'NAMEPLATE_DATABASE_URL=postgres://nameplate:…@db.internal/nameplate nameplate copy --from sqlite:/var/lib/nameplate/nameplate.db',
    'nameplate copy --from sqlite:.nameplate/nameplate.db --to postgres://nameplate@db.internal/nameplate',
  ];
  dataCommand(program, 'copy', summary, examples)
    .option('--from <url>', 'the database to copy, as sqlite:PATH; required unless --data is given', parseDatabaseUrl)
    .option(
      '--to <url>',
      `an empty database, as postgres://USER:PASSWORD@HOST/DATABASE (default: NAMEPLATE_DATABASE_URL). ${TYPED_PASSWORD}`,
      parseDatabaseUrl,
    )
    .action(async (options: CopyOptions) => {
      const { from, to } = endsOf(options);
      const [source, target] = [await databaseAt(from), await databaseAt(to)];
      if (await source.isNew()) throw new CliError(`There is no store at ${source.name}.`);
      const { tables, serving } = await copyWithBar(from, to);
      const missing = await keysMissing(target);
      show(options, { from: source.name, to: target.name, tables, serving }, () =>
        [
          `${target.name} is a copy of ${source.name}; every field was compared.`,
          '',
          table(COPY_COLUMNS, tables),
          '',
          `Set NAMEPLATE_DATABASE_URL to ${serving.length === 0 ? target.name : joinList(serving)}, with its password, and start the servers. Do not start any on ${source.name} again: it still has the old data.`,
          ...(missing ? [keysAdvice(source, target)] : []),
        ].join('\n'),
      );
    });
}

/** Whether secrets were copied that the servers of the target could not unseal. */
async function keysMissing(target: Database): Promise<boolean> {
  const store = await target.open();
  try {
    return (await missingKeys(store, keyringFor(target, readCommandConfig().encryptionKeys))).length > 0;
  } finally {
    await store.close();
  }
}

function keysAdvice(source: Database, target: Database): string {
  return `The secrets in the store (private keys, secrets of webhooks and origins) are still encrypted under the keys in ${source.keyFile}: add these to ${keySource(target)}, separated by commas, after any that are there. "nameplate sealing rotate" replaces them later.`;
}

/** Both ends have to be named. Throws `CliError`. */
function endsOf(options: CopyOptions): { from: SqliteUrl; to: PostgresUrl } {
  const from = options.from ?? namedDatabase(options);
  if (from === undefined) throw badUsage('Name the store to copy, with --from or --data.');
  const to = options.to ?? (namesDatabase() ? readCommandConfig().databaseUrl : undefined);
  if (to === undefined) throw badUsage('Name the database to copy it to, with --to or NAMEPLATE_DATABASE_URL.');
  if (from.engine !== 'sqlite' || to.engine !== 'postgres') {
    throw badUsage('A copy goes from SQLite (--from sqlite:PATH) to PostgreSQL (--to postgres://…).');
  }
  return { from, to };
}

function badUsage(message: string): CliError {
  return new CliError(message, { exitCode: EXIT.usage });
}

async function copyWithBar({ path }: SqliteUrl, to: PostgresUrl): Promise<Copied> {
  const { copyStore } = await import('../../store/copy/copy.ts');
  return withBar(async (bar, interrupted) => {
    const onProgress = ({ phase, done, total }: CopyProgress) =>
      bar.show(phase === 'copying' ? 'Copying' : 'Comparing', total === 0 ? 1 : done / total);
    try {
      return await copyStore(path, to, onProgress, interrupted);
    } catch (error) {
      throw error === interrupted.reason ? new CliError('Interrupted; nothing was copied.') : error;
    }
  });
}
