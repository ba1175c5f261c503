import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Domain, DomainKind } from './domain.ts';
import type { Finding } from './finding.ts';
import { GONE_DAYS, HEALTHY, type MonitoringMode, type MonitorMemory, monitor, needsSelfCheck } from './monitoring.ts';
import type { RecordReading } from './reading.ts';
import type { AddressReading, Recheck } from './recheck.ts';

const VERIFIED = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TARGET = 'k7mexample.cname.example';

const subdomain: Domain = {
  id: 'dom_1',
  workspaceId: 'ws_1',
  projectId: 'proj_1',
  appId: 'app_1',
  environmentId: 'env_1',
  name: 'api.acme.com',
  kind: 'subdomain',
  service: 'service',
  target: TARGET,
  token: 'TOKEN',
  status: 'verified',
  routingVerifiedAt: VERIFIED,
  ownershipVerifiedAt: VERIFIED,
  challengeZone: null,
  challengeVerifiedAt: null,
  verificationError: null,
  createdAt: VERIFIED - DAY_MS,
  updatedAt: VERIFIED,
  verifiedAt: VERIFIED,
  windowStartedAt: VERIFIED - DAY_MS,
  revision: 3,
  externalId: null,
  metadata: null,
  sharedAddresses: null,
};
const apex: Domain = { ...subdomain, name: 'acme.com', kind: 'apex', routingVerifiedAt: null };

const ownerships = {
  matched: { kind: 'matched' },
  unconfirmed: { kind: 'unconfirmed', reason: 'asked_once' },
  wrong: { kind: 'wrong', values: ['something'] },
  absent: { kind: 'absent', reason: 'nxdomain' },
  disagree: { kind: 'disagree' },
  bogus: { kind: 'bogus' },
  unreadable: { kind: 'unreadable', reason: 'timeout', chain: [] },
} satisfies Record<string, RecordReading>;
const routings = {
  matched: { kind: 'matched' },
  unconfirmed: { kind: 'unconfirmed', reason: 'one_server' },
  elsewhere: { kind: 'elsewhere', chain: ['old.example.net'] },
  hidden: { kind: 'hidden', addresses: ['192.0.2.1'], chain: [] },
  absent: { kind: 'absent', reason: 'nodata' },
  conflicting: { kind: 'conflicting', chain: ['old.example.net'], beside: ['192.0.2.1'] },
  disagree: { kind: 'disagree' },
  bogus: { kind: 'bogus' },
  unreadable: { kind: 'unreadable', reason: 'servfail', chain: [] },
} satisfies Record<string, RecordReading>;
const another = { address: '192.0.2.1', outcome: 'another', seen: 'HTTP 404 "no"' } as const;
const own = { address: '192.0.2.2', outcome: 'ours', seen: null } as const;
const addresses = {
  ours: { kind: 'ours' },
  partly: { kind: 'partly', answers: [own, another] },
  elsewhere: { kind: 'elsewhere', answers: [another] },
  none: { kind: 'elsewhere', answers: [] },
  unreadable: { kind: 'unreadable' },
  unchecked: { kind: 'unchecked' },
} satisfies Record<string, AddressReading>;

type RoutingKey = keyof typeof routings;
type OwnershipKey = keyof typeof ownerships;
type AddressKey = keyof typeof addresses;

const finding = (change: Partial<Finding> & Pick<Finding, 'code'>): Finding => ({
  severity: 'blocking',
  message: `${change.code}.`,
  fix: 'Fix it.',
  retryable: false,
  ...change,
});
const cnameElsewhere = finding({ code: 'cname_elsewhere', record: 'routing' });
const txtMissing = finding({ code: 'txt_missing', record: 'ownership' });

const see = (
  routing: RoutingKey,
  ownership: OwnershipKey,
  at: AddressKey = 'unchecked',
  findings: Finding[] = [],
): Recheck => ({
  routing: routings[routing],
  ownership: ownerships[ownership],
  addresses: addresses[at],
  findings,
});
const ALL_WELL = see('matched', 'matched');
const LOST = see('elsewhere', 'absent', 'elsewhere', [cnameElsewhere]);
const NOTHING_READ = see('unreadable', 'unreadable', 'unreadable');

interface State {
  domain: Domain;
  memory: MonitorMemory;
}

