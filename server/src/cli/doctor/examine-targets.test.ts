import { expect, test } from 'vitest';
import { examineTargets } from './examine-store.ts';

test('a search for targets that takes too long is a warning, and the store is closed', async () => {
  let isClosed = false;
  const store = {
    findTargetOutside: () => Promise.reject(new Error('the statement took longer than 4 s')),
    close: async () => {
      isClosed = true;
    },
  };
  const database = { open: async () => store };
  const results = await examineTargets({ resolvers: [], cnameZone: 'cname.example.com', isEdge: true, database });
  expect(results).toEqual([expect.objectContaining({ level: 'warn', found: 'the statement took longer than 4 s' })]);
  expect(isClosed).toBe(true);
});
