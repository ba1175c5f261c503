import type { Domain } from '../domain.ts';
import type { Finding, FindingAction, FindingCode } from '../finding.ts';
import { isSameAddress } from '../ip-address.ts';
import { LIVE_PROBLEMS, type Live, type LiveProblem } from '../live.ts';
import { registeredDomain } from '../name.ts';
import { nameInZone } from '../providers.ts';
import { isProvenByRouting } from '../shared-target.ts';
import { withSentences } from './sentences.ts';

/** Until then caches may lead to where a name led before it was verified. */
const SWITCH_MS = 3_600_000;

interface LiveContext {
  /** IP addresses that lead to the edge; empty: they are not known. */
  edgeAddresses: readonly string[];
  /** Whether the name has a certificate of ours: without one, what blocks it is told. */
  isServed: boolean;
}

/**
 * Tells what visitors of a verified name get in place of the site, at addresses that its owner has chosen. Those of the edge are the operator's, as are all
 * of a name whose CNAME record leads here. While the DNS is known to be wrong, only that is told.
 */
export function liveFindings(domain: Domain, live: Live | null, { edgeAddresses, isServed }: LiveContext): Finding[] {
  const { verifiedAt, verificationError, routingVerifiedAt } = domain;
  if (live === null || domain.status !== 'verified' || verifiedAt === null || !isServed) return [];
  const isOurs = isProvenByRouting(domain) && routingVerifiedAt !== null;
  if (isOurs || verificationError !== null || live.checkedAt < verifiedAt + SWITCH_MS) return [];
  const theirs = live.addresses.filter(({ address }) => !edgeAddresses.some((edge) => isSameAddress(edge, address)));
  return LIVE_PROBLEMS.flatMap((reason) => {
    const code = codeOf(reason);
    const seen = theirs.filter(({ problem }) => problem === reason).map(({ address }) => address);
    if (code === null || seen.length === 0) return [];
    // A proxy may pass on everything but our challenge.
    const isCertain = live.state === 'unreachable' && reason !== 'answered_by_another';
    return withSentences({
      code,
      severity: isCertain ? 'blocking' : 'warning',
      name: domain.name,
      seen,
      expected: domain.target,
      retryable: code === 'tls_unreachable',
      action: actionOf(domain, reason),
      facts: { reason },
    });
  });
}

function codeOf(problem: LiveProblem): FindingCode | null {
  // The DNS says why it has none; and a missing route is ours.
  if (problem === 'no_address' || problem === 'no_route') return null;
  if (problem === 'certificate_expired') return 'certificate_expired_outside';
  return problem === 'answered_by_another' || problem.startsWith('certificate_')
    ? 'other_certificate'
    : 'tls_unreachable';
}

function actionOf({ name, kind, target }: Domain, problem: LiveProblem): FindingAction {
  const zone = registeredDomain(name);
  if (problem.startsWith('certificate_')) return { kind: 'repair', at: 'server', zone, name };
  const type = kind === 'apex' ? 'ALIAS' : 'CNAME';
  const entered = { nameInZone: nameInZone(name, zone), value: target, valueInZone: target };
  return { kind: 'replace', at: 'zone', zone, type, name, ...entered, removes: ['A', 'AAAA'] };
}
