import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aWorkspace } from '../../test/support/entities.ts';
import { type Access, authenticate } from './authenticate.ts';
import { ATTEMPTS, countAttempts } from './failure-limit.ts';
import type { CachedKey } from './principal-cache.ts';
import { createRootKey, hashRootKey } from './root-key.ts';

const { key } = createRootKey(randomBytes);
const NOW = 1_000_000;
const clock = { now: () => NOW };
const known: CachedKey = {
  principal: { workspaceId: 'ws_1', actor: 'key_1', grants: new Set(), limits: { rates: {}, domains: null } },
  keyDisabled: false,
  workspaceDisabled: false,
  expiresAt: null,
};
const TOKEN = 'header.claims.signature';
const invented = () => createRootKey(randomBytes).key;

/** Everything that authentication asks, and how often it was asked. */
function world(about: Partial<CachedKey> = {}, { workspaces = [aWorkspace({ id: 'ws_1' })] } = {}) {
  const asked = { keys: 0, tokens: 0 };
  const access: Access = {
    principals: {
      get: () => undefined,
      async load(hash) {
        asked.keys += 1;
        return hash === hashRootKey(key) ? { ...known, ...about } : null;
      },
    },
    tokens: {
      async read(token) {
        asked.tokens += 1;
        return token === TOKEN ? { sub: 'ada', workspaceId: 'ws_1', permissions: ['a.*.b'] } : null;
      },
    },
    workspaces: {
      get: () => undefined,
      load: async (workspaceId) => workspaces.find(({ id }) => id === workspaceId) ?? null,
    },
    attempts: countAttempts(clock),
    clock,
  };
  const ask = (header: string | undefined, ip = '192.0.2.1') => authenticate(header, { ip }, access);
  const refusal = async (header: string | undefined, ip?: string) => {
    const result = await ask(header, ip);
    return result.ok ? 'let in' : result.refusal;
  };
  return { access, asked, ask, refusal };
}

describe('a request', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is let in with "%s" and its key', async (scheme) => {
    expect(await world().refusal(`${scheme} ${key}`)).toBe('let in');
  });

  it.each([undefined, ''])('without credentials (%j) is told that they are missing', async (header) => {
    expect(await world().refusal(header)).toBe('authentication/missing');
  });

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
  ])('with %j is told that it is malformed, without a look-up', async (header) => {
    const { refusal, asked } = world();
    expect(await refusal(header)).toBe('authentication/malformed');
    expect(asked).toEqual({ keys: 0, tokens: 0 });
  });

  it('with a well-formed key that nobody has is told that the key does not exist', async () => {
    expect(await world().refusal(`Bearer ${invented()}`)).toBe('authentication/key_not_found');
  });

  it('with an expired key is told that the key does not exist, from the millisecond of its expiry on', async () => {
    expect(await world({ expiresAt: NOW + 1 }).refusal(`Bearer ${key}`)).toBe('let in');
    expect(await world({ expiresAt: NOW }).refusal(`Bearer ${key}`)).toBe('authentication/key_not_found');
  });

  it('with a disabled key, or of a disabled workspace, is told so; of both, the key', async () => {
    const disabled = { keyDisabled: true };
    const closed = { workspaceDisabled: true };
    expect(await world(disabled).refusal(`Bearer ${key}`)).toBe('authorization/key_disabled');
    expect(await world(closed).refusal(`Bearer ${key}`)).toBe('authorization/workspace_disabled');
    expect(await world({ ...disabled, ...closed }).refusal(`Bearer ${key}`)).toBe('authorization/key_disabled');
    expect(await world({ ...disabled, expiresAt: NOW }).refusal(`Bearer ${key}`)).toBe('authentication/key_not_found');
  });
});

describe('a dashboard token', () => {
  it('lets its subject in, with its permissions and the limits of its workspace', async () => {
    const workspace = aWorkspace({ id: 'ws_1', limits: { rates: {}, domains: 3 } });
    expect(await world({}, { workspaces: [workspace] }).ask(`Bearer ${TOKEN}`)).toEqual({
      ok: true,
      principal: { workspaceId: 'ws_1', actor: 'ada', grants: new Set(['a.*.b']), limits: workspace.limits },
    });
  });

  it('that cannot be trusted, or is for a workspace that does not exist, does not exist', async () => {
    expect(await world().refusal('Bearer a.b.c')).toBe('authentication/key_not_found');
    expect(await world({}, { workspaces: [] }).refusal(`Bearer ${TOKEN}`)).toBe('authentication/key_not_found');
  });

  it('of a disabled workspace is told so', async () => {
    const disabled = [aWorkspace({ id: 'ws_1', disabledAt: NOW })];
    expect(await world({}, { workspaces: disabled }).refusal(`Bearer ${TOKEN}`)).toBe(
      'authorization/workspace_disabled',
    );
  });
});

describe('an address with too many failed attempts', () => {
  it.each([
    ['unknown keys', () => `Bearer ${invented()}`, 'authentication/key_not_found'],
    ['bad tokens', () => 'Bearer a.b.c', 'authentication/key_not_found'],
    ['nonsense', () => 'Bearer nonsense', 'authentication/malformed'],
  ])('(%s) has nothing further looked up or checked; other addresses and keys in use go on', async (_, bad, told) => {
    const { access, ask, refusal, asked } = world();
    for (let i = 0; i < ATTEMPTS.limit; i += 1) expect(await refusal(bad())).toBe(told);
    const before = { ...asked };
    for (const header of [bad(), `Bearer ${key}`, `Bearer ${TOKEN}`, 'Bearer nonsense']) {
      expect(await ask(header)).toMatchObject({ refusal: 'limits/rate_limited', retryAfterSeconds: 20 });
    }
    expect(asked).toEqual(before);
    expect(await refusal(`Bearer ${key}`, '192.0.2.2')).toBe('let in');
    access.principals.get = () => known;
    expect(await refusal(`Bearer ${key}`)).toBe('let in');
  });

  it('does not get there by requests without credentials, nor by keys that are disabled', async () => {
    const { refusal } = world({ keyDisabled: true });
    for (let i = 0; i <= ATTEMPTS.limit; i += 1) {
      expect(await refusal(undefined)).toBe('authentication/missing');
      expect(await refusal(`Bearer ${key}`)).toBe('authorization/key_disabled');
    }
  });
});
