import type { Domain } from '../../server/src/domain/domain.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import type { Random } from '../support/seeded-random.ts';
import type { Nameserver } from './knot.ts';
import type { Lab } from './lab.ts';
import { type Mistake, type MistakenSubject, OWNERSHIP_MISTAKES, ROUTING_MISTAKES } from './mistakes.ts';
import { type DelegatedHost, dsData, TOP_LEVEL } from './registry.ts';
import { EDGE_ADDRESS, ownershipLine, routingLine } from './world.ts';

/**
 * Zones that a seed makes: as customers have them, with other records beside, at one to four nameservers, signed or
 * not.
 */
export interface GeneratedZone {
  domain: Domain;
  /** Mistakes of the catalogue in the zone; none: it is healthy. */
  mistakes: Mistake[];
  /** Its differences from the plainest zone. */
  traits: string[];
  /** The domain's own lines. */
  lines: string;
}

export interface Setting {
  lab: Lab;
  random: Random;
  /** Another domain of the workspace that all domains belong to. */
  other: Domain;
  number: number;
}

const HOSTS = ['shop', 'web', 'api', 'links.eu', 'a.b.c', 'xn--bcher-kva', 'xn--mnchen-3ya', 'status-page'];

/** One or two mistakes. */
export async function brokenZone(setting: Setting): Promise<GeneratedZone> {
  const { random, number } = setting;
  const { domain, zone, servers, isDown } = await newZone(
    setting,
    `broken${number}`,
    random.chance(0.3) ? 'apex' : 'subdomain',
  );
  const traits = isDown ? ['one nameserver down'] : [];
  const subject: MistakenSubject = { domain, zone: zone.name, targetAddress: EDGE_ADDRESS, other: setting.other };
  const { lines, mistakes } = domain.kind === 'apex' ? brokenApex(subject, random) : brokenSubdomain(subject, random);
  await publish(setting, { zone, servers, lines, traits, apexFree: domain.kind === 'subdomain' });
  return { domain, mistakes, traits, lines };
}

function brokenApex(subject: MistakenSubject, random: Random): Pick<GeneratedZone, 'lines' | 'mistakes'> {
  const mistake = random.pick(OWNERSHIP_MISTAKES.filter(({ kinds }) => kinds.includes('apex'))) as Mistake;
  const address = `${subject.domain.name}. A ${EDGE_ADDRESS}`;
  return { mistakes: [mistake], lines: [mistake.lines(subject), address].join('\n') };
}

function brokenSubdomain(subject: MistakenSubject, random: Random): Pick<GeneratedZone, 'lines' | 'mistakes'> {
  const routing = random.pick(ROUTING_MISTAKES) as Mistake;
  const wrongRouting = routing.lines(subject);
  const hasCname = /^[^ ]+ CNAME /m.test(wrongRouting);
  // A CNAME suffers no other record at its name, and a wildcard none below it.
  const fitting = OWNERSHIP_MISTAKES.filter(
    ({ effect, code }) => !(effect === 'in_the_way' && hasCname) && code !== 'txt_missing',
  );
  const ownership = random.pick(fitting) as Mistake;
  if (routing.effect === 'hidden') {
    // With the right TXT record it would be verified: it is missing, or wrong.
    if (random.chance(0.5)) return { mistakes: [routing], lines: wrongRouting };
    return { mistakes: [routing, ownership], lines: [wrongRouting, ownership.lines(subject)].join('\n') };
  }
  // A record below the name would hide it from the wildcard.
  const beside = routing.code === 'wildcard_answers' ? 0 : random.below(3);
  if (beside === 0) return { mistakes: [routing], lines: wrongRouting };
  if (beside === 1) return { mistakes: [routing], lines: [wrongRouting, ownershipLine(subject.domain)].join('\n') };
  return { mistakes: [routing, ownership], lines: [wrongRouting, ownership.lines(subject)].join('\n') };
}

/** How a healthy zone differs from the plainest one, and its lines. */
type Variant = (subject: MistakenSubject, random: Random, setting: Setting) => string;

