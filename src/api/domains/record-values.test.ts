import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newTarget, newToken } from './record-values.ts';

describe('a target', () => {
  it('is a letter and 19 lower-case letters and digits under the CNAME zone', () => {
    for (let i = 0; i < 200; i += 1) {
      expect(newTarget('cname.platform.test', randomBytes)).toMatch(/^[a-z][a-z0-9]{19}\.cname\.platform\.test$/);
    }
  });
});

describe('a token', () => {
  it('is 24 letters and digits', () => {
    for (let i = 0; i < 200; i += 1) expect(newToken(randomBytes)).toMatch(/^[a-zA-Z0-9]{24}$/);
  });

  it('has every character for equally many values of a random byte', () => {
    const counts = new Map<string, number>();
    for (let value = 0; value < 256; value += 1) {
      let draws = 0;
      const token = newToken((length) => new Uint8Array(length).fill(draws++ === 0 ? value : 0));
      // Drawn a second time: the value is one of the few that are thrown away.
      if (draws === 1) counts.set(token.charAt(0), (counts.get(token.charAt(0)) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  it('and a target are fresh every time', () => {
    const made = Array.from({ length: 500 }, () => [newToken(randomBytes), newTarget('c.test', randomBytes)]).flat();
    expect(new Set(made).size).toBe(1000);
  });
});
