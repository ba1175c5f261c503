import type { Domain } from '../../domain/domain.ts';
import { unicodeName } from '../../domain/name.ts';
import type { Observation, Probe, RecordObservation } from '../../domain/observation.ts';
import { answerMatches } from '../../domain/read-observation.ts';
import type { RecordRole } from '../../domain/reading.ts';
import { baseName, isWildcard, randomLabel } from '../../domain/wildcard.ts';

/** A name to ask for, beside the two records. */
export type PlannedProbe = Omit<Probe, 'answer'>;

/** Longest DNS name, in characters without the final dot (RFC 1035 section 2.3.4), and longest label. */
const NAME_LIMIT = 253;
const LABEL_LIMIT = 63;
/** CAA records are asked for so many labels up at most. */
const MAX_CAA_NAMES = 4;

/** Looks around the records, only for what can explain the answers. The most telling looks come first, because the queries of a check are limited. */
export function planProbes(domain: Domain, observation: Observation, random: () => number): PlannedProbe[] {
  const planned = [
    ...(isMatched(domain, 'ownership', observation) ? [] : ownershipProbes(domain, observation.ownership, random)),
    ...(isMatched(domain, 'routing', observation) ? [] : routingProbes(domain, observation.routing, random)),
    ...(isWildcard(domain.name) ? challengeProbes(observation.challenge) : []),
    ...zoneProbes(domain, observation),
  ];
  return planned.filter(({ name }) => isName(name));
}

/** Looks for a name that is not attached: none of its records can be misplaced yet. */
export function planNameProbes(domain: Domain, observation: Observation): PlannedProbe[] {
  return zoneProbes(domain, observation);
}

function ownershipProbes(domain: Domain, seen: RecordObservation, random: () => number): PlannedProbe[] {
  const { service } = domain;
  const host = baseName(domain.name);
  const { name, zone } = seen;
  const probe = (purpose: Probe['purpose'], at: string): PlannedProbe => ({
    ...{ purpose, record: 'ownership', name: at, type: 'TXT' },
  });
  return [
    ...doubled(name, zone.apex).map((at) => probe('doubled', at)),
    ...otherNames(domain, zone.apex).map((at) => probe('other_name', at)),
    ...misspelled(service).map((label) => probe('other_name', `${label}.${host}`)),
    ...(somethingIsThere(seen) ? [probe('sibling', `_${randomLabel(random)}.${host}`)] : []),
    ...rawNames(name).map((at) => probe('raw_name', at)),
  ];
}

/** Where else people publish the TXT record. */
function otherNames({ name, kind, service }: Domain, apex: string): string[] {
  const label = `_${service}`;
  const host = baseName(name);
  if (kind === 'apex') return [host, `${service}.${host}`, `${label}.www.${host}`];
  const [first, ...rest] = host.split('.');
  const before = isWildcard(name) ? [`${label}.${name}`] : [];
  return [
    ...new Set([...before, host, `${service}.${host}`, `${label}.${apex}`, apex, [first, label, ...rest].join('.')]),
  ];
}

/** The label of the TXT record as people mistype it. */
function misspelled(service: string): string[] {
  return [
    `__${service}`,
    `_${service.endsWith('s') ? service.slice(0, -1) : `${service}s`}`,
    `_${service}-domain-verify`,
  ];
}

