import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Resolver } from '../../dns/resolver.ts';
import type { ChallengeType, SelfCheck } from '../../domain/certificate-state.ts';
import { isWildcard } from '../../domain/wildcard.ts';
import type { DueCertificate } from '../../store/store.ts';
import type { SelfChecker } from '../../verification/observation/self-check.ts';
import { type AddressPolicy, addressPolicy } from '../policy/address-rule.ts';
import type { Blocker } from '../policy/blocker.ts';
import { type ChallengeFacts, chooseChallenge } from '../policy/challenge-choice.ts';
import { challengePlace, type OwnDns } from '../policy/challenge-place.ts';
import { checkChallengeRecord } from '../preflight/challenge-record.ts';
import { type CheckedRouting, checkedRouting, UNCHECKED_ROUTING } from '../preflight/routing-blocker.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';

interface ChooserOptions {
  /** Null: this machine cannot check itself. */
  checkSelf: { http: SelfChecker; tls: SelfChecker } | null;
  /** For names with several addresses. */
  multiAddress: AddressPolicy;
  resolver: Pick<Resolver, 'lookupTxt'>;
  ownDns?: OwnDns | null;
  clock: Clock;
  log: Log;
  metrics: Pick<CertificateMetrics, 'certificateToleratedAddresses'>;
}

/** Chooses challenges for one attempt. Each check is made once, when the choice first needs it. */
export interface ChallengeChooser {
  /** Rejects with the signal's reason, or with the store's error. */
  choose(refusals: ReadonlyMap<ChallengeType, Blocker>): Promise<{ challenge: ChallengeType } | { blocker: Blocker }>;
  /** Null: no request was made to the name. */
  readonly selfCheck: SelfCheck | null;
}

export function challengeChoosers(options: ChooserOptions) {
  const { checkSelf, multiAddress, resolver, ownDns = null, clock, log, metrics } = options;

  async function checkRouting(
    { certificate }: DueCertificate,
    over: 'http' | 'tls',
    signal: AbortSignal,
  ): Promise<CheckedRouting> {
    if (checkSelf === null) return UNCHECKED_ROUTING;
    const { hostname, authorizationFailedAt } = certificate;
    const result = await checkSelf[over](hostname, signal);
    const checked = checkedRouting(hostname, result, addressPolicy(multiAddress, authorizationFailedAt, clock.now()));
    if (checked.blocker === null && checked.tolerated.length > 0) {
      metrics.certificateToleratedAddresses.inc(checked.tolerated.length);
      const line = { domain: hostname, addresses: checked.tolerated };
      log.warn(line, 'an address of a name does not answer; another one does');
    }
    return checked;
  }

  return (due: DueCertificate, signal: AbortSignal): ChallengeChooser => {
    const { hostname } = due.certificate;
    const place = challengePlace(hostname, due.target, ownDns);
    let facts: Omit<ChallengeFacts, 'refusals'> | null = null;
    let selfCheck: SelfCheck | null = null;

    async function choose(refusals: ReadonlyMap<ChallengeType, Blocker>): ReturnType<ChallengeChooser['choose']> {
      const record = () => checkChallengeRecord(resolver, hostname, place, signal);
      facts ??= { wildcard: isWildcard(hostname), record: await record() };
      const choice = chooseChallenge({ ...facts, refusals });
      if (!('check' in choice)) return choice;
      const { check } = choice;
      const checked = await checkRouting(due, check, signal);
      if (check === 'http' || checked.blocker === null) selfCheck = checked.selfCheck;
      facts = { ...facts, [check]: checked.blocker };
      return choose(refusals);
    }

    return {
      choose,
      get selfCheck() {
        return selfCheck;
      },
    };
  };
}
