import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { CaLimit, DueCertificate, Store } from '../../server/src/store/store.ts';
import { aLedgerEntry, anIssuer, anOrder, aSave, verify } from '../support/certificates.ts';
import { NOW, plant } from '../support/entities.ts';
import type { Subject } from './subject.ts';

// Compares the ledger with a plain list of orders (the model), over random orders and outcomes.

const LIMITS: CaLimit[] = [
  { name: 'orders', limit: 4, windowMs: 300 },
  { name: 'failures', limit: 2, windowMs: 100 },
  { name: 'certificates', limit: 3, windowMs: 700 },
  { name: 'duplicates', limit: 2, windowMs: 700 },
];
const NAMES = 3;
/** Longer than a lease. */
const STEP_MS = 2;
const YEAR_MS = 31_536_000_000;

/** An order in the model. */
interface ModelOrder {
  /** The CA's answer, with its URL, was saved. */
  isKnown: boolean;
  name: number;
  domain: string;
  exempt: boolean;
  outcome: 'issued' | 'failed' | null;
  orderedAt: number;
  countedAt: number;
}

type Step =
  | { do: 'order'; name: number; exempt: boolean; isKnown: boolean }
  | { do: 'end'; name: number; outcome: 'issued' | 'failed' }
  /** Until the next step comes at the moment at which the last limit has capacity again, or as much sooner. */
  | { do: 'wait'; soonerMs: number };

const name = fc.nat(NAMES - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      name,
      exempt: fc.boolean(),
      isKnown: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('end' as const), name, outcome: fc.constantFrom('issued', 'failed') }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), soonerMs: fc.constantFrom(0, 1, 50) }) },
);

const counted: Record<CaLimit['name'], (entry: ModelOrder, order: ModelOrder) => boolean> = {
  orders: ({ exempt }) => !exempt,
  failures: ({ name, outcome }, order) => name === order.name && outcome !== 'issued',
  certificates: ({ domain, exempt, outcome }, order) => domain === order.domain && !exempt && outcome !== 'failed',
  duplicates: ({ name, exempt, outcome }, order) => name === order.name && !exempt && outcome !== 'failed',
};

/** Which limit forbids the order, and until when: tries each moment at which an order leaves a window. */
function expected(model: ModelOrder[], order: ModelOrder, now: number) {
  const reachedUntil = ({ name, limit, windowMs }: CaLimit): number => {
    const times = model
      .filter((entry) => counted[name](entry, order))
      .map((entry) => (name === 'orders' ? entry.orderedAt : entry.countedAt));
    const hasCapacityAt = (at: number) => times.filter((time) => time > at - windowMs).length < limit;
    const moments = [now, ...times.map((time) => time + windowMs)].filter((at) => at >= now);
    return moments.toSorted((a, b) => a - b).find(hasCapacityAt) ?? Number.NaN;
  };
  const limits = order.exempt ? LIMITS.filter(({ name }) => name === 'failures') : LIMITS;
  const until = Math.max(...limits.map(reachedUntil));
  if (until === now) return { kind: 'begun' };
  const names = limits.filter((limit) => reachedUntil(limit) === until).map((limit) => limit.name);
  return { kind: 'limit_reached', until, limit: expect.toSatisfy((name: CaLimit['name']) => names.includes(name)) };
}

/** Leases the name, also where it is leased already. */
async function lease(store: Store, hostname: string, now: number): Promise<DueCertificate> {
  await store.renewCertificate(hostname, now);
  const due = await store.claimCertificates({ now, limit: NAMES, leaseMs: 1, newNames: true });
  const leased = due.find(({ certificate }) => certificate.hostname === hostname);
  if (leased === undefined) throw new Error(`${hostname} could not be leased`);
  return leased;
}

export function describeLedgerHistories(subject: Subject): void {
  it('in any history an order begins exactly when every limit has capacity, and the time of the next capacity is exact', async () => {
    const { store, close } = await subject.open();
    const { environment } = await plant(store);
    let beginsAt = NOW;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        beginsAt += YEAR_MS;
        const issuer = anIssuer();
        const domains: Domain[] = [];
        for (let i = 0; i < NAMES; i++) domains.push(await verify(store, environment, { at: beginsAt }));
        const model: ModelOrder[] = [];
        const inFlight = new Map<number, ModelOrder>();
        let now = beginsAt;
        let until = now;
        for (const step of steps) {
          if (step.do === 'wait') {
            now = Math.max(now, until - STEP_MS - step.soonerMs);
            continue;
          }
          now += STEP_MS;
          const hostname = domains[step.name]?.name ?? '';
          const due = await lease(store, hostname, now);
          if (step.do === 'end') {
            const ended = inFlight.get(step.name);
            inFlight.delete(step.name);
            if (ended !== undefined) Object.assign(ended, { outcome: step.outcome, countedAt: now });
            await store.saveCertificate(aSave(due, { orderOutcome: step.outcome, nextTryAt: now, now }));
            continue;
          }
          const registeredDomain = step.name === 0 ? 'acme.org' : 'acme.com';
          const times = { orderedAt: now, countedAt: now };
          const { exempt, isKnown } = step;
          const about = { name: step.name, domain: registeredDomain, exempt, isKnown };
          const modelOrder: ModelOrder = { ...about, outcome: null, ...times };
          const replaced = inFlight.get(step.name);
          // An order that was not known when another replaced it cannot have been completed.
          if (replaced?.isKnown === false) replaced.outcome = 'failed';
          const order = anOrder({ hostname, issuer, startedAt: now });
          const entry = aLedgerEntry({ hostname, issuer, registeredDomain, exempt });
          const begun = await store.beginOrder({ lease: due.lease, order, entry, limits: LIMITS, now });
          expect(begun).toEqual(expected(model, modelOrder, now));
          if (begun.kind === 'limit_reached') until = begun.until;
          if (begun.kind !== 'begun') continue;
          if (isKnown) await store.saveOrderUrl(hostname, due.lease, `https://ca.example/${now}`);
          model.push(modelOrder);
          inFlight.set(step.name, modelOrder);
        }
        // A lease left from this history would be claimed in the next.
        for (const { workspaceId, id } of domains) await store.deleteDomain(workspaceId, id, now);
      }),
      { numRuns: 25 },
    );
    await close();
  });
}
