import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IssueTask } from '../../server/src/certificates/issuer.ts';
import { splitPem } from '../../server/src/certificates/x509/pem.ts';
import { newPrivateKey, publicKeyInfo, readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { createIssuing, type Issuing, type Task } from './issuing.ts';

/** For a busy machine. */
const SOON = { timeout: 30_000 };

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

/** Expects a chain to the CA's root, whose leaf is for the task's name and key. */
function expectIssued(ca: FakeCa, { hostname, privateKey }: IssueTask, { chain }: { chain: string }): void {
  const [leaf, above, ...others] = splitPem(chain).map((pem) => new X509Certificate(pem));
  const root = new X509Certificate(ca.issuingRoots);
  if (leaf === undefined || above === undefined) throw new Error(`not a chain: ${chain}`);
  expect(others).toEqual([]);
  expect(leaf.verify(above.publicKey) && above.verify(root.publicKey)).toBe(true);
  expect(leaf.checkHost(hostname, { subject: 'never' })).toBe(hostname);
  expect(publicKeyInfo(leaf.publicKey).equals(publicKeyInfo(readPrivateKey(privateKey)))).toBe(true);
}

describe('a certificate', () => {
  test('is issued for the name and the key, with its intermediates', async () => {
    const ca = await world.startCa();
    const task = world.task();
    expectIssued(ca, task, await world.issuer(ca).issue(task));
  });

  test('costs seven requests, each with the nonce of the previous response', async () => {
    const ca = await world.startCa();
    const issuer = world.issuer(ca);
    await issuer.issue(world.task());
    const before = { ...ca.requests };
    await issuer.issue(world.task());
    const more = Object.entries(ca.requests).map(([endpoint, count]) => [
      endpoint,
      count - before[endpoint as 'order'],
    ]);
    expect(Object.fromEntries(more.filter(([, count]) => count !== 0))).toEqual({
      newOrder: 1,
      authorization: 2,
      challenge: 1,
      order: 1,
      finalize: 1,
      certificate: 1,
    });
  });

  test('is polled for while the CA validates, and while it issues', async () => {
    const ca = await world.startCa();
    ca.settings.looks = 3;
    const task = world.task();
    expectIssued(ca, task, await world.issuer(ca).issue(task));
  });

  test('has its order saved before the next request, and its challenge response published before the CA validates', async () => {
    const ca = await world.startCa();
    const seen: string[] = [];
    const task = world.task({
      onOrder: async () => {
        seen.push(`order kept after ${ca.requests.authorization} authorizations`);
      },
    });
    const present = task.present;
    task.present = async (challenge) => {
      seen.push(`shown after ${ca.requests.challenge} challenges`);
      await present(challenge);
    };
    await world.issuer(ca).issue(task);
    expect(seen).toEqual(['order kept after 0 authorizations', 'shown after 0 challenges']);
  });

  test('is issued at once when the CA reuses a valid authorization', async () => {
    const ca = await world.startCa();
    const task = world.task();
    await expect(world.issuer(ca).issue({ ...task, onOrder: keepAndStop(task) })).rejects.toThrow('stopped');
    const [order] = ca.orders();
    Object.assign(order ?? {}, { challenge: 'valid', status: 'ready' });
    expectIssued(ca, task, await world.issuer(ca).issue(task));
    expect(task.steps).not.toContain('present');
  });
});

function keepAndStop(task: Task): IssueTask['onOrder'] {
  return async (url) => {
    await task.onOrder(url);
    throw new Error('stopped');
  };
}

describe('an order that was interrupted at any step', () => {
  /** Each worker crashes at its n-th step, and another resumes. Returns how many it took. */
  async function issueInSteps(ca: FakeCa, task: Task, lives: (life: number) => number): Promise<number> {
    for (let life = 1; ; life++) {
      let left = lives(life);
      const step =
        <Args extends unknown[]>(original: (...args: Args) => Promise<void>) =>
        async (...args: Args) => {
          await original(...args);
          if (left-- === 0) throw new Error('stopped');
        };
      try {
        const mortal = {
          ...task,
          onOrder: step(task.onOrder),
          present: step(task.present),
          ensureLease: step(task.ensureLease),
        };
        expectIssued(ca, task, await world.issuer(ca).issue(mortal));
        return life;
      } catch (error) {
        if (!(error instanceof Error && error.message === 'stopped')) throw error;
        expect(life).toBeLessThan(100);
      }
    }
  }

  test.each([0, 2])('is resumed, and no other is begun, whichever step it was (%i polls)', async (looks) => {
    const ca = await world.startCa();
    ca.settings.looks = looks;
    for (let steps = 0; ; steps++) {
      const task = world.task();
      const lives = await issueInSteps(ca, task, (life) => (life === 1 ? steps : Number.POSITIVE_INFINITY));
      if (lives === 1) break;
    }
    expect(ca.ordersAtOnce).toEqual([]);
    expect(ca.accounts()).toHaveLength(1);
    expect(ca.orders().every(({ status }) => status === 'valid')).toBe(true);
    expect(ca.requests.newOrder).toBe(ca.certificates.length);
  });

  test('is finished by workers that all crash early', async () => {
    const ca = await world.startCa();
    const lives = await issueInSteps(ca, world.task(), (life) => life);
    expect(lives).toBeGreaterThan(2);
    expect(ca.requests.newOrder).toBe(1);
  });

  test.each(['authorization', 'challenge', 'order', 'finalize', 'certificate'] as const)(
    'is gone on with where the answer was lost: %s',
    async (endpoint) => {
      const ca = await world.startCa();
      const task = world.task();
      ca.fault({ at: [endpoint], times: 1, afterwards: true, answer: 'cut' });
      await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'unavailable' });
      expectIssued(ca, task, await world.issuer(ca).issue(task));
      expect(ca.requests.newOrder).toBe(1);
      expect(ca.certificates).toHaveLength(1);
    },
  );

  test('requests the certificate for the key that it was begun with', async () => {
    const ca = await world.startCa();
    ca.settings.looks = 1;
    const task = world.task();
    ca.fault({ at: ['certificate'], times: 1, answer: 'cut' });
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'unavailable' });
    const another = { ...task, privateKey: newPrivateKey() };
    await expect(world.issuer(ca).issue(another)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('it is for another key'),
    });
    expectIssued(ca, task, await world.issuer(ca).issue(task));
  });

  test('is gone when the CA deleted it, made it invalid, or let it expire', async () => {
    const ca = await world.startCa();
    const task = world.task();
    await expect(world.issuer(ca).issue({ ...task, onOrder: keepAndStop(task) })).rejects.toThrow('stopped');
    const [order] = ca.orders();
    Object.assign(order ?? {}, { status: 'invalid' });
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
    ca.forgetOrders();
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
    expectIssued(ca, task, await world.issuer(ca).issue({ ...task, orderUrl: null }));
  });

  test.each(['authorization', 'challenge', 'finalize', 'certificate'] as const)(
    'is gone where the CA forgot a part of it: %s',
    async (endpoint) => {
      const ca = await world.startCa();
      const task = world.task();
      ca.fault({ at: [endpoint], answer: { status: 404 } });
      await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
    },
  );

  test('is gone when its certificate has expired', async () => {
    const ca = await world.startCa();
    const task = world.task();
    await world.issuer(ca).issue(task);
    world.clock.pass(65 * 24 * 3_600_000);
    await expect(world.issuer(ca).issue(task)).rejects.toMatchObject({ kind: 'order_gone' });
  });

  test('is gone when another order is at its URL', async () => {
    const ca = await world.startCa();
    const task = world.task();
    await world.issuer(ca).issue(task);
    const { orderUrl } = task;
    await expect(world.issuer(ca).issue(world.task({ orderUrl }))).rejects.toMatchObject({ kind: 'order_gone' });
  });
});

