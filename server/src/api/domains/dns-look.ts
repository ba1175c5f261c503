import type { FindingContext } from '../../domain/findings/subject.ts';
import type { DiagnosisOutcome } from '../../verification/observation/diagnoser.ts';
import { Problem } from '../errors.ts';
import type { ApiSettings } from '../operation.ts';

/** The rules of findings need these facts besides the DNS. `now`: time of the observation, Unix ms. */
export function findingContext(
  { edgeAddresses = [], caNames = [], cnameZone }: ApiSettings,
  now: number,
): FindingContext {
  return { edgeAddresses, caNames, isTarget: (host) => host.endsWith(`.${cnameZone}`), now };
}

type Look = Exclude<DiagnosisOutcome, { refused: unknown }>;

/** Diagnoses end within 10 s, most of them much sooner. */
const RETRY_AFTER = { headers: { 'Retry-After': '1' } };

/** Returns the observation of a diagnosis. Throws a `Problem` if it was refused. */
export function lookedAt(outcome: DiagnosisOutcome): Look {
  if (!('refused' in outcome)) return outcome;
  switch (outcome.refused) {
    case 'workspace':
      throw new Problem('limits/rate_limited', {
        detail: 'The workspace has 10 requests in flight that ask the DNS. Wait until one of them has ended.',
        ...RETRY_AFTER,
      });
    case 'process':
    case 'unavailable':
      throw new Problem('limits/overloaded', RETRY_AFTER);
    default:
      return outcome.refused satisfies never;
  }
}
