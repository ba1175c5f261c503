import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesKey } from '../../client/operation-kinds.ts';
import { madeOnceBy } from '../../server/src/api/operation.ts';
import { operations } from '../../server/src/api/operations.ts';
import { IDEMPOTENCY_KEPT_MS } from '../../server/src/store/audit/audit-store.ts';
import { type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import type { Answer } from '../support/api-contract.ts';
import { type CallOptions, dataOf, type Harness, startApi } from '../support/api-harness.ts';
import { unique } from '../support/entities.ts';

/** A test replaces calls between the API and the store. */
interface Between {
  /** Instead of a change that may be a repeat. */
  createOnce?: (createOnce: () => Promise<unknown>) => Promise<unknown>;
  /** Keys that have lost their grants, by their SHA-256. */
  ungranted: Set<string>;
}

const between: Between = { ungranted: new Set() };
const hashOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

let api: Harness;
let webhookId: string;
beforeAll(async () => {
  const wrap = (store: Store): Store => ({
    ...store,
    changesOnce(call) {
      const changes = store.changesOnce(call);
      const { createOnce } = between;
      if (call.once === undefined || createOnce === undefined) return changes;
      const each = Object.entries(changes as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>);
      return Object.fromEntries(
        each.map(([name, change]) => [name, (...args: unknown[]) => createOnce(() => change(...args))]),
      ) as unknown as typeof changes;
    },
    async findPrincipal(hash) {
      const found = await store.findPrincipal(hash);
      if (found === null || !between.ungranted.has(hashOf(hash))) return found;
      return { ...found, key: { ...found.key, permissions: [] } };
    },
  });
  api = await startApi({
    wrap,
    settings: { rateLimits: { 'projects.createProject': { limit: 500, windowMs: 3_600_000 } } },
  });
  await api.createDomain(await api.createTree(), 'linked.acme.com');
  for (let i = 0; i < 5; i++) rotatable.push((await api.createKey()).id);
  const created = await api.call('webhooks.createWebhook', { url: 'https://rotating.acme.com/' });
  ({ webhookId } = dataOf<{ webhookId: string }>(created));
});
afterAll(() => api.close());

/** Ids of keys that were not rotated yet. */
const rotatable: string[] = [];

const app = { project: 'demo', app: 'web' };
const place = { ...app, environment: 'production' };
/** A body for each operation that creates or rotates; each time for something new, but for the webhook. */
const bodies: Record<string, () => Record<string, unknown>> = {
  'projects.createProject': () => ({ slug: unique('project-') }),
  'apps.createApp': () => ({ project: 'demo', slug: unique('app-') }),
  'environments.createEnvironment': () => ({ ...app, slug: unique('environment-') }),
  'deployments.createDeployment': () => ({ ...place, origin: `https://${unique('origin')}.acme.com` }),
  'domains.createDomains': () => ({
    ...place,
    domains: ['-.acme.com', ...[1, 2].map(() => `${unique('name')}.acme.com`)],
  }),
  'domains.createSetupLink': () => ({ domain: 'linked.acme.com' }),
  'webhooks.createWebhook': () => ({ url: `https://${unique('hooks')}.acme.com/` }),
  'keys.createKey': () => ({ name: unique('key-'), preset: 'platform' }),
  'keys.rotateKey': () => ({ keyId: rotatable.pop() }),
  'tokens.createToken': () => ({ subject: unique('person-') }),
  'workspaces.createWorkspace': () => ({ name: unique('customer-') }),
  'webhooks.rotateSecret': () => ({ webhookId }),
  'environments.rotateOriginSecret': () => place,
  'domains.createDomain': () => ({ ...place, domain: `${unique('name')}.acme.com` }),
};
const creating = operations.filter((each) => madeOnceBy(each) !== undefined).map(({ name }) => name);

const send = (operation: string, body: object, key: string, options: CallOptions = {}) =>
  api.call(operation, body, { ...options, headers: { 'idempotency-key': key } });
const replayed = ({ headers }: Answer) => headers['idempotency-replayed'];
const project = () => ({ slug: unique('project-') });
const createProject = (body: object, key: string, options?: CallOptions) =>
  send('projects.createProject', body, key, options);

describe('an Idempotency-Key', () => {
  it('is taken by every operation that creates, and by those that rotate', () => {
    const named = operations.map(({ name }) => name).filter(takesKey);
    expect(creating).toEqual(named);
    expect(Object.keys(bodies).sort()).toEqual(creating.toSorted());
  });

  it.for(creating)(
    'makes %s safe to repeat: the response is the first one, marked, under a request id of its own',
    async (operation) => {
      const body = bodies[operation]?.() ?? {};
      const key = unique('key');
      const first = await send(operation, body, key);
      const second = await send(operation, body, key);
      expect([first.status, replayed(first)]).toEqual([200, undefined]);
      expect([second.status, replayed(second)]).toEqual([200, 'true']);
      expect(second.body.data).toEqual(first.body.data);
      expect(second.body.meta?.requestId).not.toBe(first.body.meta?.requestId);
      const reordered = Object.fromEntries(Object.entries(body).reverse());
      expect((await send(operation, reordered, key)).body.data).toEqual(first.body.data);
    },
  );

  it.for(creating)('leaves %s without one as it is: it never asks what is kept', async (operation) => {
    const body = bodies[operation]?.() ?? {};
    between.createOnce = () => Promise.reject(new Error('asked'));
    const answer = await api.call(operation, body);
    delete between.createOnce;
    expect([answer.status, replayed(answer)]).toEqual([200, undefined]);
  });

  it.for(creating)(
    'shows nothing of %s to a key that has lost its grant: it is refused as if it were the first',
    async (operation) => {
      const { key: rootKey, hash, id } = await api.createKey();
      const options = { key: rootKey };
      const body = bodies[operation]?.() ?? {};
      const key = unique('key');
      expect((await send(operation, body, key, options)).status).toBe(200);
      between.ungranted.add(hashOf(hash));
      await api.store.setRootKeyDisabled(id, 1);
      await api.store.setRootKeyDisabled(id, null);
      await api.changes.poll();
      const repeated = await send(operation, body, key, options);
      const anew = await send(operation, bodies[operation]?.() ?? {}, unique('key'), options);
      expect([403, 404]).toContain(repeated.status);
      expect(repeated.body.error).toEqual(anew.body.error);
      expect([repeated.status, replayed(repeated)]).toEqual([anew.status, undefined]);
    },
  );

  it('with another body gets 422, and nothing is created', async () => {
    const [body, other] = [project(), project()];
    await createProject(body, 'reused');
    expect(await createProject(other, 'reused')).toMatchObject({
      status: 422,
      body: { error: { title: 'Unprocessable Content', type: 'unprocessable-content', status: 422 } },
    });
    expect((await api.call('projects.getProject', { project: other.slug })).status).toBe(404);
    expect((await createProject(body, 'reused')).status).toBe(200);
  });

  it('whose first request is in flight gets 409 and when to try again, and then the first response', async () => {
    const body = project();
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    between.createOnce = async (createOnce) => {
      entered.resolve();
      await gate.promise;
      return createOnce();
    };
    const first = createProject(body, 'slow');
    await entered.promise;
    const second = await createProject(body, 'slow');
    expect(second).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
    expect(second.body.error).toMatchObject({ type: 'conflict', detail: expect.stringMatching(/is in flight/) });
    gate.resolve();
    const { body: created } = await first;
    delete between.createOnce;
    const third = await createProject(body, 'slow');
    expect([third.body.data, replayed(third)]).toEqual([created.data, 'true']);
  });

  it('that another node is working on gets 409 and when to try again', async () => {
    between.createOnce = async () => ({ kind: 'in_flight' });
    expect(await createProject(project(), 'elsewhere')).toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
    delete between.createOnce;
  });

  it('of a creation that was saved while its response was lost gets that creation', async () => {
    const body = project();
    between.createOnce = async (createOnce) => {
      await createOnce();
      throw new StoreUnavailable('the connection broke');
    };
    expect((await createProject(body, 'lost')).status).toBe(500);
    delete between.createOnce;
    const { projectId } = dataOf<{ projectId: string }>(await createProject(body, 'lost'));
    const found = await api.call('projects.getProject', { project: body.slug });
    expect(found.body.data).toMatchObject({ id: projectId });
  });

  it('of a request that was refused is free: it is judged anew, also with another body', async () => {
    const taken = project();
    await api.call('projects.createProject', taken);
    expect((await createProject({ slug: 'x' }, 'refused')).status).toBe(400);
    expect((await createProject(taken, 'refused')).status).toBe(409);
    await api.call('projects.deleteProject', { project: taken.slug });
    const created = await createProject(taken, 'refused');
    expect([created.status, replayed(created)]).toEqual([200, undefined]);
  });

  it('belongs to one root key, one operation and one workspace', async () => {
    const other = await api.createKey();
    const elsewhere = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    const body = project();
    const first = await createProject(body, 'shared');
    expect((await createProject(body, 'shared', { key: other.key })).status).toBe(409);
    const theirs = await createProject(body, 'shared', { key: elsewhere.key });
    expect([theirs.status, replayed(theirs)]).toEqual([200, undefined]);
    const app = await send('apps.createApp', { ...body, project: body.slug }, 'shared');
    expect([app.status, replayed(app)]).toEqual([200, undefined]);
    expect((await createProject(body, 'shared')).body.data).toEqual(first.body.data);
  });

  it('counts in the rate limit each time', async () => {
    const body = project();
    const remaining = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);
    const first = await createProject(body, 'counted');
    expect(remaining(await createProject(body, 'counted'))).toBe(remaining(first) - 1);
  });

  it.for(['', 'x'.repeat(256), 'tab\tulator', 'kø'])('is refused as %j', async (key) => {
    expect(await createProject(project(), key)).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: 'header.idempotency-key', fix: 'send a random UUID' }] } },
    });
  });

  it('is refused where there are two', async () => {
    const headers = { 'idempotency-key': ['one', 'two'] } as unknown as Record<string, string>;
    const answer = await api.call('projects.createProject', project(), { headers });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: 'header.idempotency-key' }] } },
    });
  });

  it.for(['~', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'a, b', 'x'.repeat(255)])('may be %j', async (key) => {
    const body = project();
    const first = await createProject(body, key);
    expect((await createProject(body, key)).body.data).toEqual(dataOf(first));
  });

  it('means nothing to operations that create nothing', async () => {
    const answer = await send('projects.getProject', { project: 'demo' }, '');
    expect(answer.status).toBe(200);
  });

  it('keeps the outcome of each of many domains, once one was created; a dry run keeps nothing', async () => {
    const names = [1, 2].map(() => `${unique('name')}.acme.com`);
    await api.call('domains.createDomain', { ...place, domain: names[0] });
    const body = { ...place, domains: [...names, 'nonsense'] };
    const create = (more: object = {}) => send('domains.createDomains', { ...body, ...more }, 'many');
    expect(replayed(await create({ dryRun: true }))).toBeUndefined();
    expect(replayed(await create({ dryRun: true }))).toBeUndefined();
    const first = await create();
    expect(replayed(first)).toBeUndefined();
    const outcomes = dataOf<{ domainId?: string; error?: { status: number } }[]>(first);
    expect(outcomes.map(({ error }) => error?.status)).toEqual([409, undefined, 400]);
    await api.call('domains.deleteDomain', { domain: names[0] });
    const second = await create();
    expect([second.body.data, replayed(second)]).toEqual([outcomes, 'true']);
    const refused = { ...place, domains: ['nonsense'] };
    for (const _ of [1, 2]) expect(replayed(await send('domains.createDomains', refused, 'none'))).toBeUndefined();
  });

  it('is forgotten after 24 hours', async () => {
    const body = { ...place, origin: 'https://origin.acme.com' };
    const deploy = () => send('deployments.createDeployment', body, 'daily');
    const first = await deploy();
    api.clock.advance(IDEMPOTENCY_KEPT_MS - 1);
    expect((await deploy()).body.data).toEqual(first.body.data);
    api.clock.advance(1);
    const next = await deploy();
    expect(next.body.data).not.toEqual(first.body.data);
    expect(replayed(next)).toBeUndefined();
  });
});
