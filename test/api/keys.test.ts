import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { createClient } from '../../client/client.ts';
import type { RootKey } from '../../server/src/store/store.ts';
import { PRESETS } from '../../words/presets.ts';
import { ALL_GRANTS, dataOf, type Harness, START, startApi, type Tree } from '../support/api-harness.ts';
import { watch } from '../support/watching.ts';

interface Made {
  keyId: string;
  key: string;
  expiresAt?: number;
  previousExpiresAt: number;
}

const DAY = 86_400_000;
const READ = 'environment.*.read_domain';
const MAKES = ['key.*.create_key', 'key.*.rotate_key', 'token.*.create_token', 'workspace.*.create_workspace'];

let api: Harness;
let tree: Tree;
let foreign: { key: string; id: string };
beforeAll(async () => {
  api = await startApi({ settings: { rateLimits: { '*': { limit: 10_000, windowMs: 60_000 } } } });
  const rates = { '*': { limit: 10_000, windowMs: 60_000 } };
  await api.store.setWorkspaceLimits(api.workspaceId, { rates, domains: null });
  tree = await api.createTree();
  await api.createDomain(tree, 'api.acme.com');
  foreign = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
});
afterAll(() => api.close());

const read = async (key: string) => (await api.call('domains.getDomain', { domain: 'api.acme.com' }, { key })).status;
const createKey = (body: object = {}, key = api.rootKey) =>
  api.call('keys.createKey', { name: 'made', permissions: [READ], ...body }, { key });
const rotateKey = (keyId: string, body: object = {}, key = api.rootKey) =>
  api.call('keys.rotateKey', { keyId, ...body }, { key });
const revokeKey = (body: object, key = api.rootKey) => api.call('keys.revokeKey', body, { key });
const createToken = (body: object = {}, key = api.rootKey) =>
  api.call('tokens.createToken', { subject: 'ada', ...body }, { key });
const tokenOf = async (body: object = {}, key = api.rootKey) =>
  dataOf<{ token: string; expiresAt: number }>(await createToken(body, key));
const get = async (keyId: string) => dataOf<RootKey>(await api.call('keys.getKey', { keyId }));
const aMaker = async (about: Partial<RootKey> = {}) => {
  const made = await api.createKey({ permissions: [...MAKES, READ], ...about });
  await api.changes.poll();
  return made;
};

const exceeds = { status: 403, body: { error: { type: 'exceeds-caller' } } };
const notFound = { status: 404, body: { error: { type: 'not-found' } } };

