import { LETS_ENCRYPT_LIMITS } from '../../server/src/certificates/policy/budget.ts';
import type { CertificateWorker } from '../../server/src/certificates/worker/certificate-worker.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { challengeName, challengeTarget, isWildcard } from '../../server/src/domain/wildcard.ts';
import type { Store } from '../../server/src/store/store.ts';
import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { CHALLENGE_ZONE, createWorld, TLS_ONLY, type World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

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
}

/** Simulates time, with all the faults of a year. */
export async function liveThrough({ seed, days, names, cas: count, lifetimes }: YearOptions): Promise<Year> {
  const random = seeded(seed);
  const world = await createWorld();
  try {
    const cas: FakeCa[] = [];
    while (cas.length < count) cas.push(await world.startCa({ limits: LETS_ENCRYPT_LIMITS }));
    const customers = createCustomers(world, random);
    const nodes = [1, 2].map(() => createNode(world, cas, random));
    const troubles = createTroubles(world, cas, random);
    const uncertified = new Set<string>();
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
      await Promise.all(nodes.map((node) => node.runOnce()));
      const next = await customers.look(uncertified);
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
    };
  } finally {
    await world.close();
  }
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
function createCustomers(world: World, random: Random) {
  /** Since when each points to us; null: it does not. */
  const routed = new Map<string, number | null>();
  const domains = new Map<string, { domain: Domain; proof: (typeof PROOFS)[number] }>();
  let serial = 0;

  function point(name: string, points: boolean): void {
    const added = domains.get(name);
    added?.proof.point(world.dns, added.domain, points);
    routed.set(name, points ? world.clock.now() : null);
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

const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10);

/** A worker that crashes now and then, and restarts. */
function createNode(world: World, cas: FakeCa[], random: Random) {
  let worker: CertificateWorker | null = null;
  let callsLeft = Number.POSITIVE_INFINITY;

  const store = (): Store =>
    new Proxy(world.store, {
      get(target, name: keyof Store) {
        const method = target[name];
        return async (...args: unknown[]) => {
          if (callsLeft <= 0) throw new Error('The node is dead.');
          callsLeft -= 1;
          return Reflect.apply(method, target, args);
        };
      },
    });

  function start(): CertificateWorker {
    callsLeft = Number.POSITIVE_INFINITY;
    const mine = store();
    const issuers = cas.map((ca) => world.issuer(ca, { store: mine }));
    return world.worker(issuers, {
      store: mine,
      random: random.next,
      capacity: 10,
      selfCheckMs: 500,
      dnsChallengeMs: 500,
    });
  }

  return {
    live(hours: number, events: Record<string, number>): void {
      worker ??= start();
      if (!random.chance(hours / (5 * 24))) return;
      events.crash = (events.crash ?? 0) + 1;
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

/** The faults of CAs. */
function createTroubles(world: World, cas: FakeCa[], random: Random) {
  const events: Record<string, number> = {};
  const began = world.clock.now();
  const endings: { at: number; end(): void }[] = [];
  let lastReplaced = Number.NEGATIVE_INFINITY;
  let quietUntil = Number.NEGATIVE_INFINITY;

  /** Whether a CA may issue nothing for so long: no CA did in the last day. */
  const mayBeQuiet = (ms: number): boolean => {
    const now = world.clock.now();
    if (now < quietUntil + DAY) return false;
    quietUntil = now + ms;
    return true;
  };
  const down = (ca: FakeCa, ms: number, answer: AcmeProblem | 'cut') =>
    ca.fault({ answer, until: world.clock.now() + ms });
  const serverInternal = new AcmeProblem(500, 'serverInternal', 'The service is down for maintenance');

  /** With their mean time between faults, in hours. One that returns false did not happen. */
  const troubles: [name: string, every: number, happens: (ca: FakeCa) => unknown][] = [
    ['an hour of 500s', 10 * 24, (ca) => down(ca, HOUR, serverInternal)],
    ['a day of 500s', 60 * 24, (ca) => mayBeQuiet(DAY) && down(ca, DAY, serverInternal)],
    ['an hour without answers', 20 * 24, (ca) => down(ca, HOUR, 'cut')],
    [
      'too many orders',
      10 * 24,
      (ca) => {
        const retryAfter = String(random.between(1, 6) * 3600);
        const answer = new AcmeProblem(429, 'rateLimited', 'too many new orders recently', { retryAfter });
        ca.fault({ at: ['newOrder'], times: random.between(1, 3), answer });
      },
    ],
    [
      'a window that moves',
      3 * 24,
      (ca) => {
        const certificate = random.pick(ca.certificates);
        const start = world.clock.now() + random.between(-10, 20) * DAY;
        const end = start + 2 * DAY;
        if (certificate !== undefined) ca.suggest({ start, end }, certificate.hostname);
        const at = Math.max(end, world.clock.now() + HOUR * 12);
        endings.push({ at, end: () => ca.suggest(null, certificate?.hostname) });
      },
    ],
    [
      'everything to be renewed at once',
      120 * 24,
      (ca) => {
        ca.suggest({ start: world.clock.now() - DAY, end: world.clock.now() });
        endings.push({ at: world.clock.now() + DAY, end: () => ca.suggest(null) });
      },
    ],
    [
      'a revoked account',
      120 * 24,
      (ca) => {
        // One account a day at most.
        if (world.clock.now() - lastReplaced < 2 * DAY) return false;
        lastReplaced = world.clock.now();
        ca.revokeAccounts();
        return true;
      },
    ],
    [
      'a paused account',
      60 * 24,
      (ca) => {
        // A name that comes back has no other CA to go to.
        const ms = random.between(24, cas.length > 1 ? 72 : 36) * HOUR;
        if (!mayBeQuiet(ms)) return false;
        const paused = [...new Set(ca.certificates.map(({ hostname }) => hostname))];
        for (const name of paused) ca.pause(name);
        endings.push({
          at: world.clock.now() + ms,
          end: () => {
            for (const name of paused) ca.unpause(name);
          },
        });
        return true;
      },
    ],
    [
      'a name that the CA does not reach',
      20 * 24,
      (ca) => {
        const name = random.pick(ca.certificates)?.hostname ?? '';
        ca.failAuthorizations(name, new AcmeProblem(400, 'connection', 'Timeout during connect'));
        const at = world.clock.now() + random.between(1, 24) * HOUR;
        endings.push({ at, end: () => ca.failAuthorizations(name, null) });
      },
    ],
    ['a week of 500s', 15 * 24, (ca) => cas.length > 1 && mayBeQuiet(WEEK) && down(ca, WEEK, serverInternal)],
    ['forgotten orders', 30 * 24, (ca) => ca.forgetOrders()],
    ['refused nonces', 10 * 24, (ca) => ca.refuseNonces(3)],
  ];

  return {
    events,
    happen(hours: number): void {
      const now = world.clock.now();
      for (const ending of endings.filter(({ at }) => at <= now)) {
        endings.splice(endings.indexOf(ending), 1);
        ending.end();
      }
      for (const [at, [name, every, happens]] of troubles.entries()) {
        // Each happens at least once in thirty days, whatever the seed.
        const isOverdue = events[name] === undefined && now - began > (5 + at) * DAY;
        const ca = random.pick(cas);
        if (ca === undefined || !(isOverdue || random.chance(hours / every))) continue;
        if (happens(ca) !== false) events[name] = (events[name] ?? 0) + 1;
      }
    },
  };
}
