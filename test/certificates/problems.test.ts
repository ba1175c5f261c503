import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../support/fake-ca/endpoint.ts';
import { ENDPOINTS } from '../support/fake-ca/endpoint.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import type { Fault } from '../support/fake-ca/faults.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { createIssuing, type Issuing } from './issuing.ts';

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

const json = (body: object): Fault['answer'] => ({ status: 200, body: JSON.stringify(body) });
/** All resources that an order uses. Of a nonce only the header matters. */
const ON_THE_WAY = ENDPOINTS.filter(
  (endpoint) => !['nonce', 'account', 'renewalInfo', 'revokeCert', 'keyChange'].includes(endpoint),
);

describe('any failure of the CA during an order', () => {
  const answers: Record<string, Fault['answer']> = {
    'a page of HTML': { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' },
    'nothing in it': { status: 200 },
    'JSON of another kind': { status: 200, body: '[["null"]]' },
    'a redirection': { status: 302, headers: { location: 'http://169.254.169.254/' } },
    'a body without end': 'endless',
    'half of a body': 'stall',
    'the connection cut': 'cut',
    'an error page': { status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Oops</h1>' },
    'a server error': new AcmeProblem(500, 'serverInternal', 'the database is away'),
    'an unknown problem': new AcmeProblem(503, 'moonInWrongPhase', 'come back later'),
  };
  const cases = Object.keys(answers).flatMap((what) => ON_THE_WAY.map((endpoint) => [what, endpoint] as const));

  test.each(cases)('%s at %s is a problem of the CA, and the order is resumed', async (what, endpoint) => {
    const ca = await world.startCa();
    const answer = answers[what];
    if (answer === undefined) throw new Error(`no such answer: ${what}`);
    const task = world.task();
    const end = ca.fault({ at: [endpoint], answer });
    const hurried = world.issuer(ca, { timeoutMs: 200 });
    await expect(hurried.issue(task)).rejects.toMatchObject({ name: 'CaProblem', kind: 'unavailable' });
    end();
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
    expect(ca.accounts()).toHaveLength(1);
  });

  test.each(['an error page', 'the connection cut', 'a server error'])('%s in place of a nonce', async (what) => {
    const ca = await world.startCa();
    const answer = answers[what];
    if (answer === undefined) throw new Error(`no such answer: ${what}`);
    ca.fault({ at: ['nonce'], times: 1, answer });
    const task = world.task();
    expect(await world.problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
  });

  test('an hour of faults, then recovery', async () => {
    const ca = await world.startCa();
    const until = world.clock.now() + 3_600_000;
    ca.fault({ until, answer: { status: 500, body: 'Internal Server Error' } });
    const task = world.task();
    expect(await world.problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    world.clock.pass(3_599_000);
    expect(await world.problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    world.clock.pass(1000);
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
  });

  test('a badNonce error is retried with its nonce', async () => {
    const ca = await world.startCa();
    ca.refuseNonces(5);
    await expect(world.issuer(ca).issue(world.task())).resolves.toBeDefined();
    expect(ca.requests.nonce).toBe(1);
  });

  test('endless badNonce errors are a problem of the CA', async () => {
    const ca = await world.startCa();
    ca.refuseNonces(Number.POSITIVE_INFINITY);
    expect(await world.problemAt(ca)).toMatchObject({
      kind: 'unavailable',
      type: 'urn:ietf:params:acme:error:badNonce',
    });
    expect(ca.requests.newAccount).toBeLessThan(20);
  });

  test('an endless body is not read to its end', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['directory'], answer: 'endless' });
    expect(await world.problemAt(ca)).toMatchObject({ message: expect.stringContaining('more than 256 KB') });
  });

  test('a body that stalls times out', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['directory'], answer: 'stall' });
    await expect(world.issuer(ca, { timeoutMs: 100 }).caaNames()).rejects.toMatchObject({
      message: expect.stringContaining('no response within 0.1 s'),
    });
  });

  test('an order that is being finalized is polled', async () => {
    const ca = await world.startCa();
    ca.settings.looks = 1;
    const answer = new AcmeProblem(403, 'orderNotReady', 'The order is processing');
    ca.fault({ at: ['finalize'], times: 1, afterwards: true, answer });
    await expect(world.issuer(ca).issue(world.task())).resolves.toBeDefined();
    expect(ca.certificates).toHaveLength(1);
  });

  test('nothing listens', async () => {
    const ca = await world.startCa();
    await ca.close();
    expect(await world.problemAt(ca)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('an order that never completes is resumed later', async () => {
    const ca = await world.startCa();
    ca.settings.looks = Number.POSITIVE_INFINITY;
    const task = world.task();
    const slow = world.issuer(ca, { pollBudgetMs: 20 });
    await expect(slow.issue(task)).rejects.toMatchObject({ kind: 'unavailable' });
    ca.settings.retryAfter = '3600';
    const looks = ca.requests.authorization;
    await expect(slow.issue(task)).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 3_600_000 });
    expect(ca.requests.authorization).toBe(looks + 1);
    for (const order of ca.orders()) order.looks = 0;
    Object.assign(ca.settings, { looks: 0, retryAfter: null });
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
    expect(ca.requests.newOrder).toBe(1);
  });
});

