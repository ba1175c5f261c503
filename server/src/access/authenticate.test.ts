import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aWorkspace } from '../../../test/support/entities.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { StoredPrincipal } from '../store/store.ts';
import { type AuthenticationDeps, authenticate } from './authenticate.ts';
import { createFailureLimit, FAILURES } from './failure-limit.ts';
import { type CachedRootKey, createRootKeyCache } from './root-key-cache.ts';
import { createRootKey, hashRootKey } from './secret-text.ts';

const { key } = createRootKey(randomBytes);
const NOW = 1_000_000;
const clock = { now: () => NOW };
const known: CachedRootKey = {
  principal: {
    kind: 'root_key',
    workspaceId: 'ws_1',
    actor: 'key_1',
    grants: new Set(),
    limits: { rates: {}, domains: null },
  },
  keyDisabled: false,
  workspaceDisabled: false,
  expiresAt: null,
};
const TOKEN = 'header.claims.signature';
const invented = () => createRootKey(randomBytes).key;

/** The row of a key in the store. */
function storedPrincipal({ principal, keyDisabled, expiresAt }: CachedRootKey): StoredPrincipal {
  const { workspaceId, actor, limits } = principal;
  const about = { name: 'test', createdAt: 1 };
  return {
    key: {
      ...about,
      id: actor,
      workspaceId,
      start: key.slice(0, 8),
      permissions: [],
      expiresAt,
      disabledAt: keyDisabled ? 1 : null,
    },
    workspace: { ...about, id: workspaceId, disabledAt: null, limits },
  };
}

/** Authentication with lookups that are counted. */
function setUp(about: Partial<CachedRootKey> = {}, { workspaces = [aWorkspace({ id: 'ws_1' })] } = {}) {
  const lookups = { keys: 0, tokens: 0 };
  const deps: AuthenticationDeps = {
    rootKeys: {
      get: () => undefined,
      lastFound: () => undefined,
      async load(hash) {
        lookups.keys += 1;
        return hash === hashRootKey(key) ? { ...known, ...about } : null;
      },
    },
    tokens: {
      async verify(token) {
        lookups.tokens += 1;
        return token === TOKEN
          ? { sub: 'ada', workspaceId: 'ws_1', permissions: ['a.*.b'], expiresAt: Number.MAX_SAFE_INTEGER }
          : null;
      },
    },
    checkSession: async () => ({ ok: false, code: 'authentication/setup_link_expired' }),
    isKnownSession: () => false,
    sessions: { get: () => undefined, load: async () => null },
    makers: { get: () => undefined, load: async () => null },
    workspaces: {
      get: () => undefined,
      load: async (workspaceId) => workspaces.find(({ id }) => id === workspaceId) ?? null,
    },
    failures: createFailureLimit(clock),
    clock,
  };
  const ask = (header: string | undefined, ip = '192.0.2.1') => authenticate(header, { ip }, deps);
  const codeOf = async (header: string | undefined, ip?: string) => {
    const result = await ask(header, ip);
    return result.ok ? 'authenticated' : result.code;
  };
  return { deps, lookups, ask, codeOf };
}

