import { migrate, sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Environment } from '../../server/src/store/store.ts';
import { attach } from '../support/entities.ts';

// Another process on the same file: `migrate PATH` or `write PATH ENVIRONMENT COUNT`. It prints what was acknowledged,
// line by line.

const [, , task, path = '', environment = 'null', count = '0'] = process.argv;

/** Attaches domains to the environment, eight at a time. */
async function write(to: Environment, total: number): Promise<void> {
  const store = await sqliteStore({ path });
  let begun = 0;
  const work = async () => {
    while (begun < total) {
      begun += 1;
      const { id } = await attach(store, to, { name: `name${begun}.process${process.pid}.example.com` });
      process.stdout.write(`${id}\n`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  await store.close();
}

if (task === 'migrate') process.stdout.write(`${(await migrate(path)).length}\n`);
else await write(JSON.parse(environment), Number(count));
