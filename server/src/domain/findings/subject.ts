import type { Domain } from '../domain.ts';
import type { FindingFields } from '../finding.ts';
import type { Observation } from '../observation.ts';
import type { Reading } from '../reading.ts';
import { isShared } from '../shared-target.ts';
import type { TakeoverClaim } from '../verification-error.ts';
import type { RecordView } from './record-view.ts';

/** The rules know these besides DNS. */
export interface FindingContext {
  /** IP addresses that lead to the edge; empty: they are not known. */
  edgeAddresses: readonly string[];
  /** How our certificate authorities identify themselves in CAA records; empty: CAA is not looked at. */
  caNames: readonly string[];
  /** Whether a host is, or could be, the target of a domain of ours; absent: those beside the domain's own target are. */
  isTarget?: (host: string) => boolean;
  /** Shared targets of the workspace that the name leads to. Absent: nobody looked. */
  sharedTargets?: readonly string[];
  /** Name of the workspace's other domain that has this token; null: none has it. Absent: nobody looked. */
  domainOfToken?: (token: string) => string | null;
  /** When it was observed, Unix ms. */
  now: number;
}

/** A domain, what was seen of it, and what that means. */
export interface Subject {
  domain: Domain;
  observation: Observation;
  reading: Reading;
  claim: TakeoverClaim | undefined;
  ownership: RecordView;
  routing: RecordView;
  isTarget: (host: string) => boolean;
  /** Whether the records prove the domain, or will once they are confirmed. */
  isProven: boolean;
  context: FindingContext;
}

/** Rules of one theme: what they find. */
export type Rule = (subject: Subject) => FindingFields[];

/** Whether the TXT record has to be there: the routing record alone cannot verify the domain. */
export function needsOwnership({ domain, claim, routing }: Subject): boolean {
  const isApex = domain.kind === 'apex' && !(isShared(domain) && routing.isRight);
  return isApex || claim !== undefined || routing.reading.kind === 'hidden';
}
