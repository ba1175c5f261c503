import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { postgresStore } from '../../server/src/store/engine/postgres/postgres.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Store } from '../../server/src/store/store.ts';
import { startApi } from '../support/api-harness.ts';
import { temporaryDirectory } from '../support/command.ts';
import { addressOf, startPostgres } from '../support/postgres.ts';

// Tests /readyz while a real database hangs. A full disk: test/crash/full.system.test.ts.

const HANGS = { status: 503, body: { status: 'not ready', reason: 'The store does not answer in time.' } };

/** `/readyz` over a store that is made to hang, and goes on. */
async function expectTold(store: Store, hang: () => Promise<unknown>, goOn: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  let isOver = false;
  let pinging = Promise.resolve();
  const ping = () => {
    begun += 1;
    isOver = false;
    pinging = store.ping();
    const end = () => {
      isOver = true;
    };
    pinging.then(end, end);
    return pinging;
  };
  const api = await startApi({ wrap: (own) => ({ ...own, ping }) });
  const ready = async () => {
    api.clock.advance(1000);
    const { status, body } = await api.send({ method: 'GET', path: '/readyz', key: null });
    return { status, body };
  };
  try {
    expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } });
    await hang();
    try {
      expect(await ready()).toEqual(HANGS);
      // Told before the store itself gave up; the same ping answers for all probes.
      expect(await ready()).toEqual(HANGS);
      expect([isOver, begun]).toEqual([false, 2]);
      expect((await api.send({ method: 'GET', path: '/healthz', key: null })).status).toBe(200);
    } finally {
      await goOn();
    }
    await pinging.catch(() => {});
    await expect.poll(ready).toEqual({ status: 200, body: { status: 'ready' } });
  } finally {
    await api.close();
    await store.close();
  }
}

test('a SQLite database whose writer hangs is reported before the write times out, with one ping for all probes', async () => {
  const directory = temporaryDirectory();
  const path = `${directory.path}/nameplate.db`;
  const store = await sqliteStore({ path, busyTimeoutMs: 30_000 });
  const other = new DatabaseSync(path);
  await expectTold(
    store,
    async () => other.exec('begin immediate'),
    async () => other.exec('rollback'),
  );
  other.close();
  directory.remove();
});

test('a stopped PostgreSQL server (SIGSTOP) is reported before its connections time out, with one ping for all probes', async () => {
  const server = await startPostgres();
  try {
    const address = addressOf(await server.createDatabase());
    const store = await postgresStore({ address, timeouts: { answerMs: 30_000, connectMs: 30_000 } });
    const sql = 'select pid from pg_stat_activity where datname = $1';
    const pids: number[] = [];
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, name);
    };
    await expectTold(
      store,
      async () => {
        const backends = await server.run(server.url('postgres'), sql, [address.database]);
        pids.push(await server.pid(), ...backends.map(({ pid }) => Number(pid)));
        signal('SIGSTOP');
      },
      async () => signal('SIGCONT'),
    );
  } finally {
    await server.close();
  }
});
