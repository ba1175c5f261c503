import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, type StoredPrincipal, StoreUnavailable } from '../store/contract/store.ts';
import { cachedPrincipals, type Principals } from './principal-cache.ts';

/** As authentication uses them: what is remembered, else what the store has. */
function finding(principals: Principals) {
  return {
    async find(hash: string) {
      const remembered = principals.remembered(hash);
      return remembered === undefined ? principals.read(hash) : remembered;
    },
  };
}

/** A store that counts how often it is asked, and news that come when the test says so. */
function world(capacity?: number) {
  const keys = new Map<string, StoredPrincipal>();
  let asked = 0;
  let trusted = true;
  let forget: (change: Change | null) => void = () => {};
  let answer: Promise<void> = Promise.resolve();
  const store = {
    async findPrincipal(hash: Uint8Array) {
      asked += 1;
      const found = keys.get(Buffer.from(hash).toString('hex')) ?? null;
      await answer;
      return found;
    },
  };
  const news = {
    trusted: () => trusted,
    onChange: (listener: (change: Change | null) => void) => {
      forget = listener;
    },
  };
  return {
    keys,
    principals: finding(cachedPrincipals(store, news, capacity)),
    withoutNews: finding(cachedPrincipals(store)),
    asked: () => asked,
    trust: (now: boolean) => {
      trusted = now;
    },
    announce: (kind: Change['kind'], key: string) => forget({ seq: 1, kind, key }),
    announceAll: () => forget(null),
    /** Holds the store's answers back until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      answer = promise;
      return resolve;
    },
    fail() {
      answer = Promise.reject(new StoreUnavailable('away'));
      answer.catch(() => {});
    },
  };
}

const HASH = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

function stored(workspaceId = 'ws_1'): StoredPrincipal {
  return {
    key: {
      id: 'key_1',
      workspaceId,
      name: 'test',
      start: 'np_12345',
      permissions: ['environment.*.read_domain'],
      expiresAt: null,
      disabledAt: null,
      createdAt: 1,
    },
    workspace: { id: workspaceId, name: 'Test', disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 1 },
  };
}

describe('known keys', () => {
  let w: ReturnType<typeof world>;
  beforeEach(() => {
    w = world();
    w.keys.set(HASH, stored());
  });

  it('are read from the store once', async () => {
    const first = await w.principals.find(HASH);
    expect(first?.principal).toMatchObject({ workspaceId: 'ws_1', actor: 'key_1' });
    expect(await w.principals.find(HASH)).toBe(first);
    expect(w.asked()).toBe(1);
  });

  it('that do not exist are remembered too', async () => {
    expect(await w.principals.find(OTHER)).toBeNull();
    expect(await w.principals.find(OTHER)).toBeNull();
    expect(w.asked()).toBe(1);
  });

  it('are read again after news of the key, of its workspace, or of anything', async () => {
    for (const announce of [
      () => w.announce('root_key', HASH),
      () => w.announce('workspace', 'ws_1'),
      () => w.announceAll(),
    ]) {
      await w.principals.find(HASH);
      const before = w.asked();
      announce();
      await w.principals.find(HASH);
      expect(w.asked()).toBe(before + 1);
    }
  });

  it('are found after they were made, though they had been asked for before', async () => {
    expect(await w.principals.find(OTHER)).toBeNull();
    w.keys.set(OTHER, stored());
    w.announce('root_key', OTHER);
    expect(await w.principals.find(OTHER)).not.toBeNull();
  });

  it('stay remembered at news of others', async () => {
    await w.principals.find(HASH);
    w.announce('root_key', OTHER);
    w.announce('workspace', 'ws_2');
    w.announce('route', 'ws_1');
    w.announce('environment', HASH);
    await w.principals.find(HASH);
    expect(w.asked()).toBe(1);
  });

  it('are not remembered when news came while they were read', async () => {
    const release = w.hold();
    const reading = w.principals.find(HASH);
    w.keys.delete(HASH);
    w.announce('root_key', HASH);
    release();
    await reading;
    expect(await w.principals.find(HASH)).toBeNull();
  });

  it('are read from the store every time while the news cannot be trusted, and without news', async () => {
    await w.principals.find(HASH);
    w.trust(false);
    w.keys.delete(HASH);
    expect(await w.principals.find(HASH)).toBeNull();
    w.keys.set(HASH, stored());
    expect(await w.withoutNews.find(HASH)).not.toBeNull();
    w.keys.delete(HASH);
    expect(await w.withoutNews.find(HASH)).toBeNull();
  });

  it('are forgotten, least recently used first, beyond the capacity', async () => {
    const small = world(2);
    const [a, b, c] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32)) as [string, string, string];
    await small.principals.find(a);
    await small.principals.find(b);
    await small.principals.find(a);
    await small.principals.find(c);
    expect(small.asked()).toBe(3);
    await small.principals.find(a);
    await small.principals.find(c);
    expect(small.asked()).toBe(3);
    await small.principals.find(b);
    expect(small.asked()).toBe(4);
  });

  it('are not invented when the store fails, and the failure is not remembered', async () => {
    w.fail();
    await expect(w.principals.find(HASH)).rejects.toThrow(StoreUnavailable);
    await expect(w.principals.find(HASH)).rejects.toThrow(StoreUnavailable);
    expect(w.asked()).toBe(2);
  });
});
