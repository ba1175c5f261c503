import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CaProblem } from '../../src/certificates/issuer.ts';
import type { Endpoint } from './fakeca/endpoint.ts';
import { ENDPOINTS } from './fakeca/endpoint.ts';
import type { Fault } from './fakeca/faults.ts';
import { AcmeProblem } from './fakeca/problem.ts';
import type { FakeCa } from './fakeca.ts';
import { createIssuing, type Issuing, type Task } from './issuing.ts';

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

/** What comes of an order at a CA where something is wrong, or rejects where nothing does. */
async function problemAt(ca: FakeCa, task = world.task()): Promise<CaProblem> {
  const chain = await world
    .issuer(ca)
    .issue(task)
    .catch((error: unknown) => error);
  if (!(chain instanceof CaProblem)) throw new Error(`no problem of the CA: ${chain}`);
  return chain;
}

const json = (body: object): Fault['answer'] => ({ status: 200, body: JSON.stringify(body) });
/** Whatever is asked for in the course of an order. Of a nonce only the header counts. */
const ON_THE_WAY = ENDPOINTS.filter((endpoint) => !['nonce', 'account', 'renewalInfo'].includes(endpoint));

describe('whatever the CA answers in the course of an order', () => {
  const answers: Record<string, Fault['answer']> = {
    'a page of HTML': { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' },
    'nothing in it': { status: 200 },
    'JSON of another kind': { status: 200, body: '[["null"]]' },
    'a redirection': { status: 302, headers: { location: 'http://169.254.169.254/' } },
    'a body without end': 'endless',
    'half of a body': 'stall',
    'the connection cut': 'cut',
    'an error page': { status: 500, headers: { 'content-type': 'text/html' }, body: '<h1>Oops</h1>' },
    'a fault of its own': new AcmeProblem(500, 'serverInternal', 'the database is away'),
    'an unknown problem': new AcmeProblem(503, 'moonInWrongPhase', 'come back later'),
  };
  const cases = Object.keys(answers).flatMap((what) => ON_THE_WAY.map((endpoint) => [what, endpoint] as const));

  test.each(cases)(
    '%s at %s is a problem of the CA, and the order goes on where it left off',
    async (what, endpoint) => {
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
    },
  );

  test.each(['an error page', 'the connection cut', 'a fault of its own'])('%s in place of a nonce', async (what) => {
    const ca = await world.startCa();
    const answer = answers[what];
    if (answer === undefined) throw new Error(`no such answer: ${what}`);
    ca.fault({ at: ['nonce'], times: 1, answer });
    const task = world.task();
    expect(await problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
  });

  test('an hour of faults, then all is well', async () => {
    const ca = await world.startCa();
    const until = world.clock.now() + 3_600_000;
    ca.fault({ until, answer: { status: 500, body: 'Internal Server Error' } });
    const task = world.task();
    expect(await problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    world.clock.pass(3_599_000);
    expect(await problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    world.clock.pass(1000);
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
  });

  test('bad nonces are answered with the good ones that come with them', async () => {
    const ca = await world.startCa();
    ca.refuseNonces(5);
    await expect(world.issuer(ca).issue(world.task())).resolves.toBeDefined();
    expect(ca.requests.nonce).toBe(1);
  });

  test('bad nonces without end are a problem of the CA', async () => {
    const ca = await world.startCa();
    ca.refuseNonces(Number.POSITIVE_INFINITY);
    expect(await problemAt(ca)).toMatchObject({ kind: 'unavailable', type: 'urn:ietf:params:acme:error:badNonce' });
    expect(ca.requests.newAccount).toBeLessThan(20);
  });

  test('a body without end is not read to its end', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['directory'], answer: 'endless' });
    expect(await problemAt(ca)).toMatchObject({ message: expect.stringContaining('more than 256 KB') });
  });

  test('a body that stops is given up', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['directory'], answer: 'stall' });
    await expect(world.issuer(ca, { timeoutMs: 100 }).caaNames()).rejects.toMatchObject({
      message: expect.stringContaining('no answer within 0.1 s'),
    });
  });

  test('that the certificate is on its way already: it is waited for', async () => {
    const ca = await world.startCa();
    ca.settings.looks = 1;
    const answer = new AcmeProblem(403, 'orderNotReady', 'The order is processing');
    ca.fault({ at: ['finalize'], times: 1, afterwards: true, answer });
    await expect(world.issuer(ca).issue(world.task())).resolves.toBeDefined();
    expect(ca.certificates).toHaveLength(1);
  });

  test('nobody is there', async () => {
    const ca = await world.startCa();
    await ca.close();
    expect(await problemAt(ca)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('an order that is never done is left to be looked at later', async () => {
    const ca = await world.startCa();
    ca.settings.looks = Number.POSITIVE_INFINITY;
    const task = world.task();
    const slow = world.issuer(ca, { patienceMs: 20 });
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

describe('a lie', () => {
  const lies: [string, Endpoint, string, (ca: FakeCa, hostname: string) => object][] = [
    [
      'a directory without newOrder',
      'directory',
      'a directory whose URL is none',
      (ca) => everywhere(ca.directoryUrl, {}),
    ],
    [
      'a directory that leads elsewhere by HTTP',
      'directory',
      'not of HTTPS',
      () => everywhere('http://198.51.100.1/x'),
    ],
    ['a directory that leads to a file', 'directory', 'not of HTTPS', () => everywhere('file:///etc/passwd')],
    ['an order of no status', 'newOrder', 'a status that does not exist', () => ({ status: 'great' })],
    ['an order of a thousand parts', 'newOrder', 'an order that is none', (ca) => manyParts(ca.directoryUrl)],
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

  test.each(lies)('is seen through: %s', async (_, endpoint, seen, lie) => {
    const ca = await world.startCa();
    const task = world.task();
    const body = JSON.stringify(lie(ca, task.hostname));
    ca.fault({ at: [endpoint], answer: { status: 200, headers: { location: ca.directoryUrl }, body } });
    expect(await problemAt(ca, task)).toMatchObject({ kind: 'unavailable', message: expect.stringContaining(seen) });
    expect(task.steps).not.toContain('present');
  });

  test('is seen through: an order without a place, which is not kept', async () => {
    const ca = await world.startCa();
    ca.fault({ at: ['newOrder'], answer: json({ status: 'pending' }) });
    const task = world.task();
    expect(await problemAt(ca, task)).toMatchObject({ kind: 'unavailable' });
    expect(task.steps).toEqual([]);
  });
});

describe('a refusal', () => {
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
  test.each(kinds)('of an order with %i %s is %s, in the words of the CA', async (status, type, kind) => {
    const ca = await world.startCa();
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(status, type, 'not today') });
    expect(await problemAt(ca)).toMatchObject({
      kind,
      type: `urn:ietf:params:acme:error:${type}`,
      message: `${new URL(ca.directoryUrl).host} said: "not today" (${type}).`,
    });
  });

  test.each([
    ['120', 120_000],
    ['Sat, 21 Nov 2026 00:10:00 GMT', 600_000],
    ['Fri, 20 Nov 2026 00:00:00 GMT', 0],
    ['99999999999', 7 * 24 * 3_600_000],
    ['soon', null],
  ])('asks for patience in either form: %s', async (retryAfter, retryAfterMs) => {
    const here = await createIssuing();
    const ca = await here.startCa();
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(429, 'rateLimited', 'slow down', { retryAfter }) });
    await expect(here.issuer(ca).issue(here.task())).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs });
    await here.close();
  });

  test('names what is wrong with each part', async () => {
    const ca = await world.startCa();
    const type = 'urn:ietf:params:acme:error:caa';
    const subproblems = [
      { type, detail: 'CAA forbids a' },
      { type, detail: 'CAA forbids b' },
    ];
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(403, 'compound', 'Two problems', { subproblems }) });
    expect(await problemAt(ca)).toMatchObject({
      kind: 'refused',
      type,
      message: expect.stringContaining('"Two problems, CAA forbids a and CAA forbids b" (caa)'),
    });
  });

  test('is bounded, and can do nothing but be read', async () => {
    const ca = await world.startCa();
    const detail = `\u202e\u0000<script>${'x'.repeat(10_000)}`;
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(403, `a\nb${'y'.repeat(5_000)}`, detail) });
    const { message } = await problemAt(ca);
    expect(message.length).toBeLessThanOrEqual(512);
    expect(message).toMatch(/^[\x20-\x7e…]*$/);
  });

  test('of a name that is paused has its words told, and its whole link logged', async () => {
    const ca = await world.startCa();
    const task = world.task();
    ca.pause(task.hostname);
    const problem = await problemAt(ca, task);
    expect(problem).toMatchObject({ kind: 'rate_limited', retryAfterMs: null });
    expect(problem.message).toContain(`temporarily prevented from requesting certificates for ${task.hostname}`);
    expect(world.logged.at(-1)).toContain(`https://portal.letsencrypt.test/sfe/v1/unpause?jwt=${'x'.repeat(300)}`);
    ca.unpause(task.hostname);
    await expect(world.issuer(ca).issue(task)).resolves.toBeDefined();
  });
});

