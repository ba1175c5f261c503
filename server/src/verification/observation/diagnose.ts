import type { Clock } from '../../base/clock.ts';
import { type Domain, unattachedDomain } from '../../domain/domain.ts';
import type { Observation } from '../../domain/observation.ts';
import type { Diagnoser, DiagnosisOutcome } from './diagnoser.ts';

/** `scope`: the records of a domain, or a name that is not attached. */
export interface DiagnosisQuery {
  scope: 'domain' | 'name';
  domain: Domain;
  incumbent: Domain | null;
}

interface DiagnoserOptions {
  /** Looks, within its own time limit. Rejects where it could not. */
  look: (request: DiagnosisQuery) => Promise<Observation>;
  clock: Clock;
  limits?: { perWorkspace: number; perProcess: number };
  /** Requests for one domain within this time share a result. */
  sharedForMs?: number;
}

const LIMITS = { perWorkspace: 10, perProcess: 100 };
const SHARED_FOR_MS = 5000;
/** Results kept for sharing: beyond that the oldest is dropped. */
const MAX_SHARED = 100;

interface SharedLook {
  startedAt: number;
  outcome: Promise<DiagnosisOutcome>;
}

/** Shares and limits looks; `look` does the work. */
export function createDiagnoser({ look, clock, ...options }: DiagnoserOptions): Diagnoser {
  const { limits = LIMITS, sharedForMs = SHARED_FOR_MS } = options;
  const shared = new Map<string, SharedLook>();
  const inFlightOf = new Map<string, number>();
  let inFlight = 0;

  function run(key: string, workspaceId: string, request: DiagnosisQuery): Promise<DiagnosisOutcome> {
    const now = clock.now();
    const known = shared.get(key);
    // A look in the future began before the clock was set back.
    if (known !== undefined && known.startedAt <= now && now - known.startedAt < sharedForMs) return known.outcome;
    const ofWorkspace = inFlightOf.get(workspaceId) ?? 0;
    if (ofWorkspace >= limits.perWorkspace) return Promise.resolve({ refused: 'workspace' });
    if (inFlight >= limits.perProcess) return Promise.resolve({ refused: 'process' });
    inFlight += 1;
    inFlightOf.set(workspaceId, ofWorkspace + 1);
    const begun: SharedLook = { startedAt: now, outcome: start(request, () => release(workspaceId)) };
    share(key, begun);
    return begun.outcome;
  }

  async function start(request: DiagnosisQuery, release: () => void): Promise<DiagnosisOutcome> {
    try {
      const observation = await look(request);
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

  function share(key: string, begun: SharedLook): void {
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
  };
}
