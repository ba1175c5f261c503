import type { Command } from 'commander';
import { databasePath } from './database.ts';
import { define, type StoreOptions, storeOptions } from './options.ts';
import { show } from './output.ts';

export function addMigrate(program: Command): void {
  const summary =
    "Bring the store's schema up to date, making the store where there is none. serve does it at its start, too.";
  const examples = [
    'nameplate migrate --dry-run',
    'nameplate migrate --database sqlite:/var/lib/nameplate/nameplate.db',
  ];
  storeOptions(define(program, 'migrate', summary, examples))
    .option('--dry-run', 'only say what would be done')
    .action(async (options: StoreOptions & { dryRun?: true }) => {
      const database = databasePath(options);
      const onLongWait = () =>
        process.stderr.write(`nameplate: waiting for another process, which holds the write lock of ${database}\n`);
      const { migrate, pendingMigrations } = await import('../store/sqlite.ts');
      const migrations = options.dryRun ? await pendingMigrations(database) : await migrate(database, { onLongWait });
      show(options, { database, migrations, dryRun: options.dryRun === true }, () => {
        if (migrations.length === 0) return `${database} is up to date.`;
        const list = migrations.map((name) => `  ${name}`).join('\n');
        return `${options.dryRun ? `${database} lacks` : `${database} now has`}:\n${list}`;
      });
    });
}
