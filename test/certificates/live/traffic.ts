import { setTimeout as delay } from 'node:timers/promises';
import { type Store, StoreUnavailable } from '../../../server/src/store/store.ts';
import type { Random } from '../../support/seeded-random.ts';
import { addName, nameOf } from './names.ts';
import type { Killed } from './orders.ts';
import type { IssuingSite } from './site.ts';
import { visit } from './visitor.ts';

/** Load while nodes die: adds names, renews certificates early, and visits names. */
export interface Traffic {
  tally: {
    /** Responses over HTTPS with a trusted certificate, and how many of these from names that are being renewed. */
    visits: number;
    'visits while renewing': number;
    /** Connections that broke with the node. */
    'visits broken off': number;
  };
  /** Rejects at the first failure. */
  failed: Promise<never>;
  /** Stops. Resolves with all names. */
  stop(): Promise<string[]>;
}

/** Renewals at once. */
const RENEWING = 8;
/** A connection may break with a node, which is recorded a moment later. */
const AROUND_MS = 2000;
const BROKEN = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'];

/** A slow store of the test itself proves nothing about the servers. */
function orLate(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

export interface TrafficOptions {
  random: Random;
  /** Nodes that were killed or stopped. */
  kills: readonly Killed[];
  /** Most names that wait for their certificates. */
  waiting: number;
}

export function startTraffic(site: IssuingSite, store: Store, { random, kills, waiting }: TrafficOptions): Traffic {
  const tally = { visits: 0, 'visits while renewing': 0, 'visits broken off': 0 };
  const names: string[] = [];
  const certified = new Set<string>();
  let stopped = false;

  async function add(): Promise<void> {
    const { issued = 0, renewing = 0 } = await store.countCertificates();
    if (names.length - issued - renewing >= waiting) return;
    const name = nameOf(names.length);
    names.push(name);
    await addName(site, name);
  }

  async function renew(): Promise<void> {
    const found = (await store.listCertificates({ limit: 1000, state: 'issued' })).items;
    for (const { hostname } of found) certified.add(hostname);
    const { renewing = 0 } = await store.countCertificates();
    const hostname = random.pick([...certified]);
    if (hostname !== undefined && renewing < RENEWING) await store.renewCertificate(hostname, Date.now());
  }

  async function visitOne(): Promise<void> {
    const { items } = await store.listCertificates({ limit: 100, state: 'renewing' });
    const renewing = items.map(({ hostname }) => hostname);
    const isRenewing = renewing.length > 0 && random.chance(0.7);
    const name = random.pick(isRenewing ? renewing : [...certified]);
    if (name === undefined) return;
    const beganAt = Date.now();
    try {
      await visit(site, name);
      tally.visits += 1;
      if (isRenewing) tally['visits while renewing'] += 1;
    } catch (error) {
      const isBroken = error instanceof Error && 'code' in error && BROKEN.includes(String(error.code));
      // Its exit is recorded a moment later.
      await delay(AROUND_MS);
      if (!isBroken || kills.every(({ at }) => at < beganAt - AROUND_MS))
        throw new Error(`${name} is not served`, { cause: error });
      tally['visits broken off'] += 1;
    }
  }

  const repeated = async (work: () => Promise<void>, pauseMs: number) => {
    while (!stopped) {
      await work().catch(orLate);
      await delay(random.between(0, 2 * pauseMs));
    }
  };
  const running = Promise.all([
    repeated(add, 300),
    repeated(renew, 300),
    repeated(visitOne, 50),
    repeated(visitOne, 50),
  ]);
  const failed = running.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});

  return {
    tally,
    failed,
    async stop() {
      stopped = true;
      await running;
      return names;
    },
  };
}
