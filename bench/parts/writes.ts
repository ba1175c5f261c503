import { DatabaseSync } from 'node:sqlite';
import { idMaker } from '../../server/src/base/ids.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { offer } from '../part.ts';
import { inserting, newCheck, newDomain, type Population } from '../population.ts';

/** The rows of new domains, written by the bare engine. */
const methods = {
  /** So many domains in one synced commit, and no work besides. */
  write({ path, ids }: Population, group: number, seconds: number): Written {
    const db = new DatabaseSync(path, { timeout: 5000 });
    db.exec('pragma synchronous = full');
    const insert = inserting(db);
    const began = performance.now();
    let writes = 0;
    while (performance.now() - began < seconds * 1000) {
      db.exec('begin immediate');
      for (let i = 0; i < group; i++) {
        const domain = newDomain(ids, newId('dom'), `w${++names}.p${process.pid}.written.test`, Date.now());
        insert('domains', domain);
        insert('checks', newCheck(domain, domain.createdAt, 0));
        insert('events', eventOf(domain));
      }
      db.exec('commit');
      writes += group;
    }
    const took = (performance.now() - began) / 1000;
    db.close();
    return { writes, seconds: took };
  },
};

interface Written {
  writes: number;
  seconds: number;
}

const newId = idMaker({ now: Date.now });
let names = 0;

function eventOf({ id, workspaceId, name, environmentId, status, createdAt }: Domain) {
  const records = { routingVerified: false, ownershipVerified: false, verificationError: null };
  const data = JSON.stringify({ name, environmentId, status, ...records });
  return { id: newId('evt'), domainId: id, workspaceId, type: 'domain.created', data, createdAt };
}

export type Writes = typeof methods;
offer(methods);
