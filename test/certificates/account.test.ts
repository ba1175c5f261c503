import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AcmeOptions } from '../../server/src/certificates/acme/acme.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing } from './issuing.ts';

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

const DAY_MS = 24 * 3_600_000;
const kept = (ca: FakeCa) => world.store.findCaAccount(ca.directoryUrl);

describe('the account', () => {
  test('is created once, agrees to the terms, and has the configured contact', async () => {
    const ca = await world.startCa();
    await world.issuer(ca).issue(world.task());
    await world.issuer(ca, { email: 'later@example.com' }).issue(world.task());
    expect(ca.accounts()).toEqual([
      { url: (await kept(ca))?.url, status: 'valid', contact: ['mailto:ops@example.com'] },
    ]);
    expect(ca.requests.newAccount).toBe(1);
  });

  test('needs no contact', async () => {
    const ca = await world.startCa();
    await world.issuer(ca, { email: null }).issue(world.task());
    expect(ca.accounts()).toMatchObject([{ contact: [] }]);
  });

  test('is the same for all nodes that start at the same time', async () => {
    const ca = await world.startCa();
    const nodes = Array.from({ length: 5 }, () => world.issuer(ca));
    await Promise.all(nodes.flatMap((node) => [node.issue(world.task()), node.issue(world.task())]));
    expect(ca.accounts()).toHaveLength(1);
    expect(ca.requests.newAccount).toBeLessThanOrEqual(nodes.length);
  });

  test('has its key saved before it is registered, so that a crash creates no second one', async () => {
    const ca = await world.startCa();
    const store: AcmeOptions['store'] = {
      ...world.store,
      async updateCaAccount() {
        throw new Error('crashed');
      },
    };
    await expect(world.issuer(ca, { store }).issue(world.task())).rejects.toThrow('crashed');
    expect(await kept(ca)).toMatchObject({ url: null });
    await world.issuer(ca).issue(world.task());
    expect(ca.accounts()).toMatchObject([{ url: (await kept(ca))?.url }]);
  });

  test('is found again when the response to its registration was lost', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['newAccount'], times: 1, afterwards: true, answer: 'cut' });
    await expect(world.issuer(ca).issue(world.task())).rejects.toMatchObject({ kind: 'unavailable' });
    await world.issuer(ca).issue(world.task());
    expect(ca.accounts()).toHaveLength(1);
  });

  test("is not created when the CA refuses it, and the error has the CA's message", async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['newAccount'], answer: new AcmeProblem(400, 'invalidContact', 'example.com is no domain') });
    await expect(world.issuer(ca).issue(world.task())).rejects.toMatchObject({
      kind: 'account',
      message: expect.stringContaining('"example.com is no domain"'),
    });
  });
});

describe('an external account', () => {
  const externalAccounts = { customer: Buffer.alloc(32, 7).toString('base64url') };

  test('is bound to the account', async () => {
    const ca = await world.startCa({ externalAccounts });
    const externalAccount = { kid: 'customer', hmacKey: externalAccounts.customer };
    await world.issuer(ca, { externalAccount }).issue(world.task());
    expect(ca.accounts()).toHaveLength(1);
  });

  test('that is missing is an error, and no account is requested', async () => {
    const ca = await world.startCa({ externalAccounts });
    await expect(world.issuer(ca).issue(world.task())).rejects.toMatchObject({
      kind: 'account',
      message: expect.stringContaining('external account'),
    });
    expect(ca.requests.newAccount).toBe(0);
  });

  test('with another secret is refused', async () => {
    const ca = await world.startCa({ externalAccounts });
    const externalAccount = { kid: 'customer', hmacKey: Buffer.alloc(32, 8).toString('base64url') };
    await expect(world.issuer(ca, { externalAccount }).issue(world.task())).rejects.toMatchObject({ kind: 'account' });
    expect(ca.accounts()).toEqual([]);
  });
});

describe('an account that the CA no longer accepts', () => {
  test.each([
    ['revoked', (ca: FakeCa) => ca.revokeAccounts('revoked')],
    ['deactivated', (ca: FakeCa) => ca.revokeAccounts('deactivated')],
    ['forgotten', (ca: FakeCa) => ca.forgetAccounts()],
  ])('is replaced once it is a day old: %s', async (_, end) => {
    const ca = await world.startCa();
    await world.issuer(ca).issue(world.task());
    const before = await kept(ca);
    end(ca);
    await expect(world.issuer(ca).issue(world.task())).rejects.toMatchObject({ kind: 'account' });
    expect(await kept(ca)).toEqual(before);
    world.clock.pass(DAY_MS);
    await world.issuer(ca).issue(world.task());
    const after = await kept(ca);
    expect(after?.url).not.toBe(before?.url);
    expect(after?.privateKey).not.toEqual(before?.privateKey);
    expect(ca.accounts().filter(({ status }) => status === 'valid')).toMatchObject([{ url: after?.url }]);
  });

  test('is replaced by the same account on all nodes', async () => {
    const ca = await world.startCa();
    await world.issuer(ca).issue(world.task());
    ca.revokeAccounts();
    world.clock.pass(DAY_MS);
    await Promise.all(Array.from({ length: 5 }, () => world.issuer(ca).issue(world.task())));
    expect(ca.accounts().filter(({ status }) => status === 'valid')).toMatchObject([{ url: (await kept(ca))?.url }]);
  });

  test('invalidates its orders', async () => {
    const ca = await world.startCa();
    const task = world.task({
      async present() {
        throw new Error('crashed');
      },
    });
    await expect(world.issuer(ca).issue(task)).rejects.toThrow('crashed');
    ca.revokeAccounts();
    world.clock.pass(DAY_MS);
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
    // The new account does not see it either.
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
    await expect(world.issuer(ca).issue(world.task({ hostname: task.hostname }))).resolves.toBeDefined();
  });

  test('in the middle of an order invalidates the order', async () => {
    const ca = await world.startCa();
    await world.issuer(ca).issue(world.task());
    world.clock.pass(DAY_MS);
    const task = world.task();
    const { onOrder } = task;
    task.onOrder = async (url) => {
      await onOrder(url);
      ca.revokeAccounts();
    };
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
    expect(ca.accounts().map(({ status }) => status)).toEqual(['revoked']);
    await expect(world.issuer(ca).issue(world.task({ hostname: task.hostname }))).resolves.toBeDefined();
    expect(ca.accounts().map(({ status }) => status)).toEqual(['revoked', 'valid']);
  });

  test('is replaced at most once a day when the CA accepts none', async () => {
    const ca = await world.startCa();
    await world.issuer(ca).issue(world.task());
    for (let hours = 0; hours < 72; hours++) {
      ca.revokeAccounts();
      await world
        .issuer(ca)
        .issue(world.task())
        .catch(() => {});
      world.clock.pass(3_600_000);
    }
    expect(ca.accounts().length).toBeLessThanOrEqual(1 + 72 / 24);
  });
});

describe('an order that the account may not read', () => {
  test('is refused, and the account stays', async () => {
    const ca = await world.startCa();
    await world.issuer(ca).issue(world.task());
    world.clock.pass(DAY_MS);
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(403, 'unauthorized', 'not for you') });
    await expect(world.issuer(ca).issue(world.task())).rejects.toMatchObject({ kind: 'refused' });
    expect(ca.accounts()).toHaveLength(1);
  });
});
