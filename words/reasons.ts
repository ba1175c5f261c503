import type { CertificateProblem } from '../client/client.ts';
import type { Known } from './known.ts';

/** Why a certificate is not issued, by who can fix that. */

type Reason = Known<CertificateProblem['reason']>;

const setOf = (...reasons: Reason[]): ReadonlySet<Reason | (string & {})> => new Set(reasons);

/** Only the owner of the name can fix these: it does not resolve to us, or CAA forbids the CA. Such a certificate may expire. */
export const OWNER_FIXABLE = setOf(
  'no_address',
  'address_not_public',
  'unreachable',
  'answered_by_another',
  'caa_forbids',
  'no_challenge_record',
  'challenge_elsewhere',
);

/** The DNS of the name, or a server that it leads to, is not as a CA needs it: the CA is not asked. */
export const UNREADY = new Set([
  ...OWNER_FIXABLE,
  ...setOf('dns_unreadable', 'challenge_not_seen', 'dns_servers_failing'),
]);
