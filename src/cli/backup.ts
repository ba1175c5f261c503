import type { Command } from 'commander';
import { StoreUnavailable } from '../store/contract/store.ts';
import { type Database, databaseAt } from '../store/database.ts';
import { CliError } from './cli-error.ts';
import { databaseUrlOf, existingDatabase, keySource } from './open-database.ts';
import { type StoreOptions, storeCommand } from './options.ts';
import { printError, show } from './output.ts';
import { withBar } from './progress-bar.ts';

export function addBackup(program: Command): void {
  const summary =
    'Copy the SQLite store to a new file while servers run, and verify the copy. The copy contains secrets: only its owner can read it.';
  const examples = ['nameplate backup nameplate-2026-08-01.db', 'nameplate backup /backups/nameplate.db --json'];
  storeCommand(program, 'backup', summary, examples)
    .argument('<file>', 'the backup, which must not exist yet')
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
          `Its secrets (private keys, secrets of webhooks) are encrypted under ${keySource(database)}: keep a copy of that too, in another place.`,
          'To restore it, stop every server, remove the store with its -wal and -shm files, and put a copy of the backup in its place.',
        ].join('\n'),
      );
    });
}

/** For the metrics. A backup is one without that, too: as of a store that a new release is about to migrate. */
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
