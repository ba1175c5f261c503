import type { Command } from 'commander';
import { databaseAt } from '../store/database.ts';
import { databaseUrlOf } from './open-database.ts';
import { type StoreOptions, storeCommand } from './options.ts';
import { show } from './output.ts';

export function addMigrate(program: Command): void {
  const summary = 'Create the store, or bring its schema up to date. serve also does this when it starts.';
  const examples = [
    'nameplate migrate --dry-run',
    'nameplate migrate --database sqlite:/var/lib/nameplate/nameplate.db',
  ];
  storeCommand(program, 'migrate', summary, examples)
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
