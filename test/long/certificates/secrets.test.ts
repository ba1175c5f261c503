import { afterAll, beforeAll, test } from 'vitest';
import { createKey } from '../../../server/src/store/sealing/keyring.ts';
import type { Killed } from '../../certificates/live/orders.ts';
import { eab, expectWhole, open, rotate, sealingKey, underTraffic } from '../../certificates/live/rotation.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { onPostgres } from '../../support/server-data.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

test('a sealing key is changed while names are issued: nothing fails, the old one can go, and no secret was to be seen, on two nodes', async ({
  onTestFinished,
}) => {
  const [old, next] = [createKey(), createKey()];
  const env = { NAMEPLATE_ENCRYPTION_KEY: old };
  const site = await open(onTestFinished, { data: onPostgres(postgres), env });
  const stops: Killed[] = [];
  await site.serve();
  await site.serve();
  /** In the order of docs/guides/certificates.md. */
  const restartWith = async (value: string) => {
    site.env.NAMEPLATE_ENCRYPTION_KEY = value;
    for (const node of [...site.nodes]) {
      stops.push({ pid: node.pid, at: Date.now() });
      await site.end(node, 'stop');
      await site.serve();
    }
  };
  const others = [eab, sealingKey('the old sealing key', old), sealingKey('the new sealing key', next)];
  const { store, secrets, names } = await underTraffic(site, { stops, others }, async (more) => {
    await restartWith(`${old},${next}`);
    await restartWith(`${next},${old}`);
    await more();
    await rotate(site, { NAMEPLATE_ENCRYPTION_KEY: `${next},${old}` });
    await restartWith(next);
  });
  await store.close();
  await expectWhole(site, { names, stops, secrets });
}, 600_000);