function routingProbes(
  { name: host, kind, target: ours }: Domain,
  seen: RecordObservation,
  random: () => number,
): PlannedProbe[] {
  const target: PlannedProbe = { purpose: 'target', record: 'routing', name: ours, type: 'A' };
  const isHidden = seen.nameservers.some(
    ({ answers: [answer] }) => answer.kind === 'found' && answer.chain.length === 0,
  );
  const targets = isHidden ? [target] : [];
  const { apex } = seen.zone;
  const probe = (purpose: Probe['purpose'], name: string): PlannedProbe => ({
    ...{ purpose, record: 'routing', name, type: 'A' },
  });
  // The routing record of an apex decides nothing, but many publish it at www instead.
  if (kind === 'apex') return [...targets, ...(seen.nameservers.length > 0 ? [probe('www', `www.${host}`)] : [])];
  const base = baseName(host);
  const parent = base.slice(base.indexOf('.') + 1);
  const www = base.startsWith('www.') && base === host ? parent : `www.${base}`;
  // A wildcard has none beside it, but may be below another one.
  const hasSiblings = base === host ? somethingIsThere(seen) : base !== apex;
  return [
    ...doubled(host, apex).map((at) => probe('doubled', at)),
    { ...probe('other_type', host), type: 'TXT' },
    ...(hasSiblings ? [probe('sibling', `${randomLabel(random)}.${parent}`)] : []),
    ...targets,
    ...(base === host ? [] : [probe('other_name', base)]),
    probe('www', www),
    ...(apex === www ? [] : [probe('other_name', apex)]),
    ...(host === `www.${apex}` ? [] : [probe('other_name', `www.${apex}`)]),
    ...rawNames(host).map((at) => probe('raw_name', at)),
  ];
}

/** Around the CNAME for certificates: with the zone twice in its name, and as a TXT record. */
function challengeProbes(seen: Observation['challenge']): PlannedProbe[] {
  const answers = seen?.nameservers.flatMap((nameserver) => nameserver.answers) ?? [];
  if (seen === undefined || answers.some(({ chain }) => chain.includes(seen.expected))) return [];
  const { name, zone } = seen;
  return [
    ...doubled(name, zone.apex).map(
      (at) => ({ purpose: 'doubled', record: 'challenge', name: at, type: 'A' }) as const,
    ),
    { purpose: 'other_type', record: 'challenge', name, type: 'TXT' },
  ];
}

function zoneProbes({ name }: Domain, { ownership, routing }: Observation): PlannedProbe[] {
  const { apex } = routing.zone;
  const isBogus = [ownership, routing].some(({ validation }) => validation?.status === 'bogus');
  const labels = baseName(name).split('.');
  const above = labels.map((_, i) => labels.slice(i).join('.')).slice(0, -1);
  const caa = above.slice(0, MAX_CAA_NAMES).map(
    (name): PlannedProbe => ({
      ...{ purpose: 'caa', record: 'routing', name, type: 'CAA' },
    }),
  );
  return [...(isBogus ? [{ purpose: 'ds', record: 'routing', name: apex, type: 'DS' } as const] : []), ...caa];
}

/** The name with the zone appended as a whole, and with the zone's last labels appended to its first ones: `api.acme.acme.com`. */
function doubled(name: string, apex: string): string[] {
  if (!name.endsWith(`.${apex}`)) return [`${name}.${apex}`];
  const relative = name.slice(0, -apex.length - 1);
  const labels = apex.split('.');
  const partly = labels.slice(1).map((_, i) => `${relative}.${labels.slice(0, i + 1).join('.')}.${apex}`);
  return [`${name}.${apex}`, ...partly];
}

function rawNames(name: string): string[] {
  const raw = unicodeName(name);
  return raw === name ? [] : [escapeOctets(raw)];
}

/** As names are written in `dns/`: octets that are no plain characters as `\DDD`. */
function escapeOctets(name: string): string {
  const octets = [...Buffer.from(name.toLowerCase())];
  return octets.map((octet) => (octet < 0x80 ? String.fromCharCode(octet) : `\\${octet}`)).join('');
}

/** Whether anything answers at the record's name, so that it may be a wildcard. */
function somethingIsThere({ nameservers }: RecordObservation): boolean {
  return nameservers.some(({ answers: [answer] }) => answer.kind === 'found' || answer.chain.length > 0);
}

function isMatched(domain: Domain, role: RecordRole, observation: Observation): boolean {
  const answers = observation[role].nameservers.flatMap(({ answers: given }) => given);
  const readable = answers.filter(({ kind }) => kind !== 'unreadable');
  return readable.length > 0 && readable.every((answer) => answerMatches(domain, role, answer));
}

function isName(name: string): boolean {
  return name.length <= NAME_LIMIT && name.split('.').every((label) => label.length <= LABEL_LIMIT);
}
