import { expect, it } from 'vitest';
import type { CallOperation } from './door.ts';
import { sitesIn } from './shown-sites.ts';

it('one request reads no more than 20,000 domains, and says then how to go on', async () => {
  let read = 0;
  const endless: CallOperation = async (_, { limit }: { limit?: number }) => {
    read += limit ?? 0;
    return { data: Array(limit).fill({}), pagination: { cursor: 'more' } };
  };
  const all = (async () => {
    for await (const _ of sitesIn(endless, 'env_1'));
  })();
  await expect(all).rejects.toMatchObject({
    code: 'validation/invalid_input',
    errors: [{ message: expect.stringContaining('domains.listWorkspaceDomains') }],
  });
  expect(read).toBe(20_000);
});
