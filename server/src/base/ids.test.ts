import { randomBytes } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { idMaker, newTarget, newToken, pooled } from './ids.ts';

function at(times: number[]): { now(): number } {
  let calls = 0;
  return { now: () => times[Math.min(calls++, times.length - 1)] ?? 0 };
}

/** The UUID in a TypeID (TypeID specification: base32, most significant digit first). */
function uuidOf(id: string): string {
  const digits = [...(id.split('_')[1] ?? '')].map((character) =>
    '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(character),
  );
  const hex = digits
    .reduce((value, digit) => value * 32n + BigInt(digit), 0n)
    .toString(16)
    .padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

test('an id is its prefix and 26 letters and digits, as the specification wants ids to be', () => {
  expect(idMaker({ now: () => 1_800_000_000_000 })('dom')).toMatch(/^dom_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
});

test('an id holds a UUID of version 7: the time of its making, a counter, and 62 random bits', () => {
  const ones = (bytes: number) => new Uint8Array(bytes).fill(255);
  const newId = idMaker({ now: () => 0x0123456789ab }, ones);
  expect(uuidOf(newId('dom'))).toBe('01234567-89ab-7000-bfff-ffffffffffff');
  expect(uuidOf(newId('dom'))).toBe('01234567-89ab-7001-bfff-ffffffffffff');
  for (let made = 2; made < 0xfff; made++) newId('dom');
  expect(uuidOf(newId('dom'))).toBe('01234567-89ab-7fff-bfff-ffffffffffff');
  expect(uuidOf(newId('dom'))).toBe('01234567-89ac-7000-bfff-ffffffffffff');
});

test('each random bit of an id is as often 0 as 1, and no random byte is used twice', () => {
  const IDS = 4000;
  const newId = idMaker({ now: () => 5 });
  const randomPart = () => BigInt(`0x${uuidOf(newId('dom')).replaceAll('-', '').slice(16)}`) & ((1n << 62n) - 1n);
  const parts = Array.from({ length: IDS }, randomPart);
  expect(new Set(parts).size).toBe(IDS);
  for (let bit = 0n; bit < 62n; bit++) {
    const ones = parts.filter((part) => (part >> bit) & 1n).length;
    // Eight standard deviations.
    expect(Math.abs(ones - IDS / 2)).toBeLessThan(8 * Math.sqrt(IDS / 4));
  }
});

test.each([
  ['within one millisecond', [5]],
  ['when the clock stands still for longer than its counter lasts', Array(10_000).fill(5)],
  ['when the clock steps back by hours', [50_000_000, 50_000_001, 1000, 1001, 50_000_000]],
  ['as time passes', Array.from({ length: 10_000 }, (_, i) => i)],
])('ids are in the order of their making, and none comes twice: %s', (_, times) => {
  const newId = idMaker(at(times));
  const ids = Array.from({ length: 10_000 }, () => newId('dom'));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('two makers with one clock make different ids', () => {
  const clock = { now: () => 5 };
  expect(idMaker(clock)('dom')).not.toBe(idMaker(clock)('dom'));
});

test('random bytes that are taken many at a time are never given twice, and as many as asked for', () => {
  const take = pooled(randomBytes);
  const lengths = Array.from({ length: 3000 }, (_, i) => 16 + (i % 40));
  const taken = [...lengths, 10_000].map((length) => Buffer.from(take(length)));
  expect(taken.map(({ length }) => length)).toEqual([...lengths, 10_000]);
  expect(new Set(taken.map((bytes) => bytes.toString('hex', 0, 16))).size).toBe(taken.length);
});

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
