import type { EndLookups } from '../../dns/resolver.ts';
import { judgeCaa } from '../../domain/caa.ts';
import type { CaaRecord } from '../../domain/certificate-state.ts';
import { joinList } from '../../domain/text.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';

interface CaaSettings {
  cnameZone: string;
  /** How each configured CA identifies itself in CAA records. */
  cas: string[][];
  /** Our DNS servers answer these at each target (`NAMEPLATE_CAA_ISSUERS`); null: they do not have the zone. */
  issuers: readonly string[] | null;
  dns: Pick<EndLookups, 'lookupCaa'>;
}

const ABOUT = 'CAA';

/** Whether the CAA records at the targets let the configured CAs issue. A CA finds them first, and looks no further. */
export async function examineCaa({ cnameZone, cas, issuers, dns }: CaaSettings): Promise<DoctorResult[]> {
  if (cas.length === 0 || issuers?.length === 0) return [];
  const wildcard = `*.${cnameZone}`;
  if (issuers !== null) {
    const records = issuers.map((value) => ({ critical: false, tag: 'issue', value }));
    return [judge('NAMEPLATE_CAA_ISSUERS', records, cas, (name) => `Add ${name} to it.`)];
  }
  const found = await dns.lookupCaa(`doctor.${cnameZone}`, { signal: AbortSignal.timeout(10_000) });
  if (found.kind === 'found')
    return [judge(wildcard, found.records, cas, (name) => `Publish ${wildcard} CAA 0 issue "${name}" beside them.`)];
  if (found.kind === 'absent')
    return [
      ok(
        ABOUT,
        `no record at ${wildcard}, so those of a customer's zone decide: docs/guides/dns.md says what one does`,
      ),
    ];
  return [
    warn(ABOUT, `those of ${wildcard} could not be read (${found.reason})`, 'A CA refuses then: see its nameservers.'),
  ];
}

function judge(at: string, records: CaaRecord[], cas: string[][], advise: (name: string) => string): DoctorResult {
  const says = joinList(records.map(({ tag, value }) => `${tag} "${value}"`));
  const forbidden = cas.flatMap((names) => {
    const verdict = judgeCaa(records, { names, accountUrl: null });
    // Which account is ours is known where a certificate is ordered.
    return verdict.kind === 'allowed' || verdict.because === 'account' ? [] : names.slice(0, 1);
  });
  if (forbidden.length === 0) return ok(ABOUT, `${at} lets ${joinList(cas.flat())} issue (${says})`);
  const advice = `${forbidden.map(advise).join(' ')} No name with a CNAME to its target gets a certificate from there.`;
  return (forbidden.length < cas.length ? warn : fail)(ABOUT, `${at} forbids ${joinList(forbidden)} (${says})`, advice);
}
