import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing } from './issuing.ts';

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

describe('an error of the CA', () => {
  const kinds: [number, string, string][] = [
    [429, 'rateLimited', 'rate_limited'],
    [400, 'rejectedIdentifier', 'refused'],
    [403, 'caa', 'refused'],
    [400, 'unsupportedIdentifier', 'refused'],
    [400, 'malformed', 'refused'],
    [403, 'userActionRequired', 'account'],
    [400, 'badPublicKey', 'account'],
    [503, 'rateLimited', 'rate_limited'],
    [500, 'serverInternal', 'unavailable'],
    [400, 'neverHeardOf', 'refused'],
    [400, 'constructor', 'refused'],
    [500, '__proto__', 'unavailable'],
    [429, 'neverHeardOf', 'rate_limited'],
    [503, 'neverHeardOf', 'unavailable'],
  ];
  test.each(kinds)("for an order with %i %s is %s, with the CA's message", async (status, type, kind) => {
    const ca = await world.startCa();
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(status, type, 'not today') });
    expect(await world.problemAt(ca)).toMatchObject({
      kind,
      type: `urn:ietf:params:acme:error:${type}`,
      message: `${new URL(ca.directoryUrl).host} answered: "not today" (${type}).`,
    });
  });

  test.each([
    ['120', 120_000],
    ['Sat, 21 Nov 2026 00:10:00 GMT', 600_000],
    ['Fri, 20 Nov 2026 00:00:00 GMT', 0],
    ['99999999999', 7 * 24 * 3_600_000],
    ['soon', null],
  ])('may have a Retry-After of either form: %s', async (retryAfter, retryAfterMs) => {
    const here = await createIssuing();
    const ca = await here.startCa();
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(429, 'rateLimited', 'slow down', { retryAfter }) });
    await expect(here.issuer(ca).issue(here.task())).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs });
    await here.close();
  });

  test('names the subproblems', async () => {
    const ca = await world.startCa();
    const type = 'urn:ietf:params:acme:error:caa';
    const subproblems = [
      { type, detail: 'CAA forbids a' },
      { type, detail: 'CAA forbids b' },
    ];
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(403, 'compound', 'Two problems', { subproblems }) });
    expect(await world.problemAt(ca)).toMatchObject({
      kind: 'refused',
      type,
      message: expect.stringContaining('"Two problems, CAA forbids a and CAA forbids b" (caa)'),
    });
  });

  test('has a bounded and escaped message', async () => {
    const ca = await world.startCa();
    const detail = `\u202e\u0000<script>${'x'.repeat(10_000)}`;
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(403, `a\nb${'y'.repeat(5_000)}`, detail) });
    const { message } = await world.problemAt(ca);
    expect(message.length).toBeLessThanOrEqual(512);
    expect(message).toMatch(/^[\x20-\x7e…]*$/);
  });

  test('about a paused name has a short message, and its whole link in the log', async () => {
    const ca = await world.startCa();
    const task = world.task();
    ca.pause(task.hostname);
    const problem = await world.problemAt(ca, task);
    expect(problem).toMatchObject({ kind: 'rate_limited', retryAfterMs: null });
    expect(problem.message).toContain(`temporarily prevented from requesting certificates for ${task.hostname}`);
    expect(world.logged.at(-1)).toContain(`https://portal.letsencrypt.test/sfe/v1/unpause?jwt=${'x'.repeat(300)}`);
    ca.unpause(task.hostname);
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
  });
});

describe('a failed authorization', () => {
  test.each([
    ['connection', 'authorization_failed'],
    ['dns', 'authorization_failed'],
    ['unauthorized', 'authorization_failed'],
    ['serverInternal', 'authorization_failed'],
    ['caa', 'refused'],
    ['rejectedIdentifier', 'refused'],
  ])('with %s is %s, also when the order is resumed', async (type, kind) => {
    const ca = await world.startCa();
    const task = world.task();
    ca.failAuthorizations(task.hostname, new AcmeProblem(400, type, 'it did not work'));
    const expected = {
      kind,
      type: `urn:ietf:params:acme:error:${type}`,
      message: expect.stringContaining('"it did not work"'),
    };
    expect(await world.problemAt(ca, task)).toMatchObject(expected);
    expect(await world.problemAt(ca, task)).toMatchObject(expected);
    expect(ca.requests.newOrder).toBe(1);
  });

  test('names our missing challenge response', async () => {
    const ca = await world.startCa();
    const problem = await world.problemAt(ca, world.task({ present: async () => {} }));
    expect(problem).toMatchObject({ kind: 'authorization_failed' });
    expect(problem.message).toContain('404');
  });

  test('does not affect the account', async () => {
    const ca = await world.startCa();
    const task = world.task();
    ca.failAuthorizations(task.hostname, new AcmeProblem(403, 'unauthorized', 'no'));
    await world.problemAt(ca, task);
    world.clock.pass(48 * 3_600_000);
    await world.problemAt(ca, { ...task, orderUrl: null });
    expect(ca.accounts()).toHaveLength(1);
  });
});