describe('keys.createKey', () => {
  it('makes a key that works at once, is shown once, and of which no list and no log has the secret', async () => {
    const { keyId, key } = dataOf<Made>(await createKey({ name: 'desk', permissions: [READ, READ] }));
    expect(await read(key)).toBe(200);
    const maker = (await api.store.listRootKeys(api.workspaceId))[0]?.id;
    const shown = {
      ...{ id: keyId, name: 'desk', start: key.slice(0, 8), permissions: [READ] },
      ...{ createdAt: START, createdBy: maker },
    };
    expect(await get(keyId)).toEqual(shown);
    const listed = await api.call('keys.listKeys');
    expect(listed.body.data).toContainEqual(shown);
    for (const text of [listed.text, api.logged.join()]) expect(text).not.toContain(key);
  });

  it.each(Object.entries(PRESETS))('gives the permissions of the preset %s', async (preset, permissions) => {
    const { keyId } = dataOf<Made>(await createKey({ preset, permissions: undefined }));
    expect((await get(keyId)).permissions).toEqual(permissions);
    const both = dataOf<Made>(await createKey({ preset, permissions: ['app.*.create_app'] }));
    expect((await get(both.keyId)).permissions).toEqual([...new Set(['app.*.create_app', ...permissions])]);
  });

  it('refuses a preset of which the caller lacks a permission, and names it', async () => {
    const { key } = await aMaker({ permissions: [...MAKES, ...PRESETS['read-only']] });
    const answer = await createKey({ preset: 'support' }, key);
    expect(answer).toMatchObject(exceeds);
    expect(answer.body.error?.detail).toBe(
      'The root key cannot give what it does not have: "environment.*.verify_domain" and "environment.*.create_setup_link".',
    );
  });

  it.each([
    ['a narrower one', ['environment.*.read_domain'], 'environment.env_1.read_domain', 200],
    ['one of an environment that it has', ['environment.env_1.read_domain'], 'environment.env_1.read_domain', 200],
    ['a wider one', ['environment.env_1.read_domain'], 'environment.*.read_domain', 403],
    ['one of another environment', ['environment.env_1.read_domain'], 'environment.env_2.read_domain', 403],
    ['another action', ['environment.*.read_domain'], 'environment.*.verify_domain', 403],
    ['the other form of the same words', ['environment.*.read_domain'], 'acme/environment#read_domain', 403],
    ['one of the other form that it has', ['acme/environment#read_domain'], 'acme/environment#read_domain', 200],
    ['a longer one of the other form', ['acme/environment#read_domain'], 'acme/shop/environment#read_domain', 403],
    ['a star in the other form', ['*/environment#read_domain'], 'acme/environment#read_domain', 403],
    ['one that no operation requires', ['environment.*.read_domain'], 'environment.*.read_domians', 403],
  ])('lets a key give %s: %s, %s', async (_what, grants, wanted, status) => {
    const { key } = await aMaker({ permissions: [...MAKES, ...grants] });
    expect((await createKey({ permissions: [wanted] }, key)).status).toBe(status);
    expect((await createToken({ permissions: [wanted] }, key)).status).toBe(status);
  });

  it.each([
    ['no permission', { permissions: undefined }, 'body'],
    ['a text that is no permission', { permissions: [READ, 'everything'] }, 'body.permissions.1'],
    ['an end in the past', { expiresAt: START }, 'body.expiresAt'],
    ['a preset that there is not', { preset: 'admin' }, 'body.preset'],
  ])('refuses %s, and says where', async (_what, body, location) => {
    const answer = await createKey(body);
    expect([answer.status, answer.body.error?.errors?.map((each) => each.location)]).toEqual([400, [location]]);
  });

  it('makes no key that lasts longer than its maker: without an end it has the same', async () => {
    const { key } = await aMaker({ expiresAt: START + DAY });
    expect(dataOf<Made>(await createKey({}, key)).expiresAt).toBe(START + DAY);
    expect(dataOf<Made>(await createKey({ expiresAt: START + 5 }, key)).expiresAt).toBe(START + 5);
    expect(await createKey({ expiresAt: START + DAY + 1 }, key)).toMatchObject(exceeds);
    expect(dataOf<Made>(await createKey()).expiresAt).toBeUndefined();
  });

  it('repeated with an Idempotency-Key of another key makes another one: nobody gets a secret twice but its maker', async () => {
    const { key: other } = await aMaker();
    const once = (key: string) =>
      api.call(
        'keys.createKey',
        { name: 'made', permissions: [READ] },
        { key, headers: { 'idempotency-key': 'same' } },
      );
    const [first, again, others] = [await once(api.rootKey), await once(api.rootKey), await once(other)];
    expect(dataOf(again)).toEqual(dataOf(first));
    expect(others.text).not.toContain(dataOf<Made>(first).key);
  });

  it('has the rate limits of the workspace: a child has none of its own', async () => {
    const workspace = await api.createWorkspace({
      limits: { rates: { '*': { limit: 2, windowMs: DAY } }, domains: null },
    });
    const { key } = await aMaker({ workspaceId: workspace.id });
    const child = dataOf<Made>(await createKey({}, key));
    const left = async (by: string) =>
      (await api.call('domains.getDomain', { domain: 'a.test' }, { key: by })).headers['ratelimit-remaining'];
    expect([await left(key), await left(child.key)]).toEqual(['1', '0']);
  });

  it('refuses a maker that was revoked, disabled or expired in this moment, although it is still cached', async () => {
    const ends: [number, (id: string) => Promise<unknown>][] = [
      [401, (id) => api.store.revokeRootKey(id)],
      [403, (id) => api.store.setRootKeyDisabled(id, START)],
    ];
    for (const [status, end] of ends) {
      const { key, id } = await aMaker();
      const { keyId: other } = dataOf<Made>(await createKey());
      expect(await read(key)).toBe(200);
      await end(id);
      const answers = [await createKey({}, key), await rotateKey(other, {}, key), await createToken({}, key)];
      answers.push(await api.call('workspaces.createWorkspace', { name: 'new', permissions: [READ] }, { key }));
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    }
  });
});

