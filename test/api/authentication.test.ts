import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { operations } from '../../server/src/api/operations.ts';
import { type Harness, START, startApi } from '../support/api-harness.ts';

let api: Harness;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const unauthorized = { status: 401, body: { error: { status: 401, title: 'Unauthorized', type: 'unauthorized' } } };
const forbidden = { status: 403, body: { error: { status: 403, title: 'Forbidden', type: 'forbidden' } } };
const ask = (key: string | null, headers: Record<string, string> = {}) =>
  api.call('domains.getDomain', { domain: 'nobody.test' }, { key, headers });

describe('every request carries the HTTP header Authorization: Bearer <ROOT_KEY>', () => {
  it.each(operations.map(({ name }) => name))('%s answers 401 without it', async (operation) => {
    expect(await api.call(operation, {}, { key: null })).toMatchObject(unauthorized);
  });

  it.each(['bearer', 'BEARER', 'Bearer'])('"%s" is read', async (scheme) => {
    const answer = await ask(null, { authorization: `${scheme} ${api.rootKey}` });
    expect(answer.status).toBe(404);
  });

  it.each(['Basic dXNlcjpwYXNzd29yZA==', 'Bearer', 'Bearer x', 'Digest a="b"'])(
    'anything else is malformed: %s',
    async (authorization) => {
      const answer = await ask(null, { authorization });
      expect(answer).toMatchObject(unauthorized);
      expect(answer.body.error?.detail).toContain('does not contain a root key');
    },
  );

  it('a key that was not copied whole is malformed, and told so, and so is one with a changed character', async () => {
    const { key } = createRootKey(randomBytes);
    const changed = key.slice(0, 20) + (key[20] === 'x' ? 'y' : 'x') + key.slice(21);
    const zero = `${key.slice(0, 20)}0${key.slice(21)}`;
    const attempts = [
      [changed, 'its checksum does not match'],
      [zero, 'its checksum does not match'],
      [key.slice(0, -1), 'it has 41 characters, and a key has 42'],
      [`${key}x`, 'it has 43 characters'],
      ['np_', 'it has 3 characters'],
    ] as const;
    for (const [damaged, what] of attempts) {
      const answer = await ask(null, { authorization: `Bearer ${damaged}` });
      expect(answer).toMatchObject(unauthorized);
      expect(answer.headers['nameplate-error-code']).toBe('authentication/malformed');
      expect(answer.body.error?.detail).toContain(what);
      expect(answer.body.error?.detail).toContain('Was it copied whole?');
      if (damaged.length > 3) expect(answer.text).not.toContain(damaged);
    }
  });
});

describe('a root key', () => {
  it('that is unknown yields 401', async () => {
    const answer = await ask(createRootKey(randomBytes).key);
    expect(answer).toMatchObject(unauthorized);
    expect(answer.body.error?.detail).toContain('does not exist');
  });

  it('that is revoked yields 401 after the next poll of the change feed', async () => {
    const { key, id } = await api.createKey();
    expect(await ask(key)).toMatchObject({ status: 404 });
    await api.store.revokeRootKey(id);
    await api.changes.poll();
    expect(await ask(key)).toMatchObject(unauthorized);
  });

  it('that is disabled yields 403, and works again when it is enabled', async () => {
    const { key, id } = await api.createKey();
    expect(await ask(key)).toMatchObject({ status: 404 });
    await api.store.setRootKeyDisabled(id, START);
    await api.changes.poll();
    const answer = await ask(key);
    expect(answer).toMatchObject(forbidden);
    expect(answer.body.error?.detail).toMatch(/^The root key is disabled\. Use another key, or /);
    await api.store.setRootKeyDisabled(id, null);
    await api.changes.poll();
    expect(await ask(key)).toMatchObject({ status: 404 });
  });

  it('of a disabled workspace yields 403, and works again when the workspace is enabled', async () => {
    const workspace = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: workspace.id });
    expect(await ask(key)).toMatchObject({ status: 404 });
    await api.store.setWorkspaceDisabled(workspace.id, START);
    await api.changes.poll();
    const answer = await ask(key);
    expect(answer).toMatchObject(forbidden);
    expect(answer.body.error?.detail).toMatch(/^The workspace of the root key is disabled\. Ask the operator /);
    await api.store.setWorkspaceDisabled(workspace.id, null);
    await api.changes.poll();
    expect(await ask(key)).toMatchObject({ status: 404 });
  });

  it('that is disabled in a disabled workspace gets the error of the key', async () => {
    const workspace = await api.createWorkspace({ disabledAt: START });
    const { key } = await api.createKey({ workspaceId: workspace.id, disabledAt: START });
    expect((await ask(key)).body.error?.detail).toMatch(/^The root key is disabled\. Use another key, or /);
  });

  it('that was used before it was created works once it exists', async () => {
    const { key, hash, start } = createRootKey(randomBytes);
    expect(await ask(key)).toMatchObject(unauthorized);
    const about = {
      id: 'key_later',
      workspaceId: api.workspaceId,
      name: 'later',
      start,
      permissions: [],
      createdAt: START,
    };
    await api.store.createRootKey({ ...about, expiresAt: null, disabledAt: null }, hash);
    await api.changes.poll();
    expect(await ask(key)).toMatchObject({ status: 404 });
  });
});