describe('an invalid response', () => {
  const lies: [string, Endpoint, string, (ca: FakeCa, hostname: string) => object][] = [
    [
      'a directory without newOrder',
      'directory',
      'a directory without a valid HTTPS URL',
      (ca) => everywhere(ca.directoryUrl, {}),
    ],
    [
      'a directory that leads elsewhere by HTTP',
      'directory',
      'without a valid HTTPS URL',
      () => everywhere('http://198.51.100.1/x'),
    ],
    [
      'a directory that leads to a file',
      'directory',
      'without a valid HTTPS URL',
      () => everywhere('file:///etc/passwd'),
    ],
    ['an order of no status', 'newOrder', 'an order with an unknown status', () => ({ status: 'great' })],
    ['an order of a thousand parts', 'newOrder', 'an order that is invalid', (ca) => manyParts(ca.directoryUrl)],
    [
      'an authorization for another name',
      'authorization',
      'another name',
      (ca) => challenge(ca, 'a.example.com', LONG),
    ],
    ['a token that is a path', 'authorization', 'token', (ca, name) => challenge(ca, name, `../${LONG}`)],
    ['a token that is too short', 'authorization', 'token', (ca, name) => challenge(ca, name, 'A')],
  ];
  const LONG = 'A'.repeat(43);
  const everywhere = (url: string, more: object = { newOrder: url }) => ({ newNonce: url, newAccount: url, ...more });
  const manyParts = (url: string) => ({
    status: 'pending',
    identifiers: [],
    finalize: url,
    authorizations: Array.from({ length: 1000 }, () => url),
  });
  const challenge = (ca: FakeCa, value: string, token: string) => ({
    status: 'pending',
    identifier: { type: 'dns', value },
    challenges: [{ type: 'http-01', status: 'pending', url: ca.directoryUrl.replace('directory', 'challenge'), token }],
  });

  test.each(lies)('is rejected: %s', async (_, endpoint, seen, lie) => {
    const ca = await world.startCa();
    const task = world.task();
    const body = JSON.stringify(lie(ca, task.hostname));
    ca.fault({ at: [endpoint], answer: { status: 200, headers: { location: ca.directoryUrl }, body } });
    expect(await world.problemAt(ca, task)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(seen),
    });
    expect(task.steps).not.toContain('present');
  });

  test('is rejected: an order without a URL, which is not saved', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['newOrder'], answer: json({ status: 'pending' }) });
    const task = world.task();
    expect(await world.problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    expect(task.steps).toEqual([]);
  });
});
