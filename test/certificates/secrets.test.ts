import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../src/sealing.ts';
import type { Store } from '../../src/store/store.ts';
import { onPostgres } from '../crash/data.ts';
import { chooseSeed, seeded } from '../crash/random.ts';
import { until } from '../crash/site.ts';
import { run } from '../e2e/program.ts';
import { START_LIMIT_MS } from '../fixtures/debian.ts';
import { type PostgresServer, startPostgres } from '../fixtures/postgres.ts';
import type { Secret } from './live/finder.ts';
import { addName, each, expectServed } from './live/names.ts';
import { judge, type Killed } from './live/orders.ts';
import { expectNoErrors, expectNothingLeft, settle } from './live/rest.ts';
import { createSecrets } from './live/secrets.ts';
import { createIssuingSite, type IssuingSite } from './live/site.ts';
import { startTraffic } from './live/traffic.ts';

let postgres: PostgresServer;
let site: IssuingSite;
beforeAll(async () => {
  postgres = await startPostgres();
}, START_LIMIT_MS);
afterAll(() => postgres.close());
afterEach(() => site.close());

const leaseMs = 10_000;
const externalAccount = { kid: 'kid-1', hmacKey: randomBytes(32).toString('base64url') };
const eab: Secret = { name: 'the EAB key', bytes: Buffer.from(externalAccount.hmacKey, 'base64url') };
const sealingKey = (name: string, key: string): Secret => ({ name, bytes: Buffer.from(key, 'base64') });

/** Names are added, renewed and visited, while something is done to the keys that private keys are sealed with. */
async function underTraffic(stops: Killed[], others: Secret[], work: (more: () => Promise<void>) => Promise<void>) {
  const store = await site.open();
  const secrets = createSecrets(site, others);
  const traffic = startTraffic(site, store, seeded(chooseSeed()), stops);
  const count = async () => (await store.countSpending(site.recorder.directoryUrl, 0)).issued;
  const more = async () => {
    const before = await count();
    await Promise.race([until('more are issued', async () => (await count()) >= before + 4), traffic.failed]);
    await secrets.gather(store);
  };
  await more();
  await work(more);
  await more();
  const names = await traffic.stop();
  await settle(site, store, names.length);
  return { store, secrets, names };
}

/** Every private key in the store is sealed under the first of the keys. */
async function expectSealedAnew(store: Store): Promise<void> {
  const prefixes = await store.listSecretPrefixes();
  expect(prefixes.map((prefix) => Buffer.from(prefix))).toEqual([Buffer.from(site.keyring().prefix())]);
}

async function rotate(env: Record<string, string>): Promise<void> {
  const { code, stderr } = await run(['sealing', 'rotate', '--database', site.data.url], { env });
  expect(code, stderr).toBe(0);
}

/** With the old key gone: everything is served, more is issued, and nothing of it all was to be seen. */
async function expectWhole(about: { names: string[]; stops: Killed[]; secrets: ReturnType<typeof createSecrets> }) {
  const { names, stops, secrets } = about;
  const store = await site.open();
  await expectSealedAnew(store);
  const more = ['late.customer.test', ...names];
  await addName(site, 'late.customer.test');
  await settle(site, store, more.length);
  await each(more, 4, (name) => expectServed(site, store, name));
  await expectNothingLeft(site);
  expect(judge(site.recorder.orders, stops).faults).toEqual([]);
  expectNoErrors(site);
  expect(await secrets.expectKept(store, more)).toBeGreaterThan(more.length);
  await store.close();
}

test('the sealing key of an embedded store is changed while names are issued: nothing fails, the old one can go, and no secret was to be seen', async () => {
  site = await createIssuingSite({ leaseMs, externalAccount, env: { NAMEPLATE_ENCRYPTION_KEY: '' } });
  const file = join(site.directory, 'encryption.key');
  const keys = () => readFileSync(file, 'utf8').trim().split('\n');
  const stops: Killed[] = [];
  const node = await site.serve();
  const { store, secrets, names } = await underTraffic(stops, [eab], async (more) => {
    expect(keys()).toHaveLength(1);
    await rotate({});
    await more();
  });
  await expectSealedAnew(store);
  await store.close();
  const [first = '', ...old] = keys();
  expect(old).toHaveLength(1);
  writeFileSync(file, `${first}\n`);
  stops.push({ pid: node.pid, at: Date.now() });
  await site.end(node, 'stop');
  await site.serve();
  await expectWhole({ names, stops, secrets });
}, 240_000);

test('the sealing key of two nodes is changed while names are issued: nothing fails, the old one can go, and no secret was to be seen', async () => {
  const [old, next] = [createKey(), createKey()];
  const env = { NAMEPLATE_ENCRYPTION_KEY: old };
  site = await createIssuingSite({ leaseMs, externalAccount, data: onPostgres(postgres), env });
  const stops: Killed[] = [];
  await site.serve();
  await site.serve();
  /** One after the other, as docs/certificates.md says. */
  const restartWith = async (value: string) => {
    site.env.NAMEPLATE_ENCRYPTION_KEY = value;
    for (const node of [...site.nodes]) {
      stops.push({ pid: node.pid, at: Date.now() });
      await site.end(node, 'stop');
      await site.serve();
    }
  };
  const others = [eab, sealingKey('the old sealing key', old), sealingKey('the new sealing key', next)];
  const { store, secrets, names } = await underTraffic(stops, others, async (more) => {
    await restartWith(`${old},${next}`);
    await restartWith(`${next},${old}`);
    await more();
    await rotate({ NAMEPLATE_ENCRYPTION_KEY: `${next},${old}` });
    await restartWith(next);
  });
  await store.close();
  await expectWhole({ names, stops, secrets });
}, 300_000);
