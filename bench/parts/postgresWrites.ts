import pg from 'pg';
import { type Domain, WINDOW_MS } from '../../src/domain/domain.ts';
import { idMaker } from '../../src/ids.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { lockKeys } from '../../src/store/postgres/advisory-locks.ts';
import { postgresStore } from '../../src/store/postgres/postgres.ts';
import { postgresTables, settingsFor, TIMEOUTS } from '../../src/store/postgres/postgres-connection.ts';
import { createDomain } from '../../src/store/sql/domains.ts';
import { type CompiledStatement, compile, type Statement } from '../../src/store/sql/statement.ts';
import { writes } from '../../src/store/sql/writes.ts';
import { addressOf } from '../../test/support/postgres.ts';
import { offer } from '../part.ts';
import { newDomain } from '../population.ts';
import type { PostgresPopulation } from '../postgres.ts';
import type { Written } from './writes.ts';

/** Writes of new domains on PostgreSQL: through the store, and by the driver alone. */
const methods = {
  /** With so many workspaces, each of which gets as many of the domains. */
  async open({ url }: PostgresPopulation, workspaces: number): Promise<void> {
    const address = addressOf(url);
    pool = new pg.Pool({ ...settingsFor(address, TIMEOUTS), max: POOL_SIZE });
    store = await postgresStore({ address });
    for (let i = 0; i < workspaces; i++) places.push(await makePlace(store));
  },

  /** So many at a time; each begins when one is committed. */
  store: (atOnce: number, seconds: number): Promise<Written> =>
    loop(atOnce, seconds, async (domain) => {
      const outcome = await store?.createDomain(domain, domain.createdAt + WINDOW_MS);
      if (outcome?.kind !== 'created') throw new Error(`a domain was not created: ${outcome?.kind}`);
    }),

  /** The same statements in the same transactions, and no work besides. */
  driver: (atOnce: number, seconds: number): Promise<Written> =>
    loop(atOnce, seconds, async (domain) => {
      const args = [domain, domain.createdAt + WINDOW_MS] as const;
      const locks = lockKeys(writes.createDomain.locks(...args)).map((key) => `; select pg_advisory_xact_lock(${key})`);
      const statements = await statementsOf(...args);
      const client = await pool?.connect();
      await client?.query(`begin isolation level read committed${locks.join('')}`);
      for (const statement of statements) await client?.query(statement);
      await client?.query('commit');
      client?.release();
    }),
};

/** As the store's. */
const POOL_SIZE = 5;

const newId = idMaker({ now: Date.now });
type Place = Pick<Domain, 'workspaceId' | 'projectId' | 'appId' | 'environmentId'>;
const places: Place[] = [];
let pool: pg.Pool | undefined;
let store: Store | undefined;
let names = 0;

async function makePlace(made: Store): Promise<Place> {
  const at = { createdAt: Date.now() };
  const workspaceId = newId('ws');
  const limits = { rates: {}, domains: null };
  await made.createWorkspace({ id: workspaceId, name: 'bench', disabledAt: null, limits, ...at });
  const project = { id: newId('proj'), workspaceId, slug: 'bench', name: null, ...at };
  await made.createProject(project);
  const app = { ...project, id: newId('app'), projectId: project.id };
  await made.createApp(app);
  const environment = { ...app, id: newId('env'), appId: app.id, currentDeploymentId: null };
  await made.createEnvironment(environment);
  return { workspaceId, projectId: project.id, appId: app.id, environmentId: environment.id };
}

async function loop(atOnce: number, seconds: number, write: (domain: Domain) => Promise<void>): Promise<Written> {
  const began = performance.now();
  let writes = 0;
  async function writeOn(place: Place): Promise<void> {
    while (performance.now() - began < seconds * 1000) {
      const name = `w${++names}.p${process.pid}.written.test`;
      await write({ ...newDomain(place, newId('dom'), name, Date.now()), status: 'pending' });
      writes++;
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, i) => writeOn(places[i % places.length] as Place)));
  return { writes, seconds: (performance.now() - began) / 1000 };
}

interface PreparedQuery {
  name: string;
  text: string;
  values: unknown[];
}

/** What the store asks of the engine for one domain. */
async function statementsOf(domain: Domain, windowEndsAt: number): Promise<PreparedQuery[]> {
  const statements: PreparedQuery[] = [];
  const note = <Input extends object>(query: Statement<Input, unknown>, input: Input) => {
    const { sql, parameters } = compiled(query);
    statements.push({ name: query.name, text: sql, values: parameters(input) });
  };
  const place = { limits: JSON.stringify({ domains: null }) };
  const tx = {
    async one(query: Statement<object, unknown>, input: object) {
      note(query, input);
      return query.name === 'selectPlace' ? place : null;
    },
    async all() {
      return [];
    },
    execute(query: Statement<object, unknown>, input: object) {
      note(query, input);
      return 1;
    },
    newId,
    now: domain.createdAt,
  };
  await createDomain(tx as Parameters<typeof createDomain>[0], domain, windowEndsAt);
  return statements;
}

const known = new Map<unknown, CompiledStatement<object>>();

function compiled<Input extends object>(query: Statement<Input, unknown>): CompiledStatement<Input> {
  const made = known.get(query) ?? compile(postgresTables, query as Statement<object, unknown>);
  known.set(query, made);
  return made;
}

export type PostgresWrites = typeof methods;
offer(methods, async () => {
  await pool?.end();
  await store?.close();
});