describe('a dashboard token', () => {
  it('makes no keys, tokens and workspaces, whatever its permissions', async () => {
    const { token } = await tokenOf({ permissions: MAKES });
    const { keyId } = dataOf<Made>(await createKey());
    const answers = [await createKey({}, token), await rotateKey(keyId, {}, token), await createToken({}, token)];
    answers.push(await api.call('workspaces.createWorkspace', { name: 'new' }, { key: token }));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 403, body: { error: { type: 'root-key-required' } } });
  });

  it('revokes and lists keys with the permission', async () => {
    const { token } = await tokenOf({ permissions: ['key.*.read_key', 'key.*.revoke_key'] });
    const { keyId } = dataOf<Made>(await createKey());
    expect((await api.call('keys.getKey', { keyId }, { key: token })).status).toBe(200);
    expect((await revokeKey({ keyId }, token)).status).toBe(200);
  });

  it('has the permissions that are named, or else those of its key, and names its subject in what it does', async () => {
    const named = await tokenOf({ permissions: [`environment.${tree.environmentId}.read_domain`] });
    expect(await read(named.token)).toBe(200);
    const { key } = await aMaker({ permissions: [...MAKES, READ, 'environment.*.verify_domain'] });
    const { token } = await tokenOf({ subject: 'grace' }, key);
    expect((await api.call('domains.verifyDomain', { domain: 'api.acme.com' }, { key: token })).status).toBe(202);
    const { body } = await api.call('audit.listEntries', { actor: 'grace' });
    expect(body.data).toMatchObject([{ action: 'domains.verifyDomain', actorKind: 'dashboard_token' }]);
  });

  it('works for the time that was asked for: a minute unless given, two at most', async () => {
    expect((await tokenOf()).expiresAt).toBe(api.clock.now() + 60_000);
    expect((await tokenOf({ expiresInSeconds: 120 })).expiresAt).toBe(api.clock.now() + 120_000);
    for (const expiresInSeconds of [0, 121, 1.5]) expect((await createToken({ expiresInSeconds })).status).toBe(400);
  });

  it('is refused once its key is revoked, disabled or expired, by the next poll of the change feed', async () => {
    const revoked = await aMaker();
    const disabled = await aMaker();
    const expiring = await aMaker({ expiresAt: api.clock.now() + 30_000 });
    const tokens: { token: string; expiresAt: number }[] = [];
    for (const { key } of [revoked, disabled, expiring]) tokens.push(await tokenOf({ expiresInSeconds: 120 }, key));
    expect(tokens[2]?.expiresAt).toBe(api.clock.now() + 30_000);
    const statuses = () => Promise.all(tokens.map(({ token }) => read(token)));
    expect(await statuses()).toEqual([200, 200, 200]);
    await api.store.revokeRootKey(revoked.id);
    await api.store.setRootKeyDisabled(disabled.id, START);
    await api.changes.poll();
    expect(await statuses()).toEqual([401, 403, 200]);
    api.clock.advance(30_000);
    await api.changes.poll();
    expect(await statuses()).toEqual([401, 403, 401]);
  });

  it('has its streams ended when its key is revoked, also while the key has a stream', async () => {
    const { key, id } = await aMaker();
    const { token } = await tokenOf({}, key);
    const streams = await Promise.all(
      [key, token].map((credential) => watch(api.url, { key: credential, domain: 'api.acme.com' })),
    );
    for (const { next } of streams) await next();
    await api.store.revokeRootKey(id);
    await api.changes.poll();
    for (const { next } of streams)
      expect(await next()).toMatchObject({ event: 'end', data: { error: { status: 401 } } });
  });

  it('does not pass for a key, a link or a command by its subject', async () => {
    for (const subject of ['key_01', 'KEY_01', 'link_01', 'nameplate keys create', 'a\nb', ''])
      expect(await createToken({ subject })).toMatchObject({ status: 400 });
    expect((await createToken({ subject: 'keyla' })).status).toBe(200);
  });

  it('with more permissions than fit is refused, and nothing of it is in the audit log', async () => {
    const permissions = Array.from({ length: 100 }, (_, i) => `environment.env_${'x'.repeat(60)}${i}.read_domain`);
    const answer = await createToken({ permissions, subject: 'hopper' });
    expect(answer.body.error?.errors).toMatchObject([{ location: 'body.permissions' }]);
    const { text } = await api.call('audit.listEntries', { action: 'tokens.createToken' });
    expect(text).not.toContain('hopper');
  });
});

