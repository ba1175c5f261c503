import { LETS_ENCRYPT_LIMITS } from '../../server/src/certificates/policy/budget.ts';
import type { CertificateWorker } from '../../server/src/certificates/worker/certificate-worker.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { challengeName, challengeTarget, isWildcard } from '../../server/src/domain/wildcard.ts';
import type { Store } from '../../server/src/store/store.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { CHALLENGE_ZONE, createWorld, TLS_ONLY, type World } from './world.ts';
import { createTroubles, type Note } from './year-troubles.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a name may be without a certificate after it points to us, for the first time or again. */
const GRACE_MS = 2 * DAY;

export interface YearOptions {
  seed: number;
  days: number;
  names: number;
  /** How many CAs there are. One of two fails for a week now and then. */
  cas: 1 | 2;
  /** Lifetimes of certificates in days, each for as long as the others. */
  lifetimes: readonly number[];
}

export interface Year {
  /** Names that pointed to us without a certificate in use, and when; expected to be empty. */
  uncertified: string[];
  /** Orders beyond a published limit of a CA; expected to be 0. */
  exceeded: string[];
  certificates: number;
  /** Certificates by the kind of name: the type of the challenge, and `wildcard` among those of `dns-01`. */
  proofs: Record<string, number>;
  orders: number;
  exempt: number;
  /** Counts of events at the CAs and at the nodes. */
  events: Record<string, number>;
  /** A line for each event of the first uncertified name, of the CAs and of the nodes, in the two weeks before. */
  history: string[];
}

/**
 * Simulates time, with all the faults of a year. Two runs with one seed have the same history: one attempt is made at a
 * time, and nodes, customers and troubles have a stream of random numbers each.
 */
export async function liveThrough({ seed, days, names, cas: count, lifetimes }: YearOptions): Promise<Year> {
  const random = seeded(seed);
  const world = await createWorld();
  try {
    const cas: FakeCa[] = [];
    while (cas.length < count) cas.push(await world.startCa({ limits: LETS_ENCRYPT_LIMITS }));
    const { note, historyOf } = createHistory(world);
    const stream = () => seeded(random.below(2 ** 31));
    const customers = createCustomers(world, stream(), note);
    const nodes = [1, 2].map((serial) =>
      createNode(world, cas, stream(), (of, what) => note(of, `${serial}: ${what}`)),
    );
    const troubles = createTroubles(world, cas, stream(), note);
    const uncertified = new Set<string>();
    let history: string[] = [];
    const began = world.clock.now();
    let seenAt = began;
    const lasts = () => world.clock.now() - began;

    for (let at = 0; at < names; at++) await customers.add();
    while (lasts() < days * DAY) {
      const lifetime = lifetimes[Math.floor((lasts() / (days * DAY)) * lifetimes.length)] ?? 0;
      for (const ca of cas) ca.settings.lifetimeMs = lifetime * DAY;
      const hours = (world.clock.now() - seenAt) / HOUR;
      seenAt = world.clock.now();
      troubles.happen(hours);
      await customers.live(hours);
      for (const node of nodes) node.live(hours, troubles.events);
      const [first, second] = random.chance(0.5) ? nodes : nodes.toReversed();
      await first?.runOnce();
      await second?.runOnce();
      const next = await customers.look(uncertified);
      if (history.length === 0 && uncertified.size > 0) history = historyOf([...uncertified][0] ?? '');
      world.clock.set(Math.min(Math.max(next, world.clock.now() + MINUTE), world.clock.now() + HOUR));
    }
    const spent = await Promise.all(cas.map(({ directoryUrl }) => world.store.countLedgerEntries(directoryUrl, 0)));
    return {
      uncertified: [...uncertified],
      exceeded: cas.flatMap(({ exceeded }) => exceeded.map((refused) => JSON.stringify(refused))),
      proofs: countProofs(cas),
      certificates: cas.reduce((sum, { certificates }) => sum + certificates.length, 0),
      orders: cas.reduce((sum, { requests }) => sum + requests.newOrder, 0),
      exempt: spent.reduce((sum, { exempt }) => sum + exempt, 0),
      events: troubles.events,
      history,
    };
  } finally {
    await world.close();
  }
}

/** How far back the history of an uncertified name goes. */
const HISTORY_MS = 14 * DAY;

function createHistory(world: World) {
  const all: { at: number; hostname: string | null; what: string }[] = [];
  return {
    note: (hostname: string | null, what: string) => void all.push({ at: world.clock.now(), hostname, what }),
    historyOf(name: string): string[] {
      const [hostname] = name.split(' ');
      const since = world.clock.now() - HISTORY_MS;
      return all
        .filter((one) => one.at >= since && (one.hostname === hostname || one.hostname === null))
        .map(({ at, what }) => `${dateOf(at)} ${what}`);
    },
  };
}

/** How names prove themselves, and how they begin and cease to: one after the other has the next kind. */
const PROOFS: { name(base: string): string; point(dns: World['dns'], domain: Proving, points: boolean): void }[] = [
  {
    name: (base) => base,
    point: (dns, { name }, points) => dns.set(name, 'A', [points ? '127.0.0.1' : '127.0.0.9']),
  },
  // A wildcard, whose challenge record leads to us.
  { name: (base) => `*.${base}`, point: delegateChallenges },
  // A name behind a proxy: its address is never ours.
  {
    name: (base) => base,
    point(dns, domain, points) {
      dns.set(domain.name, 'A', ['127.0.0.9']);
      delegateChallenges(dns, domain, points);
    },
  },
  // A name whose port 80 is closed.
  {
    name: (base) => base,
    point: (dns, { name }, points) => dns.set(name, 'A', [points ? TLS_ONLY : '127.0.0.9']),
  },
];