/** Re-checks one after the other, an hour apart unless the look says when. */
function recheck(domain: Domain, looks: (Recheck | { seen: Recheck; at: number })[], mode: MonitoringMode = 'tell') {
  let state: State = { domain, memory: HEALTHY };
  let at = VERIFIED;
  const states: (State & { at: number; outcome: string })[] = [];
  for (const look of looks) {
    at = 'at' in look ? look.at : at + HOUR_MS;
    const { after, memory, outcome } = monitor(state.domain, state.memory, 'at' in look ? look.seen : look, at, mode);
    state = { domain: after, memory };
    states.push({ ...state, at, outcome });
  }
  return states;
}

function last(...given: Parameters<typeof recheck>) {
  const state = recheck(...given).at(-1);
  if (state === undefined) throw new Error('no look');
  return state;
}

/** The verdict of two looks that see the same, about a domain that was healthy. */
function healthOf(domain: Domain, seen: Recheck): 'healthy' | 'drifted' | 'unreadable' {
  const { memory, outcome } = last(domain, [seen, seen]);
  if (memory.driftedSince !== null) return 'drifted';
  return outcome === 'unreadable' ? 'unreadable' : 'healthy';
}

describe('a verified domain', () => {
  test.each([
    ['healthy', 'matched', ['matched', 'wrong', 'absent', 'disagree', 'bogus', 'unreadable'], ['unchecked']],
    ['healthy', 'unconfirmed', ['matched', 'absent', 'unreadable'], ['unchecked']],
    ['healthy', 'hidden', ['matched', 'unconfirmed'], ['ours', 'unchecked']],
    ['drifted', 'hidden', ['matched'], ['partly', 'elsewhere', 'none']],
    ['unreadable', 'hidden', ['matched'], ['unreadable']],
    ['drifted', 'hidden', ['wrong', 'absent', 'disagree', 'bogus'], ['ours', 'elsewhere', 'unreadable', 'unchecked']],
    ['unreadable', 'hidden', ['unreadable'], ['ours', 'elsewhere', 'unchecked']],
    ['healthy', 'elsewhere', ['matched'], ['ours']],
    ['drifted', 'elsewhere', ['matched'], ['elsewhere', 'unchecked']],
    ['drifted', 'elsewhere', ['wrong', 'absent'], ['ours', 'elsewhere', 'unreadable']],
    ['healthy', 'absent', ['matched'], ['ours']],
    ['drifted', 'absent', ['matched', 'absent'], ['none', 'unchecked']],
    ['drifted', 'conflicting', ['matched', 'absent'], ['ours', 'elsewhere', 'unchecked']],
    ['drifted', 'disagree', ['matched', 'absent', 'unreadable'], ['unchecked']],
    ['drifted', 'bogus', ['bogus', 'unreadable'], ['unchecked']],
    ['unreadable', 'unreadable', ['matched', 'wrong', 'absent', 'unreadable'], ['unchecked']],
  ] as const)(
    'that is a subdomain is %s where its routing is %s, its ownership one of %j, its addresses one of %j',
    (expected, routing, each, at) => {
      for (const ownership of each)
        for (const address of at) expect(healthOf(subdomain, see(routing, ownership, address))).toBe(expected);
    },
  );

  test.each([
    ['healthy', ['hidden', 'disagree', 'unreadable', 'absent'], ['matched', 'unconfirmed'], ['ours']],
    ['healthy', ['hidden', 'disagree', 'unreadable'], ['matched'], ['unchecked']],
    ['drifted', ['hidden', 'disagree', 'matched'], ['matched'], ['partly', 'elsewhere', 'none']],
    ['drifted', ['absent', 'elsewhere'], ['matched'], ['unchecked']],
    ['unreadable', ['hidden', 'unreadable'], ['matched'], ['unreadable']],
    ['drifted', ['hidden', 'matched'], ['wrong', 'absent', 'disagree', 'bogus'], ['ours', 'elsewhere', 'unchecked']],
    ['unreadable', ['hidden', 'unreadable'], ['unreadable'], ['ours', 'elsewhere', 'unchecked']],
  ] as const)(
    'that is an apex is %s where its routing is one of %j, its ownership one of %j, its addresses one of %j',
    (expected, routing, each, at) => {
      for (const route of routing)
        for (const ownership of each)
          for (const address of at) expect(healthOf(apex, see(route, ownership, address))).toBe(expected);
    },
  );

  test('is asked for its addresses only where DNS does not say that it leads to us', () => {
    expect(needsSelfCheck(subdomain, see('matched', 'matched'))).toBe(false);
    expect(needsSelfCheck(subdomain, see('unreadable', 'matched'))).toBe(false);
    expect(needsSelfCheck(subdomain, see('hidden', 'matched'))).toBe(true);
    expect(needsSelfCheck(subdomain, see('elsewhere', 'absent'))).toBe(true);
    expect(needsSelfCheck(apex, see('hidden', 'matched'))).toBe(true);
    expect(needsSelfCheck(apex, see('hidden', 'unreadable'))).toBe(false);
  });

  test('that is not verified any more does not change', () => {
    const failed: Domain = { ...subdomain, status: 'failed' };
    expect(last(failed, [LOST, LOST]).domain).toBe(failed);
  });
});

