import { afterAll, beforeAll, expect, test } from 'vitest';
import { START_LIMIT_MS } from '../support/debian.ts';
import { certify } from './live/certify.ts';
import { createIssuingSite, type IssuingSite } from './live/site.ts';

let site: IssuingSite;
beforeAll(async () => {
  site = await createIssuingSite();
}, START_LIMIT_MS);
afterAll(() => site.close());

test('12 names from their creation to HTTPS: each ordered once, and served with a chain to the CA, its name and its key', async () => {
  const certified = await certify(site, 12);
  console.log(certified);
  expect(certified.names).toBe(12);
}, 180_000);
