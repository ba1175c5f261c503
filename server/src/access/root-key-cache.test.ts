import { beforeEach, describe, expect, it } from 'vitest';
import { type Change, type StoredPrincipal, StoreUnavailable } from '../store/store.ts';
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

  it('are read again after a change of the key, of its workspace, or of anything', async () => {
    for (const change of [() => w.change('root_key', HASH), () => w.change('workspace', 'ws_1'), () => w.changeAll()]) {
      await w.rootKeys.load(HASH);
      const before = w.reads();
      change();
      await w.rootKeys.load(HASH);
      expect(w.reads()).toBe(before + 1);
    }
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
});