type Proving = Pick<Domain, 'name' | 'target' | 'token' | 'sharedAddresses'>;

function delegateChallenges(dns: World['dns'], domain: Proving, points: boolean): void {
  const name = challengeName(domain.name);
  if (points) dns.set(name, 'CNAME', [challengeTarget(domain, CHALLENGE_ZONE)]);
  else dns.remove(name, 'CNAME');
}

/** Names of few registered domains; some go away for a while, some are new. */
function createCustomers(world: World, random: Random, note: Note) {
  /** Since when each points to us; null: it does not. */
  const routed = new Map<string, number | null>();
  const domains = new Map<string, { domain: Domain; proof: (typeof PROOFS)[number] }>();
  let serial = 0;

  function point(name: string, points: boolean): void {
    const added = domains.get(name);
    added?.proof.point(world.dns, added.domain, points);
    routed.set(name, points ? world.clock.now() : null);
    note(name, points ? 'points to us' : 'points elsewhere');
  }

  async function add(): Promise<void> {
    serial += 1;
    const [first] = PROOFS;
    const proof = PROOFS[serial % PROOFS.length] ?? first;
    if (proof === undefined) return;
    const domain = await world.add({ name: proof.name(`n${serial}.customer${(serial >> 1) % 3}.com`) });
    domains.set(domain.name, { domain, proof });
    point(domain.name, true);
  }

  return {
    add,
    async live(hours: number): Promise<void> {
      if (random.chance(hours / (60 * 24))) await add();
      const name = random.pick([...routed.keys()]);
      if (name === undefined || !random.chance(hours / (30 * 24))) return;
      point(name, routed.get(name) === null);
    },
    /** Records names without a certificate that should have one. Resolves with the next due time. */
    async look(uncertified: Set<string>): Promise<number> {
      const now = world.clock.now();
      const { items } = await world.store.listCertificates({ limit: 1000 });
      for (const { hostname, issued } of items) {
        const since = routed.get(hostname) ?? now;
        const isCertified = issued !== null && now < issued.notAfter;
        if (!isCertified && now - since > GRACE_MS) uncertified.add(`${hostname} on ${dayOf(now)}`);
      }
      return Math.min(...items.map(({ nextTryAt }) => nextTryAt));
    },
  };
}

function countProofs(cas: readonly FakeCa[]): Record<string, number> {
  const counts: Record<string, number> = { 'http-01': 0, 'dns-01': 0, 'tls-alpn-01': 0, wildcard: 0 };
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  for (const { hostname, type } of cas.flatMap(({ certificates }) => certificates)) {
    count(type);
    if (isWildcard(hostname)) count('wildcard');
  }
  return counts;
}

const dateOf = (at: number) => new Date(at).toISOString();
const dayOf = (at: number) => dateOf(at).slice(0, 10);

type Begin = Parameters<Store['beginOrder']>[0];
type Result = Parameters<Store['saveCertificate']>[0];

/** A worker that crashes now and then, and restarts. */
function createNode(world: World, cas: FakeCa[], random: Random, note: Note) {
  let worker: CertificateWorker | null = null;
  let callsLeft = Number.POSITIVE_INFINITY;

  const store = (): Store =>
    new Proxy(world.store, {
      get(target, name: keyof Store) {
        const method = target[name];
        return async (...args: unknown[]) => {
          if (callsLeft <= 0) throw new Error('The node is dead.');
          callsLeft -= 1;
          if (name === 'saveCertificate') noteResult(args[0] as Result);
          const result = await Reflect.apply(method, target, args);
          if (name === 'beginOrder') noteOrder(args[0] as Begin, result);
          return result;
        };
      },
    });

  function noteResult({ hostname, state, problem, failures, nextTryAt, orderOutcome, issued }: Result): void {
    const order = orderOutcome === undefined ? '' : `, order ${orderOutcome}`;
    const until = issued === undefined ? '' : ` until ${dateOf(issued.notAfter)}`;
    const why = problem === null ? '' : `: ${problem.reason}, ${problem.message}`;
    note(hostname, `${state}, ${failures} failures, next ${dateOf(nextTryAt)}${order}${until}${why}`);
  }

  function noteOrder({ order }: Begin, { kind, limit }: { kind: string; limit?: string }): void {
    const ca = cas.findIndex(({ directoryUrl }) => directoryUrl === order.issuer) + 1;
    note(order.hostname, `order at CA ${ca}: ${limit ?? kind}`);
  }

  function start(): CertificateWorker {
    callsLeft = Number.POSITIVE_INFINITY;
    const mine = store();
    const issuers = cas.map((ca) => world.issuer(ca, { store: mine }));
    return world.worker(issuers, {
      store: mine,
      random: random.next,
      capacity: 1,
      selfCheckMs: 5000,
      dnsChallengeMs: 500,
    });
  }

  return {
    live(hours: number, events: Record<string, number>): void {
      worker ??= start();
      if (!random.chance(hours / (5 * 24))) return;
      events.crash = (events.crash ?? 0) + 1;
      note(null, 'crashes');
      callsLeft = random.between(1, 40);
    },
    async runOnce(): Promise<void> {
      await worker?.runOnce().catch(() => {});
      if (callsLeft > 0) return;
      await worker?.stop(0);
      worker = null;
    },
  };
}
