import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyedChallenge, respondToKeyed } from './keyed-challenges.ts';
import { createKeyring } from './keyring.ts';

const HOST = 'shop.example.com';
const [first, second] = [randomBytes(32), randomBytes(32)];
const keyringOf = (...keys: Uint8Array[]) => createKeyring({ name: 'test', keys: () => keys });

describe('the response to a keyed challenge', () => {
  it('is the same on every node that has the key, in whatever order', () => {
    const { token, response } = createKeyedChallenge(keyringOf(first), HOST);
    for (const keyring of [keyringOf(first), keyringOf(first, second), keyringOf(second, first)])
      expect(respondToKeyed(keyring, HOST, token)).toBe(response);
  });

  it('is for one name and one token, and cannot be made with another key', () => {
    const keyring = keyringOf(first);
    const one = createKeyedChallenge(keyring, HOST);
    const other = createKeyedChallenge(keyring, HOST);
    const foreign = createKeyedChallenge(keyringOf(second), HOST);
    expect(other.token).not.toBe(one.token);
    expect(other.response.replace(other.token, '')).not.toBe(one.response.replace(one.token, ''));
    expect(respondToKeyed(keyring, 'other.example.com', one.token)).not.toBe(one.response);
    expect(respondToKeyed(keyring, HOST, foreign.token)).toBe(null);
  });

  it('does not exist for tokens of other kinds', () => {
    const { token } = createKeyedChallenge(keyringOf(first), HOST);
    const sealed = Buffer.from(keyringOf(first).seal(new Uint8Array(24), { kind: 'order', id: HOST }));
    const others = ['', 'x'.repeat(43), token.slice(0, -1), `${token}A`, `np-${sealed.toString('base64url')}`, 'np-'];
    for (const other of others) expect(respondToKeyed(keyringOf(first), HOST, other)).toBe(null);
  });

  it('needs a key', () => {
    expect(() => createKeyedChallenge(keyringOf(), HOST)).toThrow('cannot be sealed');
  });
});