describe('the caller', () => {
  test('may abort while the CA works', async () => {
    const ca = await world.startCa();
    ca.settings.looks = Number.POSITIVE_INFINITY;
    const controller = new AbortController();
    const issuing = world.issuer(ca).issue(world.task({ signal: controller.signal }));
    const stopped = expect(issuing).rejects.toThrow('enough');
    await expect.poll(() => ca.requests.authorization, SOON).toBeGreaterThan(3);
    controller.abort(new Error('enough'));
    await stopped;
  });

  test.each(['directory', 'newAccount'] as const)(
    'may stop waiting for what others wait for too: %s',
    async (endpoint) => {
      const ca = await world.startCa();
      ca.fault({ at: [endpoint], answer: 'hang' });
      const issuer = world.issuer(ca);
      const controller = new AbortController();
      const stopped = expect(issuer.issue(world.task({ signal: controller.signal }))).rejects.toThrow('enough');
      const patient = expect(issuer.issue(world.task())).rejects.toMatchObject({ kind: 'unavailable' });
      await expect.poll(() => ca.requests[endpoint], SOON).toBe(1);
      controller.abort(new Error('enough'));
      await stopped;
      await ca.close();
      await patient;
    },
  );

  test('sends no request when it has aborted before', async () => {
    const ca = await world.startCa();
    const task = world.task({ signal: AbortSignal.abort(new Error('enough')) });
    await expect(world.issuer(ca).issue(task)).rejects.toThrow('enough');
    expect(ca.requests.directory).toBe(0);
  });

  test('may abort a request that hangs', async () => {
    const ca = await world.startCa();
    const issuer = world.issuer(ca);
    await issuer.issue(world.task());
    ca.fault({ at: ['newOrder'], answer: 'hang' });
    const controller = new AbortController();
    const issuing = issuer.issue(world.task({ signal: controller.signal }));
    const hung = expect(issuing).rejects.toThrow('enough');
    await expect.poll(() => ca.requests.newOrder, SOON).toBe(2);
    controller.abort(new Error('enough'));
    await hung;
  });

  test('has its lease checked at every step', async () => {
    const ca = await world.startCa();
    const task = world.task();
    await world.issuer(ca).issue(task);
    expect(task.steps).toEqual(['order', 'ensureLease', 'present', 'ensureLease', 'ensureLease', 'ensureLease']);
  });

  test('has its lease checked after every wait, and stops when it is lost', async () => {
    const ca = await world.startCa();
    ca.settings.looks = Number.POSITIVE_INFINITY;
    const task = world.task();
    const { ensureLease } = task;
    task.ensureLease = async () => {
      await ensureLease();
      if (task.steps.length > 20) throw new Error("the order is somebody else's");
    };
    await expect(world.issuer(ca).issue(task)).rejects.toThrow('somebody else');
  });
});
