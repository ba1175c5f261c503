import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplacesRefused } from '../../server/src/certificates/issuer.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing, type Task } from './issuing.ts';

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

const HOUR_MS = 3_600_000;

async function issued(ca: FakeCa): Promise<string> {
  return (await world.issuer(ca).issue(world.task())).chain;
}

describe('the renewal that a CA suggests', () => {
  test('has a time to ask again, and moves as the CA moves it', async () => {
    const ca = await world.startCa();
    const chain = await issued(ca);
    const [certificate] = ca.certificates;
    const middle = (certificate?.notAfter ?? 0) - ca.settings.lifetimeMs / 3;
    expect(await world.issuer(ca).renewalInfo(chain)).toEqual({
      startsAt: middle - 24 * HOUR_MS,
      endsAt: middle + 24 * HOUR_MS,
      explanationUrl: null,
      retryAfterMs: 6 * HOUR_MS,
    });
    const now = world.clock.now();
    const explanationUrl = 'https://ca.example.com/incident';
    ca.suggest({ start: now - HOUR_MS, end: now, explanationUrl });
    expect(await world.issuer(ca).renewalInfo(chain)).toMatchObject({
      startsAt: now - HOUR_MS,
      endsAt: now,
      explanationUrl,
    });
  });

  test('is requested without a signature', async () => {
    const ca = await world.startCa();
    const chain = await issued(ca);
    const before = { ...ca.requests };
    await world.issuer(ca).renewalInfo(chain);
    expect(ca.requests).toEqual({ ...before, directory: before.directory + 1, renewalInfo: 1 });
  });

  const suggestedWindow = { start: '2027-01-01T00:00:00Z', end: '2027-01-02T00:00:00.5+01:00' };
  const answer = (body: object, headers = {}) => ({ status: 200, headers, body: JSON.stringify(body) });

  test.each([
    ['1', 60_000],
    ['3600', HOUR_MS],
    ['864000', 24 * HOUR_MS],
    ['never', 6 * HOUR_MS],
  ])('is requested again after a minute to a day: %s', async (retryAfter, retryAfterMs) => {
    const ca = await world.startCa();
    const chain = await issued(ca);
    ca.fault({ at: ['renewalInfo'], answer: answer({ suggestedWindow }, { 'retry-after': retryAfter }) });
    expect(await world.issuer(ca).renewalInfo(chain)).toEqual({
      startsAt: Date.UTC(2027, 0, 1),
      endsAt: Date.UTC(2027, 0, 1, 23, 0, 0, 500),
      explanationUrl: null,
      retryAfterMs,
    });
  });

  test.each([
    ['no window', {}],
    ['a window that is none', { suggestedWindow: 'soon' }],
    ['times that are none', { suggestedWindow: { start: '1', end: '2' } }],
    ['an end before the beginning', { suggestedWindow: { start: suggestedWindow.end, end: suggestedWindow.start } }],
  ])('is a problem of the CA when it has %s', async (_, body) => {
    const ca = await world.startCa();
    const chain = await issued(ca);
    ca.fault({ at: ['renewalInfo'], answer: answer(body) });
    await expect(world.issuer(ca).renewalInfo(chain)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test.each(['javascript:alert(1)', 'explained nowhere', 7, `https://ca.example.com/${'x'.repeat(1000)}`])(
    'has no explanation that nobody can open: %s',
    async (explanationURL) => {
      const ca = await world.startCa();
      const chain = await issued(ca);
      ca.fault({ at: ['renewalInfo'], answer: answer({ suggestedWindow, explanationURL }) });
      expect(await world.issuer(ca).renewalInfo(chain)).toMatchObject({ explanationUrl: null });
    },
  );

  test('is null when the CA has no such certificate', async () => {
    const ca = await world.startCa();
    const another = await issued(await world.startCa());
    expect(await world.issuer(ca).renewalInfo(another)).toBe(null);
  });

  test('is null when the CA does not support ARI, and then no order has replaces', async () => {
    const ca = await world.startCa({ ari: false });
    const chain = await issued(ca);
    const issuer = world.issuer(ca);
    expect(await issuer.renewalInfo(chain)).toBe(null);
    expect(await issuer.renewalId(chain)).toBe(null);
    const replaces = await world.issuer(await world.startCa()).renewalId(chain);
    await issuer.issue(world.task({ replaces }));
    expect(ca.orders().map((order) => order.replaces)).toEqual([null, null]);
  });
});

describe('a certificate', () => {
  test('has the same identifier as at the CA', async () => {
    const ca = await world.startCa();
    const chain = await issued(ca);
    expect(await world.issuer(ca).renewalId(chain)).toBe(ca.certificates[0]?.renewalId);
  });
});

describe('the issuer domain names of a CA', () => {
  test('are the valid names of its directory', async () => {
    const ca = await world.startCa({ caaIdentities: ['ca.example.com', 'letsencrypt.org', 'not a name', ''] });
    expect(await world.issuer(ca).caaNames()).toEqual(['ca.example.com', 'letsencrypt.org']);
  });

  test('are read again after an hour, and after an error', async () => {
    const ca = await world.startCa({ caaIdentities: ['ca.example.com'] });
    const issuer = world.issuer(ca);
    const end = ca.fault({ at: ['directory'], answer: 'cut' });
    await expect(issuer.caaNames()).rejects.toMatchObject({ kind: 'unavailable' });
    end();
    await issuer.caaNames();
    await issuer.caaNames();
    expect(ca.requests.directory).toBe(2);
    world.clock.pass(HOUR_MS);
    await issuer.caaNames();
    expect(ca.requests.directory).toBe(3);
  });
});

describe('a renewal order', () => {
  /** A task that renews a certificate of the CA. */
  async function renewed(ca: FakeCa): Promise<Task> {
    const task = world.task();
    const { chain } = await world.issuer(ca).issue(task);
    return world.task({ hostname: task.hostname, replaces: await world.issuer(ca).renewalId(chain) });
  }

  test('names the certificate that it replaces', async () => {
    const ca = await world.startCa();
    const task = await renewed(ca);
    await world.issuer(ca).issue(task);
    expect(ca.orders().map(({ replaces }) => replaces)).toEqual([null, ca.certificates[0]?.renewalId]);
  });

  test.each([
    ['was replaced already', (task: { replaces: string | null }) => task],
    ['is none of the CA', () => ({ replaces: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE' })],
  ])(
    'is not ordered as another certificate, which would have to be counted, where the one before %s',
    async (_, change) => {
      const ca = await world.startCa();
      const task = await renewed(ca);
      await world.issuer(ca).issue(task);
      const another = world.task({ hostname: task.hostname, ...change({ replaces: task.replaces }) });
      await expect(world.issuer(ca).issue(another)).rejects.toThrow(ReplacesRefused);
      expect(ca.requests.newOrder).toBe(3);
      expect(ca.accounts()).toHaveLength(1);
    },
  );

  test('is not repeated when the CA is rate limited', async () => {
    const ca = await world.startCa();
    const task = await renewed(ca);
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(429, 'rateLimited', 'enough') });
    expect(await world.problemAt(ca, task)).toMatchObject({ kind: 'rate_limited' });
    expect(ca.requests.newOrder).toBe(2);
  });
});
