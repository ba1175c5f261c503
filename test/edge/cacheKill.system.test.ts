import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readEdgeCache } from '../../server/src/edge/cache/edge-cache-file.ts';
import { createKeyring, parseKeys } from '../../server/src/store/sealing/keyring.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { chooseSeed, seeded } from '../support/seeded-random.ts';

const KILLS = Number(process.env.CACHE_KILLS ?? 10);
const NAMES = 2000;

test('kill -9 while the file of the edge cache is written leaves a whole file: the last one, or the one before', async () => {
  const random = seeded(chooseSeed());
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-edge-cache-'));
  const keyring = createKeyring({ name: 'the keys', keys: () => parseKeys(ENCRYPTION_KEY) });
  const path = join(directory, 'edge-cache');
  try {
    for (let kills = 0; kills < KILLS; kills += 1) {
      const writer = spawn(process.execPath, [join(import.meta.dirname, 'cache-writer.ts'), path, String(NAMES)]);
      let rounds = 0;
      writer.stdout.setEncoding('utf8').on('data', (text: string) => {
        rounds = Number(text.trim().split('\n').at(-1));
      });
      await once(writer.stdout, 'data');
      // At any moment of a write.
      await delay(random.between(0, 100));
      writer.kill('SIGKILL');
      await once(writer, 'close');
      const found = await readEdgeCache<{ round: number }>({ path, database: 'the same', keyring });
      const { confirmedAt: round = 0, entries = [] } = found ?? {};
      expect([rounds, rounds + 1]).toContain(round);
      expect(entries).toHaveLength(NAMES);
      expect(entries.every((entry) => entry.round === round)).toBe(true);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
