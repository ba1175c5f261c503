import { type Claim, createDueLoop, type DueLoop } from '../base/due-loop.ts';
import type { Log } from '../base/log.ts';
import { liveFindings } from '../domain/findings/live-findings.ts';
import {
  afterLook,
  type Look,
  type LookOutcome,
  nextLookAt,
  reachesUs,
  wouldBecomeUnreachable,
} from '../domain/live.ts';
import { ownHost } from '../domain/shared-target.ts';
import type { DueLook, LiveStore } from '../store/store.ts';
import type { CheckMetrics } from './check-metrics.ts';
import type { GuardedClock } from './guarded-clock.ts';
import type { OutsideLooker } from './observation/look-outside.ts';

export interface LiveMonitorOptions {
  store: LiveStore;
  look: OutsideLooker;
  /** Whether this machine reaches the Internet. Never rejects. */
  isOnline: () => Promise<boolean>;
  cnameZone: string;
  /** Names this node in what the API shows. */
  from: string;
  clock: Pick<GuardedClock, 'now'>;
  /** Numbers in [0, 1), for the schedule's jitter. */
  random: () => number;
  log: Log;
  metrics: Pick<CheckMetrics, 'looks'>;
  /** IP addresses that lead to the edge; empty: they are not known. */
  edgeAddresses?: readonly string[];
  /** Concurrency limit. Each look has a connection to each address of its name. */
  maxInFlight?: number;
  /** Longest time of one look, with the one that tells whether this installation is at fault. */
  deadlineMs?: number;
  /** How often due looks are claimed. */
  pollMs?: number;
}

const BATCH = 50;

/** Looks at verified names from outside, in the background. */
export function createLiveMonitor(options: LiveMonitorOptions): DueLoop {
  const { store, look, isOnline, cnameZone, from, clock, random, log, metrics } = options;
  const { edgeAddresses = [], maxInFlight = 10 * BATCH, deadlineMs = 45_000, pollMs = 1000 } = options;

  async function complete(due: DueLook, claim: Claim): Promise<LookOutcome | 'stale' | 'dropped'> {
    try {
      const seen = await look(due.domain.name, claim.signal);
      const isOwnFault = wouldBecomeUnreachable(due.memory, seen) && (await isAtFault(due, claim.signal));
      return claim.isStale() ? 'dropped' : await save(due, seen, isOwnFault);
    } catch (error) {
      if (claim.signal.aborted) return 'dropped';
      throw error;
    }
  }

  async function save({ domain, memory, lease }: DueLook, seen: Look, isOwnFault: boolean) {
    const now = clock.now();
    const looked = afterLook(memory, seen, { now, from, isOwnFault });
    const { event, outcome } = looked;
    const nextAt = nextLookAt(looked, now, random());
    const findings = liveFindings(domain, looked.memory.live, { edgeAddresses, isServed: true });
    const saved = await store.saveLook({ domain, lease, memory: looked.memory, event, findings, nextAt, now });
    if (saved === 'stale') return 'stale';
    const { problem = null } = looked.memory.live ?? {};
    if (event !== null)
      log.info({ domainId: domain.id, domain: domain.name, problem }, `a site is ${outcome.replace('_', ' ')}`);
    return outcome;
  }

  /** Where the edge itself cannot be reached under the name either, or nothing outside. */
  async function isAtFault({ domain }: DueLook, signal: AbortSignal): Promise<boolean> {
    return !reachesUs(await look(domain.name, signal, ownHost(domain, cnameZone))) || !(await isOnline());
  }

  return createDueLoop({
    ...{ clock, log, name: 'look', maxInFlight, batch: BATCH, deadlineMs, pollMs, restMs: pollMs / 10 },
    claim: (now, limit, except) => store.claimLooks({ now, limit, except }),
    complete,
    workspaceOf: ({ domain }) => domain.workspaceId,
    about: ({ domain }) => ({ domainId: domain.id }),
    onCompleted: (outcome) => metrics.looks.inc({ outcome }),
  });
}
