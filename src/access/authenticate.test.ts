import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { countAttempts, network } from './attempts.ts';
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
    remembered: () => undefined,
    async read(hash: string) {
      principals.asked += 1;
      return hash === hashRootKey(key) ? { ...known, ...about } : null;
    },
  };
  return principals;
}

const ADDRESS = '192.0.2.1';

const refusalOf = async (
  header: string | undefined,
  principals: Principals = only(),
  address = ADDRESS,
  attempts = countAttempts(clock),
) => {
  const result = await authenticate(header, address, { principals, attempts, clock });
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

  it('from an address with 300 unknown keys in a minute has no further key looked up; keys in use go on', async () => {
    const attempts = countAttempts(clock);
    const principals = only();
    const ask = (header: string, address?: string) => refusalOf(header, principals, address, attempts);
    for (let i = 0; i < 300; i += 1) {
      expect(await ask(`Bearer ${createRootKey(randomBytes).key}`)).toBe('authentication/key_not_found');
    }
    expect(await ask(`Bearer ${key}`)).toBe('limits/rate_limited');
    expect(principals.asked).toBe(300);
    expect(await ask(`Bearer ${key}`, '192.0.2.2')).toBe('let in');
    const inUse = { ...principals, remembered: () => known };
    expect(await refusalOf(`Bearer ${key}`, inUse, ADDRESS, attempts)).toBe('let in');
    expect(await ask('Bearer nonsense')).toBe('authentication/malformed');
  });
});

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
  ])('%s is counted as %s', (address, counted) => {
    expect(network(address)).toBe(counted);
  });
});