describe('what is lost', () => {
  test('is told by the second look that misses it, and stays verified', () => {
    const [first, second] = recheck(subdomain, [LOST, LOST]);
    expect(first).toMatchObject({ domain: subdomain, outcome: 'suspected' });
    expect(first?.domain).toBe(subdomain);
    expect(second).toMatchObject({ outcome: 'drifted', memory: { driftedSince: second?.at } });
    expect(second?.domain).toMatchObject({
      status: 'verified',
      verifiedAt: VERIFIED,
      routingVerifiedAt: null,
      ownershipVerifiedAt: null,
      updatedAt: second?.at,
      revision: 4,
    });
    expect(second?.domain.verificationError).toBe('cname_elsewhere. Fix it.');
  });

  test('once only is told to nobody', () => {
    const well = see('hidden', 'matched', 'ours');
    expect(last(subdomain, [ALL_WELL, LOST, ALL_WELL]).domain).toBe(subdomain);
    expect(last(apex, [well, LOST, well]).domain).toBe(apex);
  });

  test('is each record for itself: a second look that misses another one is its first', () => {
    const txtLost = see('matched', 'absent');
    const cnameLost = see('hidden', 'matched', 'elsewhere');
    expect(last(subdomain, [txtLost, cnameLost]).domain).toBe(subdomain);
  });

  test('and not needed changes its flag only', () => {
    const { domain, outcome } = last(subdomain, [see('matched', 'absent'), see('matched', 'absent')]);
    expect(domain).toMatchObject({ ownershipVerifiedAt: null, routingVerifiedAt: VERIFIED, verificationError: null });
    expect(outcome).toBe('healthy');
  });

  test('stays suspected while nothing can be read', () => {
    expect(last(subdomain, [LOST, NOTHING_READ, NOTHING_READ]).domain).toBe(subdomain);
    expect(last(subdomain, [LOST, NOTHING_READ, LOST]).outcome).toBe('drifted');
  });

  test('is cleared by the first look that finds the domain healthy', () => {
    const { domain, outcome, at } = last(subdomain, [LOST, LOST, LOST, ALL_WELL]);
    expect(outcome).toBe('recovered');
    expect(domain).toMatchObject({ verificationError: null, routingVerifiedAt: at, ownershipVerifiedAt: at });
  });

  test('is told once: more looks that see the same change nothing', () => {
    const states = recheck(subdomain, [LOST, LOST, LOST, LOST]);
    expect(states.at(-1)?.domain).toBe(states[1]?.domain);
    expect(states.at(-1)?.outcome).toBe('still_drifted');
  });
});

