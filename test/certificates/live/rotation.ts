import { randomBytes } from 'node:crypto';
import { expect, type TestContext } from 'vitest';
import type { Store } from '../../../server/src/store/store.ts';
import { run } from '../../support/command.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';
import { until } from '../../support/server-site.ts';
import type { Secret } from './finder.ts';
import { addName, each, expectServed } from './names.ts';
import { judge, type Killed } from './orders.ts';
import { expectNoErrors, expectNothingLeft, settle } from './rest.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createIssuingSite, type IssuingSite, type IssuingSiteOptions } from './site.ts';
import { startTraffic } from './traffic.ts';

const externalAccount = { kid: 'kid-1', hmacKey: randomBytes(32).toString('base64url') };
/** The EAB key from the CA. */
export const eab: Secret = { name: 'the EAB key', bytes: Buffer.from(externalAccount.hmacKey, 'base64url') };
export const sealingKey = (name: string, key: string): Secret => ({ name, bytes: Buffer.from(key, 'base64') });

/** Adds, renews and visits names while the key-encryption keys are rotated. */
export async function underTraffic(
  site: IssuingSite,
  { stops, others }: { stops: Killed[]; others: Secret[] },
  work: (more: () => Promise<void>) => Promise<void>,
) {
  const store = await site.open();
  const secrets = createSecrets(site, others);
  const traffic = startTraffic(site, store, { random: seeded(chooseSeed()), kills: stops, waiting: 10 });
  const count = async () => (await store.countLedgerEntries(site.recorder.directoryUrl, 0)).issued;
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
export async function expectSealedAnew(site: IssuingSite, store: Store): Promise<void> {
  const prefixes = await store.listSecretPrefixes();
  expect(prefixes.map((prefix) => Buffer.from(prefix))).toEqual([Buffer.from(site.keyring().prefix())]);
}

export async function rotate(site: IssuingSite, env: Record<string, string>): Promise<void> {
  const { code, stderr } = await run(['sealing', 'rotate', '--database', site.data.url], { env });
  expect(code, stderr).toBe(0);
}

interface Whole {
  names: string[];
  stops: Killed[];
  secrets: Secrets;
}

/** Without the old key: everything is served, more is issued, and no secret was visible. */
export async function expectWhole(site: IssuingSite, { names, stops, secrets }: Whole) {
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

/** A site whose nodes issue, until the test has finished. */
export async function open(
  onTestFinished: TestContext['onTestFinished'],
  options: Pick<IssuingSiteOptions, 'data' | 'env'>,
): Promise<IssuingSite> {
  const site = await createIssuingSite({ leaseMs: 10_000, externalAccount, ...options });
  onTestFinished(() => site.close());
  return site;
}