describe('keys.rotateKey', () => {
  it('makes a key like the old one, which works until the overlap ends: a day unless given', async () => {
    const old = dataOf<Made>(await createKey({ name: 'desk', expiresAt: START + 90 * DAY }));
    const rotated = dataOf<Made>(await rotateKey(old.keyId));
    expect(rotated.previousExpiresAt).toBe(api.clock.now() + DAY);
    const { name, permissions, expiresAt } = await get(rotated.keyId);
    expect([name, permissions, expiresAt]).toEqual(['desk', [READ], START + 90 * DAY]);
    expect(await get(old.keyId)).toMatchObject({ replacedBy: rotated.keyId, expiresAt: rotated.previousExpiresAt });
    await api.changes.poll();
    expect([await read(old.key), await read(rotated.key)]).toEqual([200, 200]);
    api.clock.advance(DAY);
    await api.changes.poll();
    expect([await read(old.key), await read(rotated.key)]).toEqual([401, 200]);
  });

  it('ends the old key at once where the overlap is 0, and takes 30 days at most', async () => {
    const old = dataOf<Made>(await createKey());
    expect((await rotateKey(old.keyId, { overlapSeconds: 30 * 86_400 + 1 })).status).toBe(400);
    const rotated = dataOf<Made>(await rotateKey(old.keyId, { overlapSeconds: 0 }));
    await api.changes.poll();
    expect([await read(old.key), await read(rotated.key)]).toEqual([401, 200]);
  });

  it('refuses a caller that lacks a permission of the key, and does not tell which', async () => {
    const { keyId } = dataOf<Made>(await createKey({ permissions: [READ, 'webhook.*.delete_webhook'] }));
    const { key } = await aMaker();
    const answer = await rotateKey(keyId, {}, key);
    expect(answer).toMatchObject(exceeds);
    expect(answer.text).not.toContain('webhook');
  });

  it('refuses a caller that expires before the key, and lets a key rotate itself', async () => {
    const { key, id } = await aMaker({ expiresAt: api.clock.now() + DAY });
    const { keyId } = dataOf<Made>(await createKey());
    expect(await rotateKey(keyId, {}, key)).toMatchObject(exceeds);
    const { keyId: successor } = dataOf<Made>(await rotateKey(id, {}, key));
    expect(await get(successor)).toMatchObject({ createdBy: id, expiresAt: api.clock.now() + DAY });
  });

  it('makes no second successor, and none of a key that does not work', async () => {
    const { keyId } = dataOf<Made>(await createKey());
    const { keyId: successor } = dataOf<Made>(await rotateKey(keyId));
    expect((await rotateKey(keyId)).status).toBe(412);
    expect(await get(keyId)).toMatchObject({ replacedBy: successor });
    const { id } = await api.createKey({ disabledAt: START });
    expect((await rotateKey(id)).status).toBe(412);
  });

  it('and keys.revokeKey at once leave no key behind that nobody was told of', async () => {
    for (let round = 0; round < 5; round++) {
      const { keyId, key } = dataOf<Made>(await createKey());
      const [rotated, revoked] = await Promise.all([rotateKey(keyId), revokeKey({ keyId })]);
      expect(revoked.status).toBe(200);
      expect([200, 404]).toContain(rotated.status);
      await api.changes.poll();
      expect(await read(key)).toBe(401);
      if (rotated.status === 200) expect(await read(dataOf<Made>(rotated).key)).toBe(200);
      const left = (await api.store.listRootKeys(api.workspaceId)).filter(({ id }) => id === keyId);
      expect(left).toEqual([]);
    }
  });
});