describe('what is said', () => {
  const said = (domain: Domain, seen: Recheck, mode: MonitoringMode = 'tell') =>
    last(domain, [seen, seen], mode).domain.verificationError;

  const another404 = 'acme.com has the address 192.0.2.1, which leads to another server (HTTP 404 "no").';
  const point = `Point it to ${TARGET} by an ALIAS (or ANAME) record; if a provider proxies it, set that host as the origin there.`;
  const caa = finding({ code: 'caa_forbids' });
  const apexElsewhere = finding({ code: 'apex_elsewhere', record: 'routing' });
  test.each<[string, Domain, Recheck, string]>([
    [
      'the addresses of an apex',
      apex,
      see('hidden', 'matched', 'elsewhere', [apexElsewhere]),
      `${another404} ${point}`,
    ],
    [
      'the TXT record of an apex whose addresses are ours',
      apex,
      see('hidden', 'absent', 'ours', [apexElsewhere, txtMissing]),
      'txt_missing. Fix it.',
    ],
    [
      'both of an apex',
      apex,
      see('hidden', 'absent', 'elsewhere', [apexElsewhere, txtMissing]),
      `${another404} ${point} txt_missing. Fix it.`,
    ],
    [
      'an apex without addresses',
      apex,
      see('absent', 'matched', 'none'),
      `acme.com has no address any more, so nobody reaches it. ${point}`,
    ],
    [
      'the first mistake that blocks, never one that is not why',
      subdomain,
      see('absent', 'absent', 'none', [
        caa,
        cnameElsewhere,
        txtMissing,
        finding({ code: 'proxied', severity: 'info' }),
      ]),
      'cname_elsewhere. Fix it.',
    ],
  ])('of %s', (_, domain, seen, expected) => {
    expect(said(domain, seen)).toBe(expected);
  });

  test('has at most 512 characters, whatever was seen, and is never empty', () => {
    const long = 'x'.repeat(200);
    const label = 'a'.repeat(63);
    const name = `${label}.${label}.${label}.${'b'.repeat(57)}.com`;
    const domain: Domain = { ...subdomain, name, target: `${label}.${label}.${label}.${label.slice(2)}` };
    const message = `${long} ${long}.`;
    const findings = [finding({ code: 'cname_elsewhere', record: 'routing', message }), txtMissing];
    for (const routing of Object.keys(routings) as RoutingKey[])
      for (const ownership of Object.keys(ownerships) as OwnershipKey[])
        for (const at of Object.keys(addresses) as AddressKey[])
          for (const one of [domain, { ...domain, kind: 'apex' as const }]) {
            const seen = see(routing, ownership, at, findings);
            if (seen.addresses.kind === 'elsewhere')
              seen.addresses = { kind: 'elsewhere', answers: Array(8).fill({ ...another, seen: long }) };
            for (const mode of ['tell', 'enforce'] as const) {
              const text = said(one, seen, mode);
              if (text === null) continue;
              expect(text.length).toBeGreaterThan(20);
              expect(text.length).toBeLessThanOrEqual(512);
              expect(text).toMatch(/\.$/);
              // A host is there as a whole, or not at all.
              expect(text.replaceAll(one.name, '').replaceAll(one.target, '')).not.toContain('aaaa');
            }
          }
  });

  test('names the end of the grace where nothing leads to us and that is enforced', () => {
    expect(said(subdomain, LOST, 'enforce')).toMatch(
      / If that lasts for 7 days, the domain is no longer served here\.$/,
    );
    expect(said(apex, see('hidden', 'absent', 'ours'), 'enforce')).not.toContain('7 days');
  });
});

