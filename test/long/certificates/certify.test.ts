import { afterAll, beforeAll, expect, test } from 'vitest';
import { certify } from '../../certificates/live/certify.ts';
import { createIssuingSite, type IssuingSite } from '../../certificates/live/site.ts';

let site: IssuingSite;
beforeAll(async () => {
  site = await createIssuingSite();
});
afterAll(() => site.close());

test('1,000 names from their creation to HTTPS: each ordered once, and served with a chain to the CA, its name and its key', async () => {
  const certified = await certify(site, 1000);
  console.log(certified);
  expect(certified.names).toBe(1000);
});
