import type { FakeCa } from '../support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../support/fake-ca/problem.ts';
import type { Random } from '../support/seeded-random.ts';
import type { World } from './world.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Records an event of a name; null: of all. */
export type Note = (hostname: string | null, what: string) => void;

/** The faults of CAs. */
export function createTroubles(world: World, cas: FakeCa[], random: Random, note: Note) {
  const events: Record<string, number> = {};
  const began = world.clock.now();
  const endings: { at: number; end(): void }[] = [];
  const limitedUntil = new Map<FakeCa, number>();
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
        const now = world.clock.now();
        if (now < (limitedUntil.get(ca) ?? 0) + DAY) return false;
        // Refusals that nobody asked for do not add up: beside a CA that is down, the other one refuses for 18 hours at
        // most, and a certificate in its emergency has 24.
        const until = now + 12 * HOUR;
        limitedUntil.set(ca, until);
        const retryAfter = String(random.between(1, 6) * 3600);
        const answer = new AcmeProblem(429, 'rateLimited', 'too many new orders recently', { retryAfter });
        ca.fault({ at: ['newOrder'], times: random.between(1, 3), until, answer });
        return true;
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
        // A name that comes back has no other CA to go to, which may refuse orders for 18 hours afterwards.
        const ms = random.between(24, cas.length > 1 ? 72 : 28) * HOUR;
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
        if (happens(ca) === false) continue;
        events[name] = (events[name] ?? 0) + 1;
        note(null, `CA ${cas.indexOf(ca) + 1}: ${name}`);
      }
    },
  };
}
