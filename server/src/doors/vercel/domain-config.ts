import { isIP } from 'node:net';
import type { DiagnosisData } from '../../api/domains/diagnosis-schema.ts';

type Finding = DiagnosisData['findings'][number];

/** How a domain is set up in the DNS, as the vendor's API shows it. */
export function presentConfig(diagnosis: DiagnosisData) {
  const { findings, zone, challengeRecord } = diagnosis;
  const routing = routingOf(diagnosis);
  const configuredBy = configuredByOf(diagnosis);
  const seen = [...new Set(routing.seen.flatMap(({ values }) => values))];
  const ipv4 = (routing.addresses ?? []).filter((address) => isIP(address) === 4);
  const challenge = diagnosis.records.find(({ record }) => record === 'challenge') ?? challengeRecord;
  return {
    configuredBy,
    acceptedChallenges: [...(configuredBy === null ? [] : ['http-01']), ...(challenge?.verified ? ['dns-01'] : [])],
    misconfigured: configuredBy === null || blockingOf(findings).length > 0,
    recommendedCNAME: [{ rank: 1, value: routing.expected }],
    recommendedIPv4: ipv4.length > 0 ? [{ rank: 1, value: ipv4 }] : [],
    conflicts: findings.filter(({ code }) => code === 'conflicting_records').flatMap(conflictsOf),
    nameservers: (zone?.nameservers ?? []).map(({ name }) => name),
    serviceType: 'external',
    cnames: seen.filter((value) => isIP(value) === 0),
    aValues: seen.filter((value) => isIP(value) === 4),
  };
}

/** Those that keep the domain from being verified or served. */
export function blockingOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === 'blocking');
}

function routingOf({ records }: DiagnosisData): DiagnosisData['records'][number] {
  const found = records.find(({ record }) => record === 'routing');
  if (found === undefined) throw new Error('a diagnosis without a routing record');
  return found;
}

/** `A`: its addresses lead here. `http`: it leads here through a proxy of its owner. Null: it does not, as far as is known. */
function configuredByOf(diagnosis: DiagnosisData): 'CNAME' | 'A' | 'http' | null {
  const { status, findings } = diagnosis;
  const { type, verified, seen } = routingOf(diagnosis);
  const values = seen.flatMap((look) => look.values);
  const hasAddresses = values.some((value) => isIP(value) !== 0);
  if (verified) return type === 'CNAME' && !(values.length > 0 && values.every(isIP)) ? 'CNAME' : 'A';
  const about = findings.filter(({ record }) => record === 'routing');
  const codes = about.map(({ code }) => code);
  if (codes.includes('flattened')) return 'A';
  if (codes.includes('proxied')) return 'http';
  const isElsewhere = codes.includes('apex_elsewhere') || blockingOf(about).length > 0;
  if (isElsewhere || (seen.length > 0 && !hasAddresses)) return null;
  if (status !== 'verified') return type === 'ALIAS' && hasAddresses ? 'A' : null;
  return type === 'ALIAS' ? 'A' : 'http';
}

/** Records beside the right one, to be deleted. `seen` begins with the CNAME that may stay. */
function conflictsOf({ name = '', seen = [] }: Finding) {
  return seen.slice(1).map((value) => ({ name, type: { 4: 'A', 6: 'AAAA' }[isIP(value)] ?? 'CNAME', value }));
}
