import { expect, it } from 'vitest';
import { writes } from '../sql/writes.ts';
import { sqliteWrites } from './sqlite-writes.ts';

it("SQLite's own writes do not wait for the disk", () => {
  expect(Object.values(sqliteWrites).filter(({ synced }) => (synced as () => boolean)())).toEqual([]);
});

it('no two writes share a name, by which the writer thread finds them', () => {
  const names = [...Object.values(writes), ...Object.values(sqliteWrites)].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