const HEALTHY: Record<string, { kind: Domain['kind']; lines: Variant }> = {
  CNAME: { kind: 'subdomain', lines: ({ domain }) => routingLine(domain) },
  'both records': { kind: 'subdomain', lines: ({ domain }) => `${routingLine(domain)}\n${ownershipLine(domain)}` },
  'a chain of CNAMEs': {
    kind: 'subdomain',
    lines({ domain }, random) {
      const steps = random.between(1, 7);
      const hops = Array.from(
        { length: steps },
        (_, step) => `hop${step} CNAME ${step + 1 < steps ? `hop${step + 1}` : `${domain.target}.`}`,
      );
      return [`${domain.name}. CNAME hop0`, ...hops].join('\n');
    },
  },
  'a DNAME': {
    kind: 'subdomain',
    lines: ({ domain, zone }) => {
      const [first, ...rest] = relative(domain.name, zone).split('.');
      const above = rest.join('.');
      return above === '' ? routingLine(domain) : `${above} DNAME moved\n${first}.moved CNAME ${domain.target}.`;
    },
  },
  'a wildcard that answers right': { kind: 'subdomain', lines: ({ domain }) => `* CNAME ${domain.target}.` },
  'proxied, with TXT': {
    kind: 'subdomain',
    lines: ({ domain }) => `${domain.name}. A 104.16.132.229\n${ownershipLine(domain)}`,
  },
  'flattened, with TXT': {
    kind: 'subdomain',
    lines: ({ domain }) => `${domain.name}. A ${EDGE_ADDRESS}\n${ownershipLine(domain)}`,
  },
  'mixed case': {
    kind: 'subdomain',
    lines: ({ domain }) =>
      `${mixedCase(domain.name)}. CNAME ${mixedCase(domain.target)}.\n${mixedCase(ownershipName(domain))}. TXT "${ownershipValue(domain)}"`,
  },
  'an apex with addresses': { kind: 'apex', lines: ({ domain }) => `@ A ${EDGE_ADDRESS}\n${ownershipLine(domain)}` },
  'a TXT record in several strings': {
    kind: 'apex',
    lines({ domain }, random) {
      const value = ownershipValue(domain);
      const at = random.between(1, value.length - 1);
      return `@ A ${EDGE_ADDRESS}\n${ownershipName(domain)}. TXT "${value.slice(0, at)}" "${value.slice(at)}"`;
    },
  },
  'many TXT records beside': {
    kind: 'apex',
    lines({ domain }, random) {
      const others = Array.from(
        { length: random.between(2, 30) },
        (_, index) => `${ownershipName(domain)}. TXT "other-site-verification=${index}"`,
      );
      return [`@ A ${EDGE_ADDRESS}`, ...others, ownershipLine(domain)].join('\n');
    },
  },
  'a TXT name that leads elsewhere': {
    kind: 'apex',
    lines: ({ domain }) =>
      `@ A ${EDGE_ADDRESS}\n${ownershipName(domain)}. CNAME proofs\nproofs TXT "${ownershipValue(domain)}"`,
  },
};

export const HEALTHY_VARIANTS = Object.keys(HEALTHY);

/** Verified by the first check, and nothing to complain about. */
export async function healthyZone(setting: Setting): Promise<GeneratedZone> {
  const { random, number } = setting;
  const name = HEALTHY_VARIANTS[number % HEALTHY_VARIANTS.length] as string;
  const variant = HEALTHY[name] as (typeof HEALTHY)[string];
  const { domain, zone, servers, isDown } = await newZone(setting, `healthy${number}`, variant.kind);
  const traits = [name, ...(isDown ? ['one nameserver down'] : [])];
  const subject: MistakenSubject = { domain, zone: zone.name, targetAddress: EDGE_ADDRESS, other: setting.other };
  const lines = variant.lines(subject, random, setting);
  await publish(setting, { zone, servers, lines, traits, apexFree: variant.kind === 'subdomain' });
  return { domain, mistakes: [], traits, lines };
}

async function newZone({ lab, random }: Setting, label: string, kind: Domain['kind']) {
  const servers = lab.servers.slice(0, random.between(1, lab.servers.length));
  const hosts: DelegatedHost[] = random.chance(0.1) ? [...servers, lab.silent] : servers;
  const zone = await lab.internet.registerName(`${label}.${random.pick(TOP_LEVEL)}`, hosts);
  const host = random.pick(HOSTS);
  const domain = await lab.createDomain(kind === 'apex' ? zone.name : `${host}.${zone.name}`, kind);
  return { domain, zone, servers, isDown: hosts.length > servers.length };
}

interface Publication {
  zone: Awaited<ReturnType<Lab['internet']['registerName']>>;
  servers: Nameserver[];
  lines: string;
  traits: string[];
  /** The domain has no records of its own at the apex. */
  apexFree: boolean;
}

/** With what other customers have beside, signed or not. */
async function publish({ random }: Setting, { zone, servers, lines, traits, apexFree }: Publication): Promise<void> {
  const [first] = servers;
  const beside = ['mail A 203.0.113.25'];
  if (random.chance(0.5)) beside.push('@ MX 10 mail', '@ TXT "v=spf1 mx -all"');
  if (apexFree && random.chance(0.5)) beside.push('@ A 203.0.113.80');
  const signed = random.chance(0.3);
  await zone.publish([lines, ...beside].join('\n'), servers, { signed, nsec3: signed && random.chance(0.5) });
  if (servers.length > 1) traits.push(`${servers.length} nameservers`);
  if (!signed || first === undefined) return;
  traits.push('signed');
  await zone.secure((await first.readDs(zone.name)).map(dsData));
}

function relative(name: string, zone: string): string {
  return name.slice(0, -zone.length - 1);
}

function mixedCase(text: string): string {
  return [...text].map((letter, index) => (index % 2 === 0 ? letter.toUpperCase() : letter)).join('');
}