describe('enforced, a domain', () => {
  /** One look a day from the first on, `hours` apart. */
  const daily = (seen: Recheck, looks: number, hours = 24) =>
    Array.from({ length: looks }, (_, i) => ({ seen, at: VERIFIED + i * hours * HOUR_MS }));

  test('fails after seven days without anything that leads to us, and is told so', () => {
    const states = recheck(subdomain, daily(LOST, GONE_DAYS + 1), 'enforce');
    expect(states.map(({ domain }) => domain.status)).toEqual([...Array(GONE_DAYS).fill('verified'), 'failed']);
    expect(states.at(-1)).toMatchObject({
      outcome: 'failed',
      memory: HEALTHY,
      domain: { routingVerifiedAt: null, ownershipVerifiedAt: null, verifiedAt: null },
    });
    expect(states.at(-1)?.domain.verificationError).toMatch(/^api\.acme\.com did not lead here for 7 days/);
  });

  test('does not fail a millisecond earlier, however often it is looked at', () => {
    const looks = [...daily(LOST, GONE_DAYS * 24, 1), { seen: LOST, at: VERIFIED + GONE_DAYS * DAY_MS - 1 }];
    expect(last(subdomain, looks, 'enforce').domain.status).toBe('verified');
    expect(
      last(subdomain, [...looks, { seen: LOST, at: VERIFIED + GONE_DAYS * DAY_MS }], 'enforce').domain.status,
    ).toBe('failed');
  });

  test('does not fail while it is only told', () => {
    expect(last(subdomain, daily(LOST, 400)).domain.status).toBe('verified');
  });

  test.each([
    ['a healthy look', ALL_WELL],
    ['a TXT record that matches', see('elsewhere', 'matched', 'elsewhere')],
    ['an address that answers as ours', see('hidden', 'absent', 'partly')],
    ['nameservers of which one still has a record', see('disagree', 'absent')],
    ['a hidden routing record where no self-check can be made', see('hidden', 'absent', 'unchecked')],
    [
      'one of two routing records',
      { ...LOST, routing: { kind: 'conflicting', chain: ['x.example'], beside: [TARGET] } },
    ],
  ] as [string, Recheck][])('begins its seven days anew after %s', (_, seen) => {
    const looks = daily(LOST, 2 * GONE_DAYS);
    looks[GONE_DAYS - 1] = { seen, at: VERIFIED + (GONE_DAYS - 1) * DAY_MS };
    const states = recheck(subdomain, looks, 'enforce');
    expect(states.at(-1)?.domain.status).toBe('verified');
    expect(
      last(subdomain, [...looks, { seen: LOST, at: VERIFIED + 2 * GONE_DAYS * DAY_MS }], 'enforce').domain.status,
    ).toBe('failed');
  });

  test.each([
    ['no look', null],
    ['looks that read nothing', NOTHING_READ],
    ['looks at a zone whose signatures are wrong', see('bogus', 'bogus')],
  ])('begins its seven days anew after a day of %s', (_, seen) => {
    const looks = daily(LOST, GONE_DAYS + 4).flatMap((look, day) => {
      if (day !== 3) return [look];
      return seen === null ? [] : [{ ...look, seen }];
    });
    expect(last(subdomain, looks, 'enforce').domain.status).toBe('verified');
  });

  test('keeps its count over hours that cannot be read', () => {
    const looks = daily(LOST, GONE_DAYS + 1).flatMap((look) => [look, { seen: NOTHING_READ, at: look.at + HOUR_MS }]);
    expect(recheck(subdomain, looks, 'enforce').some(({ domain }) => domain.status === 'failed')).toBe(true);
  });

  test('is neither failed nor counted by a clock that is not trusted', () => {
    const { domain, memory, at: before } = last(subdomain, daily(LOST, GONE_DAYS), 'enforce');
    const at = before + DAY_MS;
    const next = monitor(domain, memory, LOST, at, 'enforce', false);
    expect(next).toMatchObject({ after: domain, memory: { goneSince: memory.goneSince, goneUntil: memory.goneUntil } });
    expect(monitor(domain, memory, LOST, at, 'enforce').after.status).toBe('failed');
  });

  test('begins its seven days anew after the clock was set back', () => {
    const ahead = daily(LOST, GONE_DAYS).map(({ seen, at }) => ({ seen, at: at + 30 * DAY_MS }));
    const states = recheck(subdomain, [...ahead, ...daily(LOST, GONE_DAYS)], 'enforce');
    expect(states.at(-1)?.domain.status).toBe('verified');
    expect(states.at(-1)?.memory.goneSince).toBe(VERIFIED);
  });

  test('does not fail because the clock was set ahead', () => {
    expect(
      last(
        subdomain,
        [
          { seen: LOST, at: VERIFIED },
          { seen: LOST, at: VERIFIED + 400 * DAY_MS },
        ],
        'enforce',
      ).domain.status,
    ).toBe('verified');
  });

  test('that was told long before begins its seven days when that is enforced', () => {
    const { domain, memory } = last(subdomain, daily(LOST, 100));
    expect(monitor(domain, memory, LOST, VERIFIED + 101 * DAY_MS, 'enforce').after.status).toBe('verified');
  });
});

const reading: fc.Arbitrary<Recheck> = fc.record({
  findings: fc.constant([]),
  routing: fc.constantFrom(...Object.values(routings)),
  ownership: fc.constantFrom(...Object.values(ownerships)),
  addresses: fc.constantFrom(...Object.values(addresses)),
});
const bad = fc.constantFrom(LOST, see('absent', 'wrong', 'none'), see('hidden', 'absent', 'elsewhere'));
const look = fc.record({
  seen: fc.oneof(
    { weight: 12, arbitrary: bad },
    { weight: 1, arbitrary: reading },
    { weight: 1, arbitrary: fc.constant(NOTHING_READ) },
  ),
  // Mostly within a day; at times the clock is set back, or nobody looks for days.
  passes: fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 1, max: 26 }) },
    { weight: 1, arbitrary: fc.integer({ min: -200, max: 60 }) },
  ),
});
const history = fc.array(look, { minLength: 1, maxLength: 60, size: 'max' });

