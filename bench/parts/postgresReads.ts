import pg from 'pg';
import { postgresStore } from '../../src/store/postgres/postgres.ts';
import { postgresTables, settingsFor, TIMEOUTS } from '../../src/store/postgres/postgres-connection.ts';
import { findDomainByName } from '../../src/store/sql/domains.ts';
import { compile, type Statement } from '../../src/store/sql/statement.ts';
import { addressOf } from '../../test/support/postgres.ts';
import { offer } from '../part.ts';
import { nameOf } from '../population.ts';
import type { PostgresPopulation } from '../postgres.ts';

/** Reads of domains by name: by the driver alone, and through the store. */
const methods = {
  /** The statement of getDomain, in a loop. */
  async driver({ url, ids, domains }: PostgresPopulation, { atOnce, seconds }: Effort): Promise<Read> {
    pool ??= new pg.Pool({ ...settingsFor(addressOf(url), TIMEOUTS), max: POOL_SIZE });
    const text = await textOf(findDomainByName);
    const { workspaceId } = ids;
    const run = async (name: string) =>
      (await pool?.query({ name: 'get_domain', text, values: [workspaceId, name] }))?.rows[0];
    return loop(run, domains, { atOnce, seconds });
  },

  async store({ url, ids, domains }: PostgresPopulation, effort: Effort): Promise<Read> {
    store ??= await postgresStore({ address: addressOf(url) });
    const { workspaceId } = ids;
    return loop((name) => store?.findDomainByName(workspaceId, name), domains, effort);
  },
};

export interface Effort {
  atOnce: number;
  seconds: number;
}

export interface Read {
  reads: number;
  seconds: number;
}

/** As the store's. */
const POOL_SIZE = 5;

let pool: pg.Pool | undefined;
let store: Awaited<ReturnType<typeof postgresStore>> | undefined;

async function loop(read: (name: string) => unknown, domains: number, { atOnce, seconds }: Effort): Promise<Read> {
  const began = performance.now();
  const end = began + seconds * 1000;
  let reads = 0;
  async function readOn(): Promise<void> {
    while (performance.now() < end) {
      const found = await read(nameOf(Math.floor(Math.random() * domains)));
      if (!found) throw new Error('a domain was not found');
      reads++;
    }
  }
  await Promise.all(Array.from({ length: atOnce }, readOn));
  return { reads, seconds: (performance.now() - began) / 1000 };
}

/** The SQL of an operation of one statement. */
async function textOf(operation: typeof findDomainByName): Promise<string> {
  let text = '';
  const note = <Input extends object>(query: Statement<Input, unknown>) => {
    text = compile(postgresTables, query).sql;
  };
  await operation(
    {
      async one(query) {
        note(query);
        return null;
      },
      async all(query) {
        note(query);
        return [];
      },
    },
    '',
    '',
  );
  return text;
}

export type PostgresReads = typeof methods;
offer(methods, async () => {
  await pool?.end();
  await store?.close();
});