describe('a request', () => {
  it.each([
    key,
    `Basic ${key}`,
    'Bearer',
    'Bearer ',
    `Bearer  ${key}`,
    `Bearer\t${key}`,
    `Bearer ${key} `,
    `Bearer "${key}"`,
    `Bearer ${key},Bearer ${key}`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key.slice(0, -1)}${key.endsWith('1') ? '2' : '1'}`,
    'Bearer unkey_1234567890',
    'Bearer a.b',
    'Bearer a.b.c.d',
    'Bearer a.b.c=',
    'Bearer .b.c',
    `Bearer ${'x'.repeat(100_000)}`,
    `Bearer ${'x'.repeat(4000)}.${'x'.repeat(100)}.x`,
  ])('with %j fails as malformed, without a lookup', async (header) => {
    const { codeOf, lookups } = setUp();
    expect(await codeOf(header)).toBe('authentication/malformed');
    expect(lookups).toEqual({ keys: 0, tokens: 0 });
  });
});

describe('an address with too many failures', () => {
  it.each([
    ['unknown keys', () => `Bearer ${invented()}`, 'authentication/key_not_found'],
    ['bad tokens', () => 'Bearer a.b.c', 'authentication/key_not_found'],
    ['nonsense', () => 'Bearer nonsense', 'authentication/malformed'],
  ])('(%s) causes no more lookups or checks; other addresses and keys in use still work', async (_, bad, code) => {
    const { deps, ask, codeOf, lookups } = setUp();
    for (let i = 0; i < FAILURES.limit; i += 1) expect(await codeOf(bad())).toBe(code);
    const before = { ...lookups };
    for (const header of [bad(), `Bearer ${key}`, `Bearer ${TOKEN}`, 'Bearer nonsense']) {
      expect(await ask(header)).toMatchObject({ code: 'limits/rate_limited', retryAfterSeconds: 20 });
    }
    expect(lookups).toEqual(before);
    expect(await codeOf(`Bearer ${key}`, '192.0.2.2')).toBe('authenticated');
    deps.rootKeys.get = () => known;
    expect(await codeOf(`Bearer ${key}`)).toBe('authenticated');
  });

  it('still has a key in use read again after each change, until the store has it no more', async () => {
    const stored = { about: known as CachedRootKey | null };
    let reads = 0;
    let change = () => {};
    const store = {
      async findPrincipal(hash: Uint8Array) {
        reads += 1;
        const isKnown = Buffer.from(hash).toString('hex') === hashRootKey(key);
        return isKnown && stored.about !== null ? storedPrincipal(stored.about) : null;
      },
    };
    const changes = {
      isFresh: () => true,
      subscribe: (listener: (change: null) => void) => {
        change = () => listener(null);
      },
    } as ChangeFeed;
    // The cache keeps fewer keys than are invented here; those that exist stay.
    const rootKeys = createRootKeyCache(store, changes, 10);
    const { deps } = setUp();
    const codeOf = async (credential: string) => {
      const result = await authenticate(`Bearer ${credential}`, { ip: '192.0.2.1' }, { ...deps, rootKeys });
      return result.ok ? 'authenticated' : result.code;
    };
    const readsOf = async (credential: string) => {
      const before = reads;
      return [await codeOf(credential), reads - before];
    };

    expect(await codeOf(key)).toBe('authenticated');
    for (let i = 0; i < FAILURES.limit; i += 1) expect(await codeOf(invented())).toBe('authentication/key_not_found');
    expect(await readsOf(invented())).toEqual(['limits/rate_limited', 0]);
    for (let i = 0; i < 2; i += 1) {
      change();
      expect(await readsOf(key)).toEqual(['authenticated', 1]);
      expect(await readsOf(key)).toEqual(['authenticated', 0]);
    }
    stored.about = { ...known, keyDisabled: true };
    change();
    expect(await readsOf(key)).toEqual(['authorization/key_disabled', 1]);
    stored.about = null;
    change();
    expect(await readsOf(key)).toEqual(['authentication/key_not_found', 1]);
    for (const another of [() => {}, change]) {
      another();
      expect(await readsOf(key)).toEqual(['limits/rate_limited', 0]);
    }
  });

  it('gets no more reads with a key that has expired', async () => {
    const { deps, codeOf, lookups } = setUp();
    deps.rootKeys.lastFound = () => ({ ...known, expiresAt: NOW });
    for (let i = 0; i < FAILURES.limit; i += 1) await codeOf('Bearer nonsense');
    expect(await codeOf(`Bearer ${key}`)).toBe('limits/rate_limited');
    expect(lookups.keys).toBe(0);
    deps.rootKeys.lastFound = () => ({ ...known, expiresAt: NOW + 1 });
    expect(await codeOf(`Bearer ${key}`)).toBe('authenticated');
  });

  it('is not blocked for requests without credentials or with disabled keys', async () => {
    const { codeOf } = setUp({ keyDisabled: true });
    for (let i = 0; i <= FAILURES.limit; i += 1) {
      expect(await codeOf(undefined)).toBe('authentication/missing');
      expect(await codeOf(`Bearer ${key}`)).toBe('authorization/key_disabled');
    }
  });
});
