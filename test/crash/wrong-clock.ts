import { expect } from 'vitest';
import { newDomain } from '../../server/src/domain/domain.ts';
import { databaseAt } from '../../server/src/store/database.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import type { embedded } from '../support/server-data.ts';
import type { Server } from '../support/server-process.ts';
import { createSite, plant, type Site, until } from '../support/server-site.ts';

export const DAY_MS = 86_400_000;
const DOMAINS = 120;

/** A site with domains that wait. */
export interface WaitingSite extends Site {
  /** Waits until each domain that still waits was claimed so many times. */
  claimed(times: number): Promise<void>;
  /** The same, so many times more. */
  claimedAgain(times: number): Promise<void>;
  failed(): Promise<number>;
}

/** Runs `story` on a site with domains that were created just now, and removes it. */
export async function whileDomainsWait(
  checkIntervalMs: number,
  story: (site: WaitingSite) => Promise<void>,
  makeData?: typeof embedded,
): Promise<void> {
  const site = await createSite({ checkIntervalMs, windowMs: DAY_MS }, makeData);
  const count = async (sql: string) => Number(Object.values((await site.data.query(sql))[0] ?? {})[0]);
  async function claimed(times: number): Promise<void> {
    const lacking = `select count(*) from checks where attempts < ${times}`;
    await until(`${times} claims of each domain`, async () => (await count(lacking)) === 0);
  }
  try {
    await createDomains(site);
    await story({
      ...site,
      claimed,
      claimedAgain: async (times) => claimed((await count('select min(attempts) from checks')) + times),
      failed: () => count("select count(*) from domains where status = 'failed'"),
    });
  } finally {
    await site.close();
  }
}

async function createDomains(site: Site): Promise<void> {
  const { workspaceId, environmentId } = await plant(site);
  const store = await (await databaseAt(parseDatabaseUrl(site.data.url))).open();
  const environment = await store.findEnvironment(workspaceId, { project: 'ppp', app: 'aaa', environment: 'eee' });
  if (environment === null) throw new Error('the environment is gone');
  const { projectId, appId } = environment;
  const createdAt = Date.now();
  const common = { workspaceId, projectId, appId, environmentId, kind: 'subdomain', service: 'service' } as const;
  const domains = Array.from({ length: DOMAINS }, (_, i) =>
    newDomain({
      ...{ ...common, createdAt, id: `dom_${i}`, name: `d${i}.acme.com` },
      ...{ target: `target${i}.cname.nameplate.test`, token: `token${i}` },
    }),
  );
  await store.createDomains(domains, createdAt + DAY_MS);
  await store.close();
}

/** Waits for a line of the server's log that begins so. */
export async function logged(server: Server, beginning: string): Promise<void> {
  await until(beginning, () => server.errors().some(({ msg }) => msg.startsWith(beginning)));
  expect(server.isRunning()).toBe(true);
}
