import type { Domain } from '../../domain/domain.ts';
import type { Observation } from '../../domain/observation.ts';

/** Looks at DNS because somebody asks, outside the loop of requests. Every node has one; it changes nothing. */
export interface Diagnoser {
  /**
   * Looks at the records of a domain, at every nameserver and with all probes; those of the incumbent too, where there is one. Takes 10 s at most.
   * Requests for one domain within 5 s share a result.
   */
  diagnose(request: DiagnosisRequest): Promise<DiagnosisOutcome>;

  /**
   * Looks at a name that is not attached: its zone, the records that are in the way at both names, CAA. In the observation no record can match, because
   * there is no token and no target yet.
   */
  diagnoseName(request: NameRequest): Promise<DiagnosisOutcome>;
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
 * `at`: Unix ms. `refused`: nothing was looked at. `workspace`: it has 10 in flight; `process`: all workspaces together have 100; `unavailable`: the
 * thread that looks has crashed, and is started anew.
 */
export type DiagnosisOutcome =
  | { observation: Observation; at: number }
  | { refused: 'workspace' | 'process' | 'unavailable' };