describe('time', () => {
  let late: Harness;
  beforeAll(async () => {
    late = await startApi();
  });
  afterAll(() => late.close());
  const askLate = (key: string) => late.call('domains.getDomain', { domain: 'nobody.test' }, { key });

  it('expires a key on the millisecond, also one that was just used', async () => {
    const expiresAt = late.clock.now() + 500;
    const { key } = await late.createKey({ expiresAt });
    late.clock.set(expiresAt - 1);
    expect(await askLate(key)).toMatchObject({ status: 404 });
    late.clock.set(expiresAt);
    expect(await askLate(key)).toMatchObject(unauthorized);
  });

  it('without a poll for more than a second: no cached key is used', async () => {
    const { key, id } = await late.createKey();
    await late.changes.poll();
    expect(await askLate(key)).toMatchObject({ status: 404 });
    await late.changes.stop();
    await late.store.revokeRootKey(id);
    late.clock.advance(1001);
    expect(await askLate(key)).toMatchObject(unauthorized);
  });
});

describe('a flood of unknown keys', () => {
  it('from one address gets 429 and Retry-After, and locks out no key in use', async () => {
    const flooded = await startApi();
    const askWith = (key: string) => flooded.call('domains.getDomain', { domain: 'nobody.test' }, { key });
    // The end of a write of another test on the same PostgreSQL would clear the caches, and the key would no longer be
    // in use.
    await flooded.changes.poll();
    await flooded.changes.stop();
    expect(await askWith(flooded.rootKey)).toMatchObject({ status: 404 });
    const invented = Array.from({ length: 300 }, () => createRootKey(randomBytes).key);
    for (const answer of await Promise.all(invented.map(askWith))) expect(answer).toMatchObject(unauthorized);
    const refused = await askWith(createRootKey(randomBytes).key);
    expect(refused).toMatchObject({ status: 429, body: { error: { type: 'rate-limited' } } });
    expect(await askWith(flooded.rootKey)).toMatchObject({ status: 404 });
    flooded.clock.advance(Number(refused.headers['retry-after']) * 1000 - 1000);
    expect(await askWith(createRootKey(randomBytes).key)).toMatchObject({ status: 429 });
    flooded.clock.advance(1000);
    expect(await askWith(createRootKey(randomBytes).key)).toMatchObject(unauthorized);
    await flooded.close();
  });
});

describe('revoking, disabling and enabling', () => {
  it('take effect by themselves, also for a key that is in use all the time', async () => {
    const { key, id } = await api.createKey();
    expect(await ask(key)).toMatchObject({ status: 404 });
    await api.store.revokeRootKey(id);
    let answer = await ask(key);
    while (answer.status === 404) answer = await ask(key);
    expect(answer).toMatchObject(unauthorized);
  });
});