describe.each(['subdomain', 'apex'] as const)('in any history of re-checks of one %s', (kind: DomainKind) => {
  const start = kind === 'apex' ? apex : subdomain;
  const timed = (looks: { seen: Recheck; passes: number }[]) => {
    let at = VERIFIED;
    return looks.map(({ seen, passes }) => {
      at += passes * HOUR_MS;
      return { seen, at };
    });
  };

  /** The sentence of the issue, read literally: seven days back from `at`, each with a look that found nothing, and no look that found anything. */
  function mayFail(looks: { seen: Recheck; at: number }[]): boolean {
    const end = looks.at(-1)?.at ?? 0;
    const nothing = ({ routing, ownership, addresses: { kind: answer } }: Recheck) =>
      ['elsewhere', 'absent', 'hidden', 'conflicting'].includes(routing.kind) &&
      ['wrong', 'absent'].includes(ownership.kind) &&
      (answer === 'elsewhere' || (answer === 'unchecked' && routing.kind !== 'hidden'));
    const something = ({ routing, ownership, addresses: { kind: answer } }: Recheck) =>
      [routing.kind, ownership.kind].some((k) => ['matched', 'unconfirmed', 'disagree'].includes(k)) ||
      ['ours', 'partly'].includes(answer);
    return looks.some((from, i) => {
      const since = looks.slice(i);
      if (!nothing(from.seen) || end - from.at < 7 * DAY_MS) return false;
      if (since.some(({ seen }) => something(seen))) return false;
      const found = since.filter(({ seen }) => nothing(seen));
      if (found.some(({ at }, j) => at < (found[j - 1]?.at ?? 0))) return false;
      return [0, 1, 2, 3, 4, 5, 6].every((day) =>
        since.some(
          ({ seen, at }) => nothing(seen) && at >= from.at + day * DAY_MS && at < from.at + (day + 1) * DAY_MS,
        ),
      );
    });
  }

  test('nothing leaves verified but by seven readable days of enforce', () => {
    let failures = 0;
    fc.assert(
      fc.property(history, (looks) => {
        const all = timed(looks);
        const states = recheck(start, all, 'enforce');
        const failed = states.findIndex(({ domain }) => domain.status === 'failed');
        if (failed < 0) return;
        failures += 1;
        expect(mayFail(all.slice(0, failed + 1))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    // The property would hold too if nothing ever failed.
    expect(failures).toBeGreaterThan(50);
  });

  test('what is told alone: nothing leaves verified, and the error is there exactly while the domain is unhealthy', () => {
    fc.assert(
      fc.property(history, (looks) => {
        let before = start;
        for (const { domain, memory, at } of recheck(start, timed(looks))) {
          expect(domain.status).toBe('verified');
          expect(domain.verificationError !== null).toBe(memory.driftedSince !== null);
          if (domain !== before) expect(domain).toMatchObject({ updatedAt: at, revision: before.revision + 1 });
          before = domain;
        }
      }),
    );
  });

  test('one look that differs from those before and after tells nobody anything', () => {
    const well = kind === 'apex' ? see('hidden', 'matched', 'ours') : ALL_WELL;
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 20 }), (odd) => {
        const looks = odd.flatMap((seen) => [seen, well]);
        for (const { domain } of recheck(start, looks, 'enforce')) {
          // A record that is seen for the first time may be shown at once.
          expect(domain).toMatchObject({ status: 'verified', verificationError: null, ownershipVerifiedAt: VERIFIED });
        }
      }),
    );
  });

  test('looks that read nothing change nothing, whatever was before', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 50 }), (looks, outage) => {
        const before = last(start, timed(looks));
        let { domain, memory } = before;
        for (let i = 1; i <= outage; i++) {
          const next = monitor(domain, memory, NOTHING_READ, before.at + i * HOUR_MS, 'enforce');
          expect(next.after).toBe(domain);
          ({ after: domain, memory } = next);
        }
        expect(memory.driftedSince).toBe(before.memory.driftedSince);
      }),
    );
  });
});