describe('keys.revokeKey', () => {
  it('has the key refused by the next poll of the change feed, also one that can do more than the caller', async () => {
    const { key: weak } = await api.createKey({ permissions: ['key.*.revoke_key'] });
    const strong = await api.createKey();
    expect(await read(strong.key)).toBe(200);
    expect((await revokeKey({ keyId: strong.id }, weak)).status).toBe(200);
    await api.changes.poll();
    expect(await read(strong.key)).toBe(401);
    expect(await revokeKey({ keyId: strong.id }, weak)).toMatchObject(notFound);
  });

  it('leaves the keys that it made, also by rotation, which name it: the way out where a key has leaked', async () => {
    const { key, id } = await aMaker();
    const child = dataOf<Made>(await createKey({ permissions: [...MAKES, READ] }, key));
    const grandchild = dataOf<Made>(await createKey({}, child.key));
    const successor = dataOf<Made>(await rotateKey(id, {}, key));
    const { token } = await tokenOf({}, child.key);
    await revokeKey({ keyId: id });
    const madeBy = async (makerId: string) =>
      dataOf<{ id: string; createdBy?: string }[]>(await api.call('keys.listKeys'))
        .filter(({ createdBy }) => createdBy === makerId)
        .map(({ id }) => id);
    expect(await madeBy(id)).toEqual([child.keyId, successor.keyId]);
    expect(await madeBy(child.keyId)).toEqual([grandchild.keyId]);
    for (const { keyId } of [child, successor, grandchild]) await revokeKey({ keyId });
    await api.changes.poll();
    const keys = [key, child.key, grandchild.key, successor.key, token];
    expect(await Promise.all(keys.map(read))).toEqual(keys.map(() => 401));
  });
});

describe("another workspace's keys", () => {
  it('are neither read, listed, rotated nor revoked: they are like keys that do not exist', async () => {
    for (const operation of ['keys.getKey', 'keys.rotateKey', 'keys.revokeKey']) {
      const answer = await api.call(operation, { keyId: foreign.id });
      expect(answer).toMatchObject(notFound);
      expect(answer.body.error).toEqual((await api.call(operation, { keyId: 'key_none' })).body.error);
    }
    expect((await api.call('keys.listKeys')).text).not.toContain(foreign.id);
    expect(await read(foreign.key)).toBe(404);
  });
});

describe('a permission on one key', () => {
  it('reaches that key alone', async () => {
    const [one, other] = [dataOf<Made>(await createKey()), dataOf<Made>(await createKey())];
    const actions = ['read_key', 'rotate_key', 'revoke_key'];
    const permissions = [READ, ...actions.map((action) => `key.${one.keyId}.${action}`)];
    const { key } = await api.createKey({ permissions });
    for (const operation of ['keys.getKey', 'keys.rotateKey', 'keys.revokeKey']) {
      expect(await api.call(operation, { keyId: other.keyId }, { key })).toMatchObject(notFound);
      expect((await api.call(operation, { keyId: one.keyId }, { key })).status).toBe(200);
    }
  });
});

describe('presets', () => {
  const actions = (permissions: readonly string[]) => permissions.map((each) => each.split('.')[2] ?? '');

  it('read-only has every permission to read but that of workspaces, and none to change', () => {
    const reading = ALL_GRANTS.filter((grant) => actions([grant])[0]?.startsWith('read_'));
    expect([...PRESETS['read-only']].sort()).toEqual(
      reading.filter((grant) => grant !== 'workspace.*.read_workspace').sort(),
    );
  });

  it('let no key make keys or end them but that of an owner, and none make workspaces', () => {
    const given = Object.values(PRESETS).flat();
    const { owner: _, ...others } = PRESETS;
    const ofOthers = Object.values(others).flat();
    expect(ofOthers.filter((grant) => /^key\./.test(grant) && grant !== 'key.*.read_key')).toEqual([]);
    expect(given.filter((grant) => grant.startsWith('workspace.'))).toEqual([]);
    expect(given.filter((grant) => !ALL_GRANTS.includes(grant))).toEqual([]);
  });
});

it('the client makes keys and tokens, typed, and repeats a rotation safely', async () => {
  const client = createClient({ baseUrl: api.url, rootKey: api.rootKey });
  const made = await client.keys.createKey({ name: 'desk', preset: 'support' });
  expectTypeOf(made).toEqualTypeOf<{ keyId: string; key: string; expiresAt?: number }>();
  const { token } = await client.tokens.createToken({ subject: 'ada', permissions: [READ] });
  expect(await read(token)).toBe(200);
  const rotate = () => client.keys.rotateKey({ keyId: made.keyId }, { idempotencyKey: 'rotate' });
  expect(await rotate()).toEqual(await rotate());
  await client.keys.revokeKey({ keyId: made.keyId });
});