describe('an authorization that fails', () => {
  test.each([
    ['connection', 'authorization_failed'],
    ['dns', 'authorization_failed'],
    ['unauthorized', 'authorization_failed'],
    ['serverInternal', 'authorization_failed'],
    ['caa', 'refused'],
    ['rejectedIdentifier', 'refused'],
  ])('with %s is %s, also when it is looked at again', async (type, kind) => {
    const ca = await world.startCa();
    const task = world.task();
    ca.failAuthorizations(task.hostname, new AcmeProblem(400, type, 'it did not work'));
    const expected = {
      kind,
      type: `urn:ietf:params:acme:error:${type}`,
      message: expect.stringContaining('"it did not work"'),
    };
    expect(await problemAt(ca, task)).toMatchObject(expected);
    expect(await problemAt(ca, task)).toMatchObject(expected);
    expect(ca.requests.newOrder).toBe(1);
  });

  test('since our answer was not shown in time says so', async () => {
    const ca = await world.startCa();
    const problem = await problemAt(ca, world.task({ present: async () => {} }));
    expect(problem).toMatchObject({ kind: 'authorization_failed' });
    expect(problem.message).toContain('404');
  });

  test('leaves the account as it is', async () => {
    const ca = await world.startCa();
    const task = world.task();
    ca.failAuthorizations(task.hostname, new AcmeProblem(403, 'unauthorized', 'no'));
    await problemAt(ca, task);
    world.clock.pass(48 * 3_600_000);
    await problemAt(ca, { ...task, orderUrl: null });
    expect(ca.accounts()).toHaveLength(1);
  });
});

