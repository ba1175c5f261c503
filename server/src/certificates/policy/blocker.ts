import type { CaaVerdict } from '../../domain/caa.ts';
import type { CaaRecord, CertificateReason, ChallengeType, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import type { Unreadable } from '../../domain/reading.ts';
import { joinList, joinQuoted, quote, truncate } from '../../domain/text.ts';
import { describeUnreadable } from '../../domain/verification-error.ts';
import { challengeName } from '../../domain/wildcard.ts';
import type { CaLimit } from '../../store/store.ts';
import type { ChallengePlace } from './challenge-place.ts';

/** The reason why a certificate cannot be issued, with the observation behind it. */
export type Blocker =
  /** `chain`: the CNAMEs that were followed. */
  | { reason: 'no_address'; chain: string[] }
  | { reason: 'dns_unreadable'; record: 'address' | 'CAA' | 'challenge'; name: string; seen: Omit<Unreadable, 'kind'> }
  | AddressBlocker
  | CaaBlocker
  | DnsChallengeBlocker
  | { reason: 'budget_spent'; limit: CaLimit['name']; ca: string; registeredDomain: string }
  | CaBlocker;

interface AddressBlocker {
  reason: 'address_not_public' | 'unreachable' | 'answered_by_another';
  answers: SelfCheckAnswer[];
  /** The end of the name's CNAME chain, which has the addresses; null: the name has them itself. */
  end: string | null;
}

type DnsChallengeBlocker =
  /** `place`: where the record has to lead; null: no zone of ours has challenges of the name. */
  | { reason: 'no_challenge_record'; place: ChallengePlace | null }
  /** `end`: of the CNAME chain; null: the name has TXT records of its own. */
  | { reason: 'challenge_elsewhere'; place: ChallengePlace; end: string | null }
  /** `values`: those found instead. */
  | { reason: 'challenge_not_seen'; values: string[] }
  | { reason: 'dns_servers_failing'; faults: { server: string; seen: string }[] };

interface CaaBlocker {
  reason: 'caa_forbids';
  /** The name that has the record: ours, a parent, or the end of a CNAME chain. */
  at: string;
  record: CaaRecord;
  because: Extract<CaaVerdict, { kind: 'forbidden' }>['because'];
  ca: string;
  account: string | null;
  challenge: ChallengeType;
}

/** The CA did not issue. */
export interface CaBlocker {
  reason: Extract<CertificateReason, `ca_${string}` | 'authorization_failed'>;
  /** The message of a `CaProblem`: bounded and safe to show. */
  message: string;
  /** The challenge that failed, of `authorization_failed`. */
  challenge?: ChallengeType;
}

/** Tells the owner of the name the problem, its place and its fix. At most 512 characters. */
export function describeCertificateBlocker(hostname: string, blocker: Blocker): string {
  return truncate(messageOf(hostname, blocker));
}

function messageOf(hostname: string, blocker: Blocker): string {
  switch (blocker.reason) {
    case 'no_address': {
      const end = blocker.chain.at(-1);
      if (end === undefined) return `${hostname} has no address. Publish its routing record: ${ROUTING}.`;
      return `${hostname} points to ${quote(end)}, which has no address. Point it to the target of its routing record.`;
    }
    case 'dns_unreadable': {
      return `${describeUnreadable(blocker.name, blocker.seen)} The query was for its ${SOUGHT[blocker.record]}.`;
    }
    case 'address_not_public':
    case 'unreachable':
    case 'answered_by_another':
      return addressMessage(hostname, blocker);
    case 'caa_forbids':
      return caaMessage(hostname, blocker);
    case 'no_challenge_record':
      return noRecordMessage(hostname, blocker.place);
    case 'challenge_elsewhere': {
      const { place, end } = blocker;
      const seen = end === null ? 'has a TXT record of its own' : `leads to ${quote(end)}`;
      const instead = place.record === 'wildcard' ? 'Remove that record' : 'Replace it';
      return `${challengeName(hostname)} ${seen}, so the certificate authority cannot find our challenge there. ${instead}. ${recordFix(hostname, place)}`;
    }
    case 'challenge_not_seen': {
      const seen = blocker.values.length === 0 ? 'nothing' : joinQuoted(blocker.values);
      return `Our DNS servers answer our challenge for ${hostname}, but a resolver that looks for TXT records at ${challengeName(hostname)} finds ${seen}. We try again. If this lasts, the operator of this service needs to check the delegation of the zone for challenges.`;
    }
    case 'dns_servers_failing': {
      const faults = blocker.faults.map(({ server, seen }) => `${server}: ${seen}`);
      return `Our own DNS servers do not answer our challenge for ${hostname}. The operator of this service needs to fix this. ${faults.length === 0 ? 'None of them has an address' : joinList(faults)}.`;
    }
    case 'budget_spent':
      return budgetMessage(hostname, blocker);
    case 'ca_rate_limited':
      return `A rate limit of the certificate authority is reached, so we try again later. ${blocker.message}`;
    case 'ca_unavailable':
      return `The certificate authority is not available, so we try again later. ${blocker.message}`;
    case 'ca_account':
      return `The certificate authority does not accept our account. The operator of this service needs to fix this. ${blocker.message}`;
    case 'authorization_failed':
      return `The certificate authority could not read our challenge response at ${hostname}. ${challengeFix(hostname, blocker.challenge)} ${blocker.message}`;
    case 'ca_refused':
      return `The certificate authority does not issue for ${hostname}. ${blocker.message}`;
    default:
      return blocker satisfies never;
  }
}

function challengeFix(hostname: string, challenge: ChallengeType = 'http-01'): string {
  if (challenge === 'dns-01')
    return `Make sure that each of its nameservers has our record at ${challengeName(hostname)}.`;
  return `Make sure that all of its addresses reach us from everywhere on port ${challenge === 'http-01' ? 80 : 443}.`;
}

const SOUGHT = {
  CAA: 'CAA records; no CA may issue a certificate until they can be read',
  address: 'addresses',
  challenge: 'challenge record',
};

function noRecordMessage(hostname: string, place: ChallengePlace | null): string {
  if (place === null) {
    return `A certificate for ${hostname} needs a challenge in DNS, and this installation answers none for it. The operator of this service needs to set NAMEPLATE_CHALLENGE_ZONE.`;
  }
  const at = place.record === 'wildcard' ? hostname : challengeName(hostname);
  return `${at} does not lead to us, so the certificate authority cannot find our challenge. ${recordFix(hostname, place)}`;
}

/** Names one value for each field that the panel of a DNS provider has. */
function recordFix(hostname: string, { record, names }: ChallengePlace): string {
  const at = record === 'wildcard' ? hostname : challengeName(hostname);
  return `Publish a CNAME record. Full name: \`${at}\`, Value: \`${names[0]}\`.`;
}

/** For a name that moves here: its DNS still leads to its former server (docs/guides/moving-in.md). */
const FORWARD =
  ' Before the switch, that server has to pass /.well-known/acme-challenge/ on to us, with the Host header kept: in Caddy a "handle" with "reverse_proxy", in nginx a "location" with "proxy_pass".';

const ROUTING = 'a CNAME, or an ALIAS at an apex';

const OUTCOMES = { address_not_public: 'not_public', unreachable: 'unreachable', answered_by_another: 'another' };

function addressMessage(hostname: string, { reason, answers, end }: AddressBlocker): string {
  const wrong = answers.filter(({ outcome }) => outcome === OUTCOMES[reason]);
  const isOne = wrong.length === 1;
  const types = [...new Set(wrong.map(({ address }) => (address.includes(':') ? 'AAAA' : 'A')))];
  const record = `the ${types.join(' and ')} record${isOne ? '' : 's'}`;
  const owner = end === null ? hostname : `${hostname} points to ${quote(end)}, which`;
  const has = `${owner} has the address${isOne ? '' : 'es'} ${joinList(wrong.map(({ address }) => address))}`;
  const seen = wrong[0]?.seen ? `: ${wrong[0].seen}` : '';
  const right = joinList(answers.flatMap(({ outcome, address }) => (outcome === 'ours' ? [address] : [])));
  const fix = addressFix(record, right, end);
  switch (reason) {
    case 'address_not_public':
      return `${has}, which cannot be reached from the Internet. ${fix}`;
    case 'unreachable':
      return `${has}, where nothing answers on port 80${seen}. ${fix}`;
    case 'answered_by_another':
      return `${has}, where another server answers${seen}. ${fix}${right === '' ? FORWARD : ''}`;
    default:
      return reason satisfies never;
  }
}

/** `right`: the addresses that are ours. */
function addressFix(record: string, right: string, end: string | null): string {
  if (end === null && right === '') return `Replace ${record} with its routing record: ${ROUTING}.`;
  if (end === null) return `Remove ${record}; ${right} is right.`;
  if (right !== '') return `The operator of ${quote(end)} needs to remove ${record}; ${right} is right.`;
  return 'Point it to the target of its routing record. If it already points there, the operator of this service needs to fix this.';
}

function caaMessage(hostname: string, { at, record, because, ca, account, challenge }: CaaBlocker): string {
  const { critical, tag, value } = record;
  const isOurs = hostname === at || hostname.endsWith(`.${at}`);
  const owner = isOurs ? at : `${quote(at)}, to which a CNAME points,`;
  const seen = `The CAA record ${critical ? 128 : 0} ${quote(tag).slice(1, -1)} ${quote(value)} of ${owner}`;
  switch (because) {
    case 'other':
      return `${seen} does not allow ${ca} to issue for ${hostname}. ${isOurs ? addedCaa(at, tag, ca) : `Its operator needs to add this record beside it: 0 ${tag} "${ca}".`}`;
    case 'unknown':
      return `${seen} is critical and unknown to certificate authorities, so none may issue for ${hostname}. Remove it.`;
    case 'account': {
      const ours = account === null ? 'we have no account there yet' : `our account is ${account}`;
      return `${seen} does not allow our account at ${ca} to issue for ${hostname}; ${ours}. Correct its accounturi, or remove that parameter.`;
    }
    case 'method':
      return `${seen} does not allow ${ca} to validate ${hostname} by ${challenge}. Add ${challenge} to its validationmethods, or remove that parameter.`;
    default:
      return because satisfies never;
  }
}

/** Names one value for each field that the panel of a DNS provider has. */
function addedCaa(name: string, tag: string, ca: string): string {
  return `Add a CAA record beside it. Full name: \`${name}\`, Flags: \`0\`, Tag: \`${tag}\`, Value: \`${ca}\`.`;
}

function budgetMessage(
  hostname: string,
  { limit, ca, registeredDomain }: Extract<Blocker, { reason: 'budget_spent' }>,
): string {
  const limited: Record<CaLimit['name'], string> = {
    orders: 'orders',
    failures: `failed orders for ${hostname}`,
    certificates: `certificates for names of ${registeredDomain}`,
    duplicates: `certificates for ${hostname}`,
  };
  return `Our limit of ${limited[limit]} at ${ca} is reached. The certificate is ordered when the limit has capacity again.`;
}
