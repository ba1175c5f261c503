import type { Domain } from '../../server/src/domain/domain.ts';
import type { Finding, FindingCode } from '../../server/src/domain/finding.ts';
import type { Lab } from './lab.ts';
import { type Mistake, OWNERSHIP_MISTAKES, ROUTING_MISTAKES, rightLine } from './mistakes.ts';
import { CHALLENGE_MISTAKES, WILDCARD_MISTAKES } from './wildcard-mistakes.ts';
import { EDGE_ADDRESS } from './world.ts';
import { ZONE_MISTAKES, type ZoneMistake, type ZoneSubject } from './zone-mistakes.ts';

/** One mistake in an otherwise right zone, and what is right instead. */
export interface Scenario {
  code: FindingCode;
  what: string;
  kind: Domain['kind'];
  host?: string | undefined;
  breaks(subject: ZoneSubject): Promise<void>;
  mends(subject: ZoneSubject): Promise<void>;
  /** The domain is verified with it. */
  verified: boolean;
  /** Its checks last until their time limit. */
  isSlow: boolean;
  says?: ZoneMistake['says'];
  isGoneAfterwards?: true;
}

/** Every mistake of both catalogues, each in a zone of its own. */
export function allScenarios(lab: Lab, other: Domain): Scenario[] {
  const ofRecords = [...ROUTING_MISTAKES, ...OWNERSHIP_MISTAKES].flatMap((mistake) =>
    mistake.kinds.map((kind) => recordScenario(lab, mistake, kind, other)),
  );
  return [...ofRecords, ...[...ZONE_MISTAKES, ...WILDCARD_MISTAKES, ...CHALLENGE_MISTAKES].map(zoneScenario)];
}

function zoneScenario({ verified, kind, isSlow, ...mistake }: ZoneMistake): Scenario {
  return { ...mistake, kind: kind ?? 'subdomain', verified: verified ?? false, isSlow: isSlow ?? false };
}

function recordScenario({ servers: [first] }: Lab, mistake: Mistake, kind: Domain['kind'], other: Domain): Scenario {
  return {
    code: mistake.code,
    what: mistake.what,
    kind,
    verified: false,
    isSlow: false,
    async breaks({ zone, domain }) {
      const wrong = mistake.lines({ domain, zone: zone.name, targetAddress: EDGE_ADDRESS, other });
      await zone.publish([wrong, beside(mistake, domain)].join('\n'), [first]);
    },
    async mends({ zone, domain }) {
      const right = rightLine(mistake.record, domain, EDGE_ADDRESS);
      await zone.publish([right, beside(mistake, domain)].join('\n'), [first]);
    },
  };
}

/** The other record: a mistake in the TXT record matters only where the routing record cannot be read back. */
function beside({ record }: Mistake, domain: Domain): string {
  return record === 'routing' ? '' : `${domain.name}. A ${EDGE_ADDRESS}`;
}

export interface Tried {
  scenario: Scenario;
  subject: ZoneSubject;
  /** After the first check, with the mistake. */
  before: Domain;
  /** The findings of a diagnosis with the mistake. */
  findings: Finding[];
  /** After the next check, with the mistake corrected. */
  after: Domain;
  /** The findings of a diagnosis after that, where the scenario asks for one. */
  left: Finding[];
}

/** As long as the lab's delegations are cached. */
const HOUR_MS = 3_600_000;

/** Every scenario in a zone of its own, all of them side by side. */
export async function tryScenarios(
  lab: Lab,
  scenarios: Scenario[],
  other: Domain,
  label = 'mistake',
): Promise<Tried[]> {
  const { world } = lab;
  const tried: Tried[] = [];
  for (const [number, scenario] of scenarios.entries()) {
    const subject = await lab.subject(`${label}${number}`, scenario);
    await scenario.breaks(subject);
    tried.push({ scenario, subject, before: subject.domain, findings: [], after: subject.domain, left: [] });
  }
  await world.check(other);
  await inParallel(tried, 20, async (one) => {
    one.before = await world.read(one.subject.domain);
    one.findings = await world.diagnose(one.subject.domain);
  });
  for (const { scenario, subject } of tried) await scenario.mends(subject);
  world.clock.pass(HOUR_MS);
  await world.check(other);
  for (const one of tried) {
    one.after = await world.read(one.subject.domain);
    if (one.scenario.isGoneAfterwards) one.left = await world.diagnose(one.subject.domain);
  }
  return tried;
}

/**
 * Returns a failed expectation: the mistake is the first finding, nothing is verified with it, and without it the
 * domain is.
 */
export function failureOf({ scenario, subject, before, findings: [first], after, left }: Tried): string | null {
  const { says } = scenario;
  const failures = [
    first?.code === scenario.code ? null : `the first finding is ${first?.code}`,
    (before.status === 'verified') === scenario.verified ? null : `${before.status} with the mistake`,
    says?.about === undefined || says.about(subject.domain).includes(first?.name ?? '')
      ? null
      : `it is about ${first?.name}`,
    says?.text?.test(first?.message ?? '') === false ? `it says: ${first?.message}` : null,
    left.some(({ code }) => code === scenario.code) ? `${scenario.code} without the mistake` : null,
    after.status === 'verified' ? null : `${after.status} without the mistake`,
  ].filter((failure) => failure !== null);
  return failures.length === 0 ? null : `${scenario.code} (${scenario.what}): ${failures.join(', ')}`;
}

/** For people who review the texts. */
export function report({ scenario, findings }: Tried): string {
  const told = findings.map(
    ({ severity, code, message, fix }) => `  ${severity} ${code}: ${message}${fix === '' ? '' : `\n    → ${fix}`}`,
  );
  return [`${scenario.code}: ${scenario.what} (${scenario.kind})`, ...told].join('\n');
}

/** Runs it for each item, so many at once. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
