import type { Command } from 'commander';
import { databaseAt } from '../store/database.ts';
import { CliError } from './cli-error.ts';
import { databaseUrlOf, keysOf, refuseNew } from './open-database.ts';
import { define, type StoreOptions, storeOptions } from './options.ts';
import { show } from './output.ts';
import { createBar } from './progress-bar.ts';
import { untilSignal } from './signals.ts';

export function addBackup(program: Command): void {
  const summary =
    'Copy the embedded store to a new file, checked and synced, while servers run on it. It holds secrets: only its owner can read it.';
  const examples = ['nameplate backup nameplate-2026-08-01.db', 'nameplate backup /backups/nameplate.db --json'];
  storeOptions(define(program, 'backup', summary, examples).argument('<file>', 'where to: a file that is new')).action(
    async (file: string, options: StoreOptions) => {
      const database = await databaseAt(databaseUrlOf(options));
      const { name, backUp } = database;
      if (backUp === null) throw new CliError(`${name} is on a PostgreSQL server: back it up there, as with pg_dump.`);
      await refuseNew(database, options);
      const bytes = await withBar((onProgress) => backUp(file, onProgress));
      show(options, { database: name, file, bytes }, () =>
        [
          `${file} is a backup of ${name}, whole and without faults.`,
          `The private keys in it are sealed under ${keysOf(database)}: keep that too, in another place.`,
          'To go back to it: stop every server, remove the file of the store with its -wal and -shm, and put a copy of this one in its place.',
        ].join('\n'),
      );
    },
  );
}

/** Shows how far the work is, and ends it when somebody asks for that. */
async function withBar<T>(work: (onProgress: (done: number) => void) => Promise<T>): Promise<T> {
  const bar = createBar(process.stderr);
  let stopping = false;
  void untilSignal().then(() => {
    stopping = true;
  });
  try {
    return await work((done) => {
      if (stopping) throw new CliError('Stopped; there is no backup.');
      bar.show(done < 1 ? 'Copying' : 'Checking what was copied', done);
    });
  } finally {
    bar.clear();
  }
}
