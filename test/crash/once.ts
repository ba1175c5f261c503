import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PostgresServer } from '../support/postgres.ts';
import type { Random } from '../support/seeded-random.ts';
import { embedded, onPostgres } from '../support/server-data.ts';
import { createSite, plant, type Site, type Tenant } from '../support/server-site.ts';

/** Counts of the attempts. */
export interface Tried extends Record<string, number> {
  kills: number;
  /** Things that were to be created, each under a key of its own. */
  keys: number;
  /** Requests that got no response. */
  lost: number;
  /** Responses that repeated an earlier one. */
  replayed: number;
}

export const SCHEDULE = { checkIntervalMs: 60_000, windowMs: 3_600_000 };
const CLIENTS = 6;

/** The response to a creation under a key; rejects when there is none. */
export async function deploy(url: string, { key }: Tenant, idempotencyKey: string) {
  const origin = `https://${idempotencyKey}.acme.example`;
  const response = await fetch(`${url}/v2/deployments.createDeployment`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify({ project: 'ppp', app: 'aaa', environment: 'eee', origin }),
  });
  const { data } = (await response.json()) as { data?: { deploymentId: string } };
  return { status: response.status, data, isReplayed: response.headers.get('idempotency-replayed') === 'true' };
}

/** Ids of all deployments, by their origin's key. */
export async function deploymentsIn({ data }: Site): Promise<[key: string, id: string][]> {
  const rows = await data.query('select id, origin from deployments');
  return rows.map(({ id, origin }) => [String(origin).replace(/^https:..|\.acme\.example$/g, ''), String(id)]);
}

/**
 * Kills the server `kills` times while clients create deployments, some of them two at once under one key. Whoever gets
 * no response repeats the request until there is one. At the end each key has created exactly one deployment, which
 * every response has named.
 */
export async function createThrough(kills: number, random: Random, postgres?: PostgresServer): Promise<Tried> {
  const site = await createSite(SCHEDULE, postgres === undefined ? embedded : onPostgres(postgres));
  const tried: Tried = { kills: 0, keys: 0, lost: 0, replayed: 0 };
  const created = new Map<string, string>();
  const owed: string[] = [];
  try {
    const tenant = await plant(site);

    /** False where there was no response. */
    async function request(url: string, key: string): Promise<boolean> {
      const answer = await deploy(url, tenant, key).catch(() => null);
      if (answer === null) {
        tried.lost += 1;
        return false;
      }
      if (answer.status === 409) return request(url, key);
      expect(answer.status).toBe(200);
      const id = answer.data?.deploymentId ?? '';
      expect(created.get(key) ?? id).toBe(id);
      created.set(key, id);
      if (answer.isReplayed) tried.replayed += 1;
      return true;
    }

    /** Creates until a request gets no response, or until `isOver`. */
    async function createMany(url: string, isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        const key = owed.pop() ?? `key-${tried.keys++}`;
        const requests = Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => request(url, key));
        if ((await Promise.all(requests)).includes(true)) continue;
        owed.push(key);
        return;
      }
    }

    while (tried.kills < kills) {
      const server = await site.serve();
      const clients = Array.from({ length: CLIENTS }, () => createMany(server.url, () => false));
      await delay(random.between(0, 400));
      await server.kill();
      await Promise.all(clients);
      expect(server.errors()).toEqual([]);
      tried.kills += 1;
    }
    const server = await site.serve();
    await createMany(server.url, () => owed.length === 0);
    const found = await deploymentsIn(site);
    expect(found.toSorted()).toEqual([...created].toSorted());
    expect(created.size).toBe(tried.keys);
    return tried;
  } finally {
    await site.close();
  }
}
