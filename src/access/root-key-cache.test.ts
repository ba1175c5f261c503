import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, type StoredPrincipal, StoreUnavailable } from '../store/contract/store.ts';
import { createRootKeyCache } from './root-key-cache.ts';

/** A store that counts its reads, and a change feed that the test drives. */
function setUp(capacity?: number) {
  const keys = new Map<string, StoredPrincipal>();
  let reads = 0;
  let fresh = true;
  let notify: (change: Change | null) => void = () => {};
  let answer: Promise<void> = Promise.resolve();
  const store = {
    async findPrincipal(hash: Uint8Array) {
      reads += 1;
      const found = keys.get(Buffer.from(hash).toString('hex')) ?? null;
      await answer;
      return found;
    },
  };
  const changes = {
    isFresh: () => fresh,
    subscribe: (listener: (change: Change | null) => void) => {
      notify = listener;
    },
  };
  return {
    keys,
    rootKeys: createRootKeyCache(store, changes, capacity),
    withoutFeed: createRootKeyCache(store),
    reads: () => reads,
    setFresh: (now: boolean) => {
      fresh = now;
    },
    change: (kind: Change['kind'], key: string) => notify({ seq: 1, kind, key }),
    changeAll: () => notify(null),
    /** Holds the reads of the store until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      answer = promise;
      return resolve;
    },
    fail() {
      answer = Promise.reject(new StoreUnavailable('down'));
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

describe('cached root keys', () => {
  let w: ReturnType<typeof setUp>;
  beforeEach(() => {
    w = setUp();
    w.keys.set(HASH, stored());
  });

  it('are read from the store once', async () => {
    const first = await w.rootKeys.load(HASH);
    expect(first?.principal).toMatchObject({ workspaceId: 'ws_1', actor: 'key_1' });
    expect(await w.rootKeys.load(HASH)).toBe(first);
    expect(w.reads()).toBe(1);
  });

  it('that do not exist are cached too', async () => {
    expect(await w.rootKeys.load(OTHER)).toBeNull();
    expect(await w.rootKeys.load(OTHER)).toBeNull();
    expect(w.reads()).toBe(1);
  });

  it('are read again after a change of the key, of its workspace, or of anything', async () => {
    for (const change of [() => w.change('root_key', HASH), () => w.change('workspace', 'ws_1'), () => w.changeAll()]) {
      await w.rootKeys.load(HASH);
      const before = w.reads();
      change();
      await w.rootKeys.load(HASH);
      expect(w.reads()).toBe(before + 1);
    }
  });

  it('are found once created, though a lookup found none before', async () => {
    expect(await w.rootKeys.load(OTHER)).toBeNull();
    w.keys.set(OTHER, stored());
    w.change('root_key', OTHER);
    expect(await w.rootKeys.load(OTHER)).not.toBeNull();
  });

  it('stay cached after changes of others', async () => {
    await w.rootKeys.load(HASH);
    w.change('root_key', OTHER);
    w.change('workspace', 'ws_2');
    w.change('route', 'ws_1');
    w.change('environment', HASH);
    await w.rootKeys.load(HASH);
    expect(w.reads()).toBe(1);
  });

  it('are not cached when a change came while they were read', async () => {
    const release = w.hold();
    const reading = w.rootKeys.load(HASH);
    w.keys.delete(HASH);
    w.change('root_key', HASH);
    release();
    await reading;
    expect(await w.rootKeys.load(HASH)).toBeNull();
  });

  it('are read from the store every time while the change feed is not fresh, and without a feed', async () => {
    await w.rootKeys.load(HASH);
    w.setFresh(false);
    w.keys.delete(HASH);
    expect(await w.rootKeys.load(HASH)).toBeNull();
    w.keys.set(HASH, stored());
    expect(await w.withoutFeed.load(HASH)).not.toBeNull();
    w.keys.delete(HASH);
    expect(await w.withoutFeed.load(HASH)).toBeNull();
  });

  it('are evicted, least recently used first, beyond the capacity', async () => {
    const small = setUp(2);
    const [a, b, c] = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32)) as [string, string, string];
    await small.rootKeys.load(a);
    await small.rootKeys.load(b);
    await small.rootKeys.load(a);
    await small.rootKeys.load(c);
    expect(small.reads()).toBe(3);
    await small.rootKeys.load(a);
    await small.rootKeys.load(c);
    expect(small.reads()).toBe(3);
    await small.rootKeys.load(b);
    expect(small.reads()).toBe(4);
  });

  it('are told from guesses after a change, until the store has them no more', async () => {
    const small = setUp(2);
    small.keys.set(HASH, stored());
    expect(small.rootKeys.lastFound(HASH)).toBeUndefined();
    const found = await small.rootKeys.load(HASH);
    for (const guess of ['aa', 'bb', 'cc']) {
      await small.rootKeys.load(guess.repeat(32));
      expect(small.rootKeys.lastFound(guess.repeat(32))).toBeUndefined();
    }
    small.changeAll();
    expect(small.rootKeys.get(HASH)).toBeUndefined();
    expect(small.rootKeys.lastFound(HASH)).toBe(found);
    small.keys.delete(HASH);
    await small.rootKeys.load(HASH);
    expect(small.rootKeys.lastFound(HASH)).toBeUndefined();
  });

  it('fail with the store, and the failure is not cached', async () => {
    w.fail();
    await expect(w.rootKeys.load(HASH)).rejects.toThrow(StoreUnavailable);
    await expect(w.rootKeys.load(HASH)).rejects.toThrow(StoreUnavailable);
    expect(w.reads()).toBe(2);
  });
});
