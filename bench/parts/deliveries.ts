import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { createDialer } from '../../server/src/net/dialer.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { postgresStore } from '../../server/src/store/engine/postgres/postgres.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createDeliveryWorker, MAX_IN_FLIGHT } from '../../server/src/webhooks/delivery-worker.ts';
import { createSender } from '../../server/src/webhooks/sender.ts';
import { addressOf } from '../../test/support/postgres.ts';
import { type Checking, prepareChecks } from '../checking.ts';
import { cpuMicros, offer } from '../part.ts';
import { newDomain, type Population } from '../population.ts';

/**
 * Checks and deliveries in one event loop, as in the background thread, and the changes that are delivered. Real
 * stores, DNS packets and HTTP.
 */
const methods = {
  async open(options: DeliveriesOptions): Promise<void> {
    const { database, ids, port, url } = options;
    store =
      'path' in database ? await sqliteStore(database) : await postgresStore({ address: addressOf(database.url) });
    checking = await prepareChecks(store, { port, checkIntervalMs: CHECK_INTERVAL_MS });
    webhook = { id: newId('wh'), workspaceId: ids.workspaceId, url, types: null, createdAt: Date.now() };
    const state = { updatedAt: null, disabledAt: null, disabledReason: null, failingSince: null };
    const secret = new Uint8Array(Buffer.from(`whsec_${Buffer.alloc(24, 1).toString('base64')}`));
    await store.createWebhook({ ...webhook, ...state }, { id: newId('whs'), secret, createdAt: Date.now() }, 1);
    for (let number = 0; number < CHANGING; number++) {
      const now = Date.now();
      const about = newDomain(ids, newId('dom'), `c${number}.changing.test`, now);
      const domain: Domain = { ...about, status: 'pending', updatedAt: null, revision: 1 };
      await store.createDomain(domain, now + WINDOW_MS);
      changing.push(domain);
    }
  },

  /**
   * So many events a second for so long, each of a change; delivered if `delivering`, and of interest to nobody
   * otherwise.
   */
  async run({ seconds, perSecond, delivering }: DeliveriesRun): Promise<RanDelivering> {
    const { store, checking, webhook } = opened();
    await store.updateWebhook(webhook.workspaceId, webhook.id, { enabled: delivering }, Date.now());
    const dialer = createDialer({ mayDial: addressRule(['127.0.0.0/8']), lookUp: async () => [] });
    const sender = createSender({ dialer, schemes: ['http'], connections: MAX_IN_FLIGHT });
    const metrics = createMetrics();
    const working = { clock: systemClock, random: Math.random, log: createLog('warn'), metrics };
    const worker = createDeliveryWorker({ ...working, store, sender });
    const count = async () => {
      const { values } = await metrics.deliveries.get();
      return values.find(({ labels }) => labels.outcome === 'delivered')?.value ?? 0;
    };
    checking.start();
    worker.start();
    const changes = startChanges(perSecond, worker.wake);
    // Until delegations are cached and what was overdue is done.
    await delay(seconds * 1000);
    await checking.report();
    const since = Date.now();
    const first = { delivered: await count(), events: changes.count(), micros: cpuMicros(), at: performance.now() };
    await delay(seconds * 1000);
    const took = (performance.now() - first.at) / 1000;
    const { checks, latenessMs } = await checking.report();
    const ran = {
      since,
      checks: checks / took,
      latenessMs,
      events: (changes.count() - first.events) / took,
      delivered: ((await count()) - first.delivered) / took,
      waiting: (await store.deliveryBacklog()).waiting,
      cpuCores: (cpuMicros() - first.micros) / 1e6 / took,
    };
    await changes.stop();
    await Promise.all([checking.stop(), worker.stop(10_000)]);
    sender.stop();
    return ran;
  },
};

export interface DeliveriesOptions {
  database: { path: string } | { url: string };
  ids: Population['ids'];
  /** Port of the nameserver. */
  port: number;
  /** Address of the receiver. */
  url: string;
}

export interface DeliveriesRun {
  seconds: number;
  perSecond: number;
  delivering: boolean;
}

/** A second; `latenessMs` of each claimed check. */
export interface RanDelivering {
  /** Unix ms: what came before warmed up. */
  since: number;
  checks: number;
  latenessMs: number[];
  events: number;
  delivered: number;
  /** At the end. */
  waiting: number;
  /** CPU time of this process. */
  cpuCores: number;
}

const TICK_MS = 10;
/** Domains that change. */
const CHANGING = 500;

const newId = idMaker(systemClock);
let store: Store | undefined;
let checking: Checking | undefined;
let webhook: { id: string; workspaceId: string; url: string; types: null; createdAt: number } | undefined;
const changing: Domain[] = [];

function opened() {
  if (store === undefined || checking === undefined || webhook === undefined) throw new Error('nothing was opened');
  return { store, checking, webhook };
}

/** Flags of domains that come and go, as checks save them: each is an event. */
function startChanges(perSecond: number, onChange: () => void) {
  const { store } = opened();
  const inFlight = new Set<Promise<void>>();
  const began = performance.now();
  let begun = 0;
  let done = 0;

  async function change(i: number): Promise<void> {
    const before = changing[i];
    if (before === undefined) throw new Error('no domains were made that change');
    const now = Date.now();
    const routingVerifiedAt = before.routingVerifiedAt === null ? now : null;
    const revision = before.revision + 1;
    const after: Domain = { ...before, status: 'verifying', routingVerifiedAt, updatedAt: now, revision };
    const saved = await store.saveTransition({ before, after, memory: NO_MEMORY, now });
    // A check has saved it meanwhile.
    changing[i] = saved === 'saved' ? after : ((await store.findDomainById(before.workspaceId, before.id)) ?? before);
    if (saved === 'stale') return;
    done += 1;
    onChange();
  }

  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * perSecond;
    for (; begun < due; begun++) {
      const each = change(begun % changing.length).finally(() => inFlight.delete(each));
      inFlight.add(each);
    }
  }, TICK_MS);
  return {
    count: () => done,
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
    },
  };
}

export type DeliveriesPart = typeof methods;
offer(methods, async () => {
  await checking?.close();
  await store?.close();
});
