import { nextRecheckAt } from './schedule.ts';

/** A verified name as visitors see it, and the time of the next look. Pure: times and randomness are arguments. */

/** `live`: visitors reach the site at every address. `partly_live`: at some of them. `unreachable`: at none. */
export const LIVE_STATES = ['live', 'partly_live', 'unreachable'] as const;
export type LiveState = (typeof LIVE_STATES)[number];

/** Why visitors do not reach the site. The first one that any address has is that of the name. */
export const LIVE_PROBLEMS = [
  /** The name has no address. */
  'no_address',
  /** Another server answers: it does not give our challenge response. */
  'answered_by_another',
  /** The edge answers, with a certificate that is not for the name, as a proxy in front may have. */
  'certificate_wrong_name',
  'certificate_expired',
  'certificate_not_yet_valid',
  /** No root that this installation trusts has issued it. */
  'certificate_untrusted',
  /** The address is not on the public Internet. */
  'address_not_public',
  /** Nobody listens at port 443. */
  'connection_refused',
  /** There was no TLS handshake. */
  'tls_failed',
  /** After the handshake, there was no response in HTTP. */
  'no_response',
  /** No answer in time, or a network error. */
  'timeout',
  /** The machine that looks has no route to the address: this says nothing about the site. */
  'no_route',
] as const;
export type LiveProblem = (typeof LIVE_PROBLEMS)[number];

export interface SeenAddress {
  address: string;
  /** Null: visitors reach the site there. */
  problem: LiveProblem | null;
}

/** One look at a name. */
export type Look =
  | { kind: 'seen'; addresses: SeenAddress[] }
  /** DNS could not be read, or the addresses are not looked at now: this says nothing about the site. */
  | { kind: 'unreadable' };

/** The last look that counted. Times in Unix ms. */
export interface Live {
  state: LiveState;
  /** Null in state `live`. */
  problem: LiveProblem | null;
  addresses: SeenAddress[];
  /** When the state was seen first. */
  since: number;
  checkedAt: number;
  /** The node that looked (`NAMEPLATE_NODE_NAME`). */
  from: string;
}

/** One look passes this on to the next. */
export interface LiveMemory {
  /** Null: no look has counted yet. */
  live: Live | null;
  /** The last look saw a worse state, which a second one has to confirm. */
  isDoubted: boolean;
}

export const NEVER_SEEN: LiveMemory = { live: null, isDoubted: false };

export interface Looked {
  memory: LiveMemory;
  event: 'site.live' | 'site.unreachable' | null;
  outcome: LookOutcome;
}

/** `doubted`: a first look saw a worse state. `inconclusive`: the look says nothing about the site. */
export type LookOutcome = LiveState | 'doubted' | 'inconclusive';

/** Null: the look says nothing about the site. */
export function verdictOf(look: Look): Pick<Live, 'state' | 'problem' | 'addresses'> | null {
  if (look.kind === 'unreadable') return null;
  const { addresses } = look;
  if (addresses.length === 0) return { state: 'unreachable', problem: 'no_address', addresses };
  const counted = addresses.filter(({ problem }) => problem !== 'no_route');
  if (counted.length === 0) return null;
  const failed = counted.filter(({ problem }) => problem !== null);
  if (failed.length === 0) return { state: 'live', problem: null, addresses };
  const problem = LIVE_PROBLEMS.find((each) => failed.some((one) => one.problem === each)) ?? null;
  return { state: failed.length < counted.length ? 'partly_live' : 'unreachable', problem, addresses };
}

/** Whether an address with this problem gave our challenge response. */
export function isReached(problem: LiveProblem | null): boolean {
  return problem === null || problem.startsWith('certificate_');
}

export function reachesUs(look: Look): boolean {
  return look.kind === 'seen' && look.addresses.some(({ problem }) => isReached(problem));
}

/** Whether a look would make the state `unreachable`: then the caller finds out first whether this installation is at fault. */
export function wouldBecomeUnreachable({ live, isDoubted }: LiveMemory, look: Look): boolean {
  return isDoubted && live !== null && live.state !== 'unreachable' && verdictOf(look)?.state === 'unreachable';
}

/**
 * The memory after a look. A worse state counts when two looks in a row have seen it. `isOwnFault`: this installation may be the reason why the site was not
 * reached, so the look does not count.
 */
export function afterLook(
  before: LiveMemory,
  look: Look,
  { now, from, isOwnFault }: { now: number; from: string; isOwnFault: boolean },
): Looked {
  const verdict = verdictOf(look);
  if (verdict === null || (isOwnFault && verdict.state !== 'live'))
    return { memory: { ...before, isDoubted: false }, event: null, outcome: 'inconclusive' };
  const { state } = verdict;
  const isWorse = before.live !== null && LIVE_STATES.indexOf(state) > LIVE_STATES.indexOf(before.live.state);
  if (isWorse && !before.isDoubted) return { memory: { ...before, isDoubted: true }, event: null, outcome: 'doubted' };
  const since = before.live?.state === state ? before.live.since : now;
  const live: Live = { ...verdict, since, checkedAt: now, from };
  return {
    memory: { live, isDoubted: false },
    event: eventOf(before.live?.state ?? null, state),
    outcome: state,
  };
}

/** A site that was never live is not told to be unreachable: its owner is at work on it. */
function eventOf(before: LiveState | null, after: LiveState): Looked['event'] {
  if (after === before) return null;
  if (after === 'live') return 'site.live';
  return after === 'unreachable' && before !== null ? 'site.unreachable' : null;
}

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

/** A site that has been live for so long is steady. */
const STEADY_AFTER_MS = 24 * HOUR_MS;

/** Period of the looks at a steady site; also the longest one. */
export const LOOK_INTERVAL_MS = 6 * HOUR_MS;

/** A crash during a look delays it by so much. Also the time until a second look confirms a worse state. */
export const CONFIRM_MS = 10 * MINUTE_MS;

/** After a name gets a route: by then it has its certificate as a rule, and with that its first look. */
export const FIRST_LOOK_MS = 2 * MINUTE_MS;

/** After a certificate is in use, every node of the edge has it. */
export const AFTER_CERTIFICATE_MS = 3000;

const ASKED_EVERY_MS = 30_000;

/** When a name is looked at because somebody wants to know: at the end of the half minute, so that many requests cost one look. */
export function askedLookAt(now: number): number {
  return Math.ceil(now / ASKED_EVERY_MS) * ASKED_EVERY_MS;
}

/** When a name is looked at after a look with this outcome. `random` is in [0, 1). */
export function nextLookAt({ memory, outcome }: Looked, now: number, random: number): number {
  return nextRecheckAt(now, periodOf(memory.live, outcome, now), random);
}

function periodOf(live: Live | null, outcome: LookOutcome, now: number): number {
  if (live === null || outcome === 'doubted') return CONFIRM_MS;
  const ageMs = now - live.since;
  if (live.state === 'live') return outcome === 'live' && ageMs >= STEADY_AFTER_MS ? LOOK_INTERVAL_MS : HOUR_MS;
  // As long as it has been so: the looks at a site that stays down become rarer.
  return Math.min(HOUR_MS, Math.max(MINUTE_MS, ageMs));
}

/** Absent values are left out, never null. */
export function presentLive({ state, problem, addresses, since, checkedAt, from }: Live) {
  return {
    state,
    ...(problem !== null && { problem }),
    addresses: addresses.map(({ address, problem: its }) => ({ address, ...(its !== null && { problem: its }) })),
    since,
    checkedAt,
    from,
  };
}
