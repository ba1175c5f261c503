import type { FindingContext } from '../../domain/findings/subject.ts';
import type { ApiSettings } from '../operation.ts';

/** What the rules of findings know besides DNS. `now`: when it was observed, Unix ms. */
export function findingContext(
  { edgeAddresses = [], caNames = [], cnameZone }: ApiSettings,
  now: number,
): FindingContext {
  return { edgeAddresses, caNames, isTarget: (host) => host.endsWith(`.${cnameZone}`), now };
}
