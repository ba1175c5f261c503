import { expect, test } from 'vitest';
import { aliveAddresses, HEARTBEAT_MS, type SeenEdges, seeEdges } from './edges.ts';

/** The answers after each look, two seconds apart; a look has the heartbeats of edges by their own clocks. */
function answered(looks: Record<string, number>[]): string[] {
  let edges: SeenEdges = new Map();
  return looks.map((beats, i) => {
    const now = i * HEARTBEAT_MS;
    const read = Object.entries(beats).map(([address, seenAt]) => ({ address, seenAt }));
    edges = seeEdges(edges, read, now);
    return aliveAddresses(edges, now).join();
  });
}

const looks = (count: number, beatsAt: (i: number) => Record<string, number>) =>
  Array.from({ length: count }, (_, i) => beatsAt(i));

test('an edge that reports no more leaves the answers within 12 s, and is back at its next report', () => {
  const dead = looks(12, (i) => ({ a: i, b: i === 11 ? 100 : 0 }));
  expect(answered(dead)).toEqual([...Array(5).fill('a,b'), ...Array(6).fill('a'), 'a,b']);
});

test('the clocks of edges do not matter', () => {
  expect(new Set(answered(looks(20, (i) => ({ a: 1e12 + i, b: 5 - i }))))).toEqual(new Set(['a,b']));
});

test('where all are dead, all are answered', () => {
  expect(new Set(answered(looks(20, () => ({ a: 1, b: 2 }))))).toEqual(new Set(['a,b']));
});

test('an edge that the store has forgotten is answered no more, and none is where none has reported', () => {
  expect(answered([{ a: 1, b: 1 }, { b: 2 }, {}])).toEqual(['a,b', 'b', '']);
});
