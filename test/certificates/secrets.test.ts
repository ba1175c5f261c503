import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
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
import { createSecrets, type Secrets } from './live/secrets.ts';
import { createIssuingSite, type IssuingSite, type IssuingSiteOptions } from './live/site.ts';
import { startTraffic } from './live/traffic.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

const externalAccount = { kid: 'kid-1', hmacKey: randomBytes(32).toString('base64url') };
const eab: Secret = { name: 'the EAB key', bytes: Buffer.from(externalAccount.hmacKey, 'base64url') };
const sealingKey = (name: string, key: string): Secret => ({ name, bytes: Buffer.from(key, 'base64') });

/** Names are added, renewed and visited, while something is done to the keys that private keys are sealed with. */
async function underTraffic(
  site: IssuingSite,
  { stops, others }: { stops: Killed[]; others: Secret[] },
  work: (more: () => Promise<void>) => Promise<void>,
) {
  const store = await site.open();
  const secrets = createSecrets(site, others);
  const traffic = startTraffic(site, store, { random: seeded(chooseSeed()), kills: stops, waiting: 10 });
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
async function expectSealedAnew(site: IssuingSite, store: Store): Promise<void> {
  const prefixes = await store.listSecretPrefixes();
  expect(prefixes.map((prefix) => Buffer.from(prefix))).toEqual([Buffer.from(site.keyring().prefix())]);
}

async function rotate(site: IssuingSite, env: Record<string, string>): Promise<void> {
  const { code, stderr } = await run(['sealing', 'rotate', '--database', site.data.url], { env });
  expect(code, stderr).toBe(0);
}

interface Whole {
  names: string[];
  stops: Killed[];
  secrets: Secrets;
}

/** With the old key gone: everything is served, more is issued, and nothing of it all was to be seen. */
async function expectWhole(site: IssuingSite, { names, stops, secrets }: Whole) {
  const store = await site.open();
  await expectSealedAnew(site, store);
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

async function open(
  onTestFinished: TestContext['onTestFinished'],
  options: Pick<IssuingSiteOptions, 'data' | 'env'>,
): Promise<IssuingSite> {
  const site = await createIssuingSite({ leaseMs: 10_000, externalAccount, ...options });
  onTestFinished(() => site.close());
  return site;
}

// Most of their time goes by with waiting for the CA.
describe.concurrent('a sealing key is changed while names are issued: nothing fails, the old one can go, and no secret was to be seen', () => {
  test(
    'of an embedded store',
    async ({ onTestFinished }) => {
      const site = await open(onTestFinished, { env: { NAMEPLATE_ENCRYPTION_KEY: '' } });
      const file = join(site.directory, 'encryption.key');
      const keys = () => readFileSync(file, 'utf8').trim().split('\n');
      const stops: Killed[] = [];
      const node = await site.serve();
      const { store, secrets, names } = await underTraffic(site, { stops, others: [eab] }, async (more) => {
        expect(keys()).toHaveLength(1);
        await rotate(site, {});
        await more();
      });
      await expectSealedAnew(site, store);
      await store.close();
      const [first = '', ...old] = keys();
      expect(old).toHaveLength(1);
      writeFileSync(file, `${first}\n`);
      stops.push({ pid: node.pid, at: Date.now() });
      await site.end(node, 'stop');
      await site.serve();
      await expectWhole(site, { names, stops, secrets });
    },
    START_LIMIT_MS,
  );

  test(
    'of two nodes',
    async ({ onTestFinished }) => {
      const [old, next] = [createKey(), createKey()];
      const env = { NAMEPLATE_ENCRYPTION_KEY: old };
      const site = await open(onTestFinished, { data: onPostgres(postgres), env });
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
      const { store, secrets, names } = await underTraffic(site, { stops, others }, async (more) => {
        await restartWith(`${old},${next}`);
        await restartWith(`${next},${old}`);
        await more();
        await rotate(site, { NAMEPLATE_ENCRYPTION_KEY: `${next},${old}` });
        await restartWith(next);
      });
      await store.close();
      await expectWhole(site, { names, stops, secrets });
    },
    START_LIMIT_MS,
  );
});
