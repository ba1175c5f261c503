import type { Clock } from '../../base/clock.ts';
import { type Domain, unattachedDomain } from '../../domain/domain.ts';
import type { Observation } from '../../domain/observation.ts';
import type { DiscoverConnect } from './discover-connect.ts';

/** Asks DNS because somebody wants to know, outside the loop of requests. Every node has one; it changes nothing. */
export interface Diagnoser {
  /**
   * Reads the records of a domain, at every nameserver and with all probes; those of the incumbent too, where there is one. Takes 10 s at most.
   * Requests for one domain within 5 s share a result.
   */
  diagnose(request: DiagnosisRequest): Promise<DiagnosisOutcome>;

  /**
   * Reads a name that is not attached: its zone, the records that are in the way at both names, CAA. In the observation no record can match, because
   * there is no token and no target yet.
   */
  diagnoseName(request: NameRequest): Promise<DiagnosisOutcome>;

  /** Asks the provider of a zone whether it publishes records itself. Takes 6 s at most. */
  discoverConnect: DiscoverConnect;
}

export interface DiagnosisRequest {
  /** The workspace that asks; its share of the process is limited. */
  workspaceId: string;
  domain: Domain;
  /** Another workspace's verified domain of the same name. */
  incumbent: Domain | null;
}

export type NameRequest = Pick<Domain, 'workspaceId' | 'name' | 'kind' | 'service'>;

/**
 * `at`: Unix ms. `refused`: nothing was asked. `workspace`: it has 10 in flight; `process`: all workspaces together have 100; `unavailable`: the
 * thread that asks has crashed, and is started anew.
 */
export type DiagnosisOutcome =
  | { observation: Observation; at: number }
  | { refused: 'workspace' | 'process' | 'unavailable' };

/** `scope`: the records of a domain, or a name that is not attached. */
export interface DiagnosisQuery {
  scope: 'domain' | 'name';
  domain: Domain;
  incumbent: Domain | null;
}

interface DiagnoserOptions {
  /** Reads what the request is about, within its own time limit. Rejects where it could not. */
  observe: (request: DiagnosisQuery) => Promise<Observation>;
  /** Refuses unless given. */
  discoverConnect?: DiscoverConnect;
  clock: Clock;
  limits?: { perWorkspace: number; perProcess: number };
  /** Requests for one domain within this time share a result. */
  sharedForMs?: number;
}

const LIMITS = { perWorkspace: 10, perProcess: 100 };
const SHARED_FOR_MS = 5000;
/** Results kept for sharing: beyond that the oldest is dropped. */
const MAX_SHARED = 100;

interface SharedDiagnosis {
  startedAt: number;
  outcome: Promise<DiagnosisOutcome>;
}

/** Shares and limits diagnoses; `observe` makes them. */
export function createDiagnoser({ observe, clock, ...options }: DiagnoserOptions): Diagnoser {
  const { discoverConnect = async () => ({ refused: 'unavailable' }) } = options;
  const { limits = LIMITS, sharedForMs = SHARED_FOR_MS } = options;
  const shared = new Map<string, SharedDiagnosis>();
  const inFlightOf = new Map<string, number>();
  let inFlight = 0;

  function run(key: string, workspaceId: string, request: DiagnosisQuery): Promise<DiagnosisOutcome> {
    const now = clock.now();
    const known = shared.get(key);
    // A diagnosis in the future began before the clock was set back.
    if (known !== undefined && known.startedAt <= now && now - known.startedAt < sharedForMs) return known.outcome;
    const ofWorkspace = inFlightOf.get(workspaceId) ?? 0;
    if (ofWorkspace >= limits.perWorkspace) return Promise.resolve({ refused: 'workspace' });
    if (inFlight >= limits.perProcess) return Promise.resolve({ refused: 'process' });
    inFlight += 1;
    inFlightOf.set(workspaceId, ofWorkspace + 1);
    const begun: SharedDiagnosis = { startedAt: now, outcome: start(request, () => release(workspaceId)) };
    share(key, begun);
    return begun.outcome;
  }

  async function start(request: DiagnosisQuery, release: () => void): Promise<DiagnosisOutcome> {
    try {
      const observation = await observe(request);
      return { observation, at: clock.now() };
    } catch {
      return { refused: 'unavailable' };
    } finally {
      release();
    }
  }

  function release(workspaceId: string): void {
    inFlight -= 1;
    const left = (inFlightOf.get(workspaceId) ?? 1) - 1;
    if (left === 0) inFlightOf.delete(workspaceId);
    else inFlightOf.set(workspaceId, left);
  }

  function share(key: string, begun: SharedDiagnosis): void {
    shared.delete(key);
    shared.set(key, begun);
    for (const [old, { startedAt }] of shared) {
      if (shared.size <= MAX_SHARED && begun.startedAt - startedAt < sharedForMs) break;
      shared.delete(old);
    }
    void begun.outcome.then((outcome) => {
      if ('refused' in outcome && shared.get(key) === begun) shared.delete(key);
    });
  }

  return {
    diagnose: ({ workspaceId, domain, incumbent }) =>
      run(`${domain.id} ${incumbent?.id}`, workspaceId, { scope: 'domain', domain, incumbent }),
    diagnoseName: (request) =>
      run(`${request.service} ${request.name}`, request.workspaceId, {
        scope: 'name',
        domain: unattachedDomain(request),
        incumbent: null,
      }),
    discoverConnect,
  };
}
