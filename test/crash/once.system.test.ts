import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../support/seeded-random.ts';
import { startServer } from '../support/server-process.ts';
import { createSite, plant } from '../support/server-site.ts';
import { createThrough, deploy, deploymentsIn, SCHEDULE } from './once.ts';

// `npm run test:long` kills more often, and on PostgreSQL too.
const KILLS = 4;

test('kill -9 between the commit and the response: a repeat gets the first result, and creates nothing', async () => {
  const site = await createSite(SCHEDULE);
  try {
    const tenant = await plant(site);
    const preload = `${import.meta.dirname}/dies-before-response.ts`;
    const about = { ...SCHEDULE, database: site.data.url, nameserverPort: site.dns.port };
    const dying = await startServer({ ...about, preload });
    await expect(deploy(dying.url, tenant, 'lost')).rejects.toThrow();
    await dying.ended;
    const [[, id] = []] = await deploymentsIn(site);
    expect(id).toMatch(/^dep_/);
    const server = await site.serve();
    const repeated = { status: 200, data: { deploymentId: id }, isReplayed: true };
    expect(await deploy(server.url, tenant, 'lost')).toEqual(repeated);
    expect(await deploy(server.url, tenant, 'lost')).toEqual(repeated);
    expect(await deploymentsIn(site)).toEqual([['lost', id]]);
  } finally {
    await site.close();
  }
});

test('kill -9 at any moment: a client that repeats a creation until there is a response has created exactly once', async () => {
  const tried = await createThrough(KILLS, seeded(chooseSeed()));
  console.log(tried);
  expect(tried.kills).toBe(KILLS);
}, 120_000);
