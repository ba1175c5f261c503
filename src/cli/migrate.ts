import type { Command } from 'commander';
import { databaseAt } from '../store/database.ts';
import { databaseUrlOf } from './open-database.ts';
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
      const database = await databaseAt(databaseUrlOf(options));
      const onLongWait = (doing: string) => process.stderr.write(`nameplate: waiting for another process, ${doing}\n`);
      const migrations = await (options.dryRun ? database.pendingMigrations() : database.migrate({ onLongWait }));
      const { name } = database;
      show(options, { database: name, migrations, dryRun: options.dryRun === true }, () => {
        if (migrations.length === 0) return `${name} is up to date.`;
        const list = migrations.map((migration) => `  ${migration}`).join('\n');
        return `${options.dryRun ? `${name} lacks` : `${name} now has`}:\n${list}`;
      });
    });
}
