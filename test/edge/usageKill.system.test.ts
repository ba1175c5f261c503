import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { verify } from '../support/certificates.ts';
import { plant } from '../support/entities.ts';
import { overHttp } from './harness.ts';

const KILLS = 6;
const BEFORE = 20;
const AFTER = 15;
const hostname = 'shop.example.com';

test('a kill -9 loses only what was counted since the last write, and nothing counts twice', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-usage-'));
  const path = join(directory, 'nameplate.db');
  const store = await sqliteStore({ path });
  try {
    const { environment } = await plant(store);
    const domain = await verify(store, environment, { name: hostname });
    const found = await store.findUsageDomain(domain.workspaceId, domain.id);
    const counted = async () => {
      const hours = await store.findUsage(found?.number ?? 0, { from: 0, to: Number.MAX_SAFE_INTEGER });
      return hours.reduce((sum, { requests }) => sum + requests, 0);
    };
    let stored = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      const edge = fork(join(import.meta.dirname, 'usage-process.ts'), [path]);
      const [port] = (await once(edge, 'message')) as [number];
      for (let i = 0; i < BEFORE; i++) await overHttp({ port, hostname });
      // A request may end a moment after its client has the response.
      while ((await counted()) < stored + BEFORE) {
        edge.send('write');
        await once(edge, 'message');
      }
      for (let i = 0; i < AFTER; i++) await overHttp({ port, hostname });
      // Half of the times while it writes.
      if (kills % 2 === 1) edge.send('write');
      edge.kill('SIGKILL');
      await once(edge, 'close');
      const after = await counted();
      expect(after).toBeGreaterThanOrEqual(stored + BEFORE);
      expect(after).toBeLessThanOrEqual(stored + BEFORE + AFTER);
      stored = after;
    }
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});
