import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authenticate } from './authenticate.ts';
import { createRootKey, hashRootKey } from './key.ts';
import type { KnownKey, Principals } from './principals.ts';

const { key } = createRootKey(randomBytes);
const NOW = 1_000_000;
const clock = { now: () => NOW };
const known: KnownKey = {
  principal: { workspaceId: 'ws_1', keyId: 'key_1', grants: new Set(), limits: { rates: {}, domains: null } },
  keyDisabled: false,
  workspaceDisabled: false,
  expiresAt: null,
};

function only(about: Partial<KnownKey> = {}): Principals & { asked: number } {
  const principals = {
    asked: 0,
    async find(hash: string) {
      principals.asked += 1;
      return hash === hashRootKey(key) ? { ...known, ...about } : null;
    },
  };
  return principals;
}

const refusalOf = async (header: string | undefined, principals: Principals = only()) => {
  const result = await authenticate(header, principals, clock);
  return result.ok ? 'let in' : result.refusal;
};

describe('a request', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is let in with "%s" and its key', async (scheme) => {
    expect(await refusalOf(`${scheme} ${key}`)).toBe('let in');
  });

  it.each([undefined, ''])('without credentials (%j) is told that they are missing', async (header) => {
    expect(await refusalOf(header)).toBe('authentication/missing');
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
    `Bearer ${'x'.repeat(100_000)}`,
  ])('with %j is told that it is malformed, without a look-up', async (header) => {
    const principals = only();
    expect(await refusalOf(header, principals)).toBe('authentication/malformed');
    expect(principals.asked).toBe(0);
  });

  it('with a well-formed key that nobody has is told that the key does not exist', async () => {
    expect(await refusalOf(`Bearer ${createRootKey(randomBytes).key}`)).toBe('authentication/key_not_found');
  });

  it('with an expired key is told that the key does not exist, from the millisecond of its expiry on', async () => {
    expect(await refusalOf(`Bearer ${key}`, only({ expiresAt: NOW + 1 }))).toBe('let in');
    expect(await refusalOf(`Bearer ${key}`, only({ expiresAt: NOW }))).toBe('authentication/key_not_found');
  });

  it('with a disabled key, or of a disabled workspace, is told so; of both, the key', async () => {
    const disabled = { keyDisabled: true };
    const closed = { workspaceDisabled: true };
    expect(await refusalOf(`Bearer ${key}`, only(disabled))).toBe('authorization/key_disabled');
    expect(await refusalOf(`Bearer ${key}`, only(closed))).toBe('authorization/workspace_disabled');
    expect(await refusalOf(`Bearer ${key}`, only({ ...disabled, ...closed }))).toBe('authorization/key_disabled');
    expect(await refusalOf(`Bearer ${key}`, only({ ...disabled, expiresAt: NOW }))).toBe(
      'authentication/key_not_found',
    );
  });
});
