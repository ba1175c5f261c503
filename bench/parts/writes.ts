import { DatabaseSync } from 'node:sqlite';
import { type Domain, WINDOW_MS } from '../../src/domain/domain.ts';
import { idMaker } from '../../src/ids.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { offer } from '../part.ts';
import { inserting, newDomain, type Population, steady } from '../population.ts';

/** Writes of new domains: through the store, and by the bare engine. */
const methods = {
  /** So many at a time; each begins when one is committed. */
  async store({ path, ids }: Population, atOnce: number, seconds: number): Promise<Written> {
    const store = await sqliteStore({ path });
    const began = performance.now();
    let writes = 0;
    async function writeOn(): Promise<void> {
      while (performance.now() - began < seconds * 1000) {
        const domain = { ...newDomain(ids, newId('dom'), uniqueName(), Date.now()), status: 'pending' as const };
        const { kind } = await store.createDomain(domain, domain.createdAt + WINDOW_MS);
        if (kind !== 'created') throw new Error(`a domain was not created: ${kind}`);
        writes++;
      }
    }
    await Promise.all(Array.from({ length: atOnce }, writeOn));
    const took = (performance.now() - began) / 1000;
    await store.close();
    return { writes, seconds: took };
  },

  /** The same rows, so many domains in one commit, and no work besides. */
  engine({ path, ids }: Population, group: number, seconds: number): Written {
    const db = new DatabaseSync(path, { timeout: 5000 });
    db.exec('pragma synchronous = full');
    const inserts = inserting(db);
    const began = performance.now();
    let writes = 0;
    while (performance.now() - began < seconds * 1000) {
      db.exec('begin immediate');
      for (let i = 0; i < group; i++) {
        const domain: Domain = newDomain(ids, newId('dom'), uniqueName(), Date.now());
        inserts.domain(domain);
        inserts.check(domain.id, domain.createdAt, domain.createdAt + WINDOW_MS, steady(0));
        inserts.event(
          newId('evt'),
          domain.id,
          domain.workspaceId,
          'domain.created',
          eventData(domain),
          domain.createdAt,
        );
      }
      db.exec('commit');
      writes += group;
    }
    const took = (performance.now() - began) / 1000;
    db.close();
    return { writes, seconds: took };
  },
};

export interface Written {
  writes: number;
  seconds: number;
}

const newId = idMaker({ now: Date.now });
let names = 0;

function uniqueName(): string {
  return `w${++names}.p${process.pid}.written.test`;
}

function eventData({ name, environmentId, status }: Domain): string {
  const records = { routingVerified: false, ownershipVerified: false, verificationError: null };
  return JSON.stringify({ name, environmentId, status, ...records });
}

export type Writes = typeof methods;
offer(methods);