describe('a successor', () => {
  /** Of a certificate that the CA has issued. */
  async function renewed(ca: FakeCa): Promise<Task> {
    const task = world.task();
    const { chain } = await world.issuer(ca).issue(task);
    return world.task({ hostname: task.hostname, replaces: await world.issuer(ca).renewalId(chain) });
  }

  test('tells the CA which certificate it takes the place of', async () => {
    const ca = await world.startCa();
    const task = await renewed(ca);
    await world.issuer(ca).issue(task);
    expect(ca.orders().map(({ replaces }) => replaces)).toEqual([null, ca.certificates[0]?.renewalId]);
  });

  test.each([
    ['was replaced already', (task: { replaces: string | null }) => task],
    ['is none of the CA', () => ({ replaces: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE' })],
  ])('is ordered as another certificate where the one before %s', async (_, change) => {
    const ca = await world.startCa();
    const task = await renewed(ca);
    await world.issuer(ca).issue(task);
    await world.issuer(ca).issue(world.task({ hostname: task.hostname, ...change({ replaces: task.replaces }) }));
    expect(ca.orders().at(-1)?.replaces).toBe(null);
    expect(ca.accounts()).toHaveLength(1);
  });

  test('is not ordered twice where the CA has had enough', async () => {
    const ca = await world.startCa();
    const task = await renewed(ca);
    ca.fault({ at: ['newOrder'], answer: new AcmeProblem(429, 'rateLimited', 'enough') });
    expect(await problemAt(ca, task)).toMatchObject({ kind: 'rate_limited' });
    expect(ca.requests.newOrder).toBe(2);
  });
});
