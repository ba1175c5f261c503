import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { accountsAt } from '../../server/src/certificates/acme/acme-account.ts';
import { revokeAtCa } from '../../server/src/certificates/acme/revocation.ts';
import { successorOf } from '../../server/src/domain/certificate-state.ts';
import type { Store } from '../../server/src/store/store.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing } from './issuing.ts';

/** The key of an account is replaced (RFC 8555 section 7.3.5). */

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

const HOUR_MS = 3_600_000;
const kept = (ca: FakeCa) => world.store.findCaAccount(ca.directoryUrl);
const successor = (ca: FakeCa) => world.store.findCaAccount(successorOf(ca.directoryUrl));
const keyOf = async (ca: FakeCa) => Buffer.from((await kept(ca))?.privateKey ?? []).toString('hex');

function rotate(ca: FakeCa, store: Store = world.store): Promise<void> {
  const use = { store, trustRoots: null, clock: world.clock, log: createLog('silent') };
  return accountsAt(ca.directoryUrl, use).rotateKey();
}

/** A CA with an account. */
async function startCa(): Promise<FakeCa> {
  const ca = await world.startCa();
  await world.issuer(ca).issue(world.task());
  return ca;
}

/** Orders go on with the account that there was. */
async function expectUsable(ca: FakeCa): Promise<void> {
  await world.issuer(ca).issue(world.task());
  expect(ca.accounts()).toHaveLength(1);
  expect(ca.requests.newAccount).toBe(1);
}

describe('a rotation', () => {
  test('gives the account another key, and nodes that run use it at once', async () => {
    const ca = await startCa();
    const node = world.issuer(ca);
    await node.issue(world.task());
    const [before, key] = [await kept(ca), await keyOf(ca)];
    world.clock.pass(HOUR_MS);
    await rotate(ca);
    expect(await kept(ca)).toMatchObject({ url: before?.url, createdAt: world.clock.now() });
    expect(await keyOf(ca)).not.toBe(key);
    expect(await successor(ca)).toBe(null);
    await node.issue(world.task());
    await expectUsable(ca);
  });

  test('does not disturb orders in flight: they go on with the new key', async () => {
    const ca = await startCa();
    const task = world.task();
    const { onOrder } = task;
    task.onOrder = async (url) => {
      await onOrder(url);
      await rotate(ca);
    };
    await world.issuer(ca).issue(task);
    expect(ca.orders().filter(({ hostname }) => hostname === task.hostname)).toMatchObject([{ status: 'valid' }]);
    await expectUsable(ca);
  });

  test('is saved before the CA is asked', async () => {
    const ca = await startCa();
    const store = { ...world.store, addCaSuccessor: () => Promise.reject(new Error('crashed')) };
    await expect(rotate(ca, store)).rejects.toThrow('crashed');
    expect(ca.requests.keyChange).toBe(0);
    await expectUsable(ca);
  });

  test('that crashes between the answer of the CA and the store is ended by the next order', async () => {
    const ca = await startCa();
    const key = await keyOf(ca);
    const store = { ...world.store, replaceCaAccount: () => Promise.reject(new Error('crashed')) };
    await expect(rotate(ca, store)).rejects.toThrow('crashed');
    expect(await keyOf(ca)).toBe(key);
    await expectUsable(ca);
    expect(await keyOf(ca)).not.toBe(key);
    expect(await successor(ca)).toBe(null);
  });

  test('that was interrupted does not keep a certificate from being revoked with the account', async () => {
    const ca = await startCa();
    const store = { ...world.store, replaceCaAccount: () => Promise.reject(new Error('crashed')) };
    await expect(rotate(ca, store)).rejects.toThrow('crashed');
    const { chain } = await world.issuer(ca).issue(world.task());
    await expect(rotate(ca, store)).rejects.toThrow('crashed');
    const use = { store: world.store, trustRoots: null, clock: world.clock, log: createLog('silent') };
    await revokeAtCa({ issuer: ca.directoryUrl, chain, privateKey: null }, 'superseded', use);
    expect(ca.revoked).toMatchObject([{ reason: 4 }]);
  });

  test.each([true, false])(
    'whose answer is lost leaves a usable account, where the CA has the new key: %s',
    async (afterwards) => {
      const ca = await startCa();
      const key = await keyOf(ca);
      ca.fault({ at: ['keyChange'], times: 1, afterwards, answer: 'cut' });
      await expect(rotate(ca)).rejects.toMatchObject({ kind: 'unavailable' });
      await expectUsable(ca);
      expect((await keyOf(ca)) === key).toBe(!afterwards);
      await rotate(ca);
      await expectUsable(ca);
      expect(await keyOf(ca)).not.toBe(key);
      expect(await successor(ca)).toBe(null);
    },
  );

  test('that the CA refuses changes nothing, and is given up after an hour', async () => {
    const ca = await startCa();
    const key = await keyOf(ca);
    const end = ca.fault({ at: ['keyChange'], answer: new AcmeProblem(403, 'unauthorized', 'not today') });
    await expect(rotate(ca)).rejects.toThrow('not today');
    end();
    await expectUsable(ca);
    expect(await successor(ca)).not.toBe(null);
    world.clock.pass(HOUR_MS + 1);
    await expectUsable(ca);
    expect(await successor(ca)).toBe(null);
    expect(await keyOf(ca)).toBe(key);
  });

  test('that two commands make at the same time leaves one new key', async () => {
    const ca = await startCa();
    await Promise.allSettled([rotate(ca), rotate(ca)]);
    await expectUsable(ca);
    expect(await successor(ca)).toBe(null);
  });
});
