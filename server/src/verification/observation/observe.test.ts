import { describe, expect, test } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../../../test/support/entities.ts';
import {
  addresses,
  cname,
  fails,
  NODATA,
  NXDOMAIN,
  rightTxt,
  txt,
  validation,
} from '../../../../test/support/observations.ts';
import type { RecordQueries, RecordQuestion } from '../../dns/resolver.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Answer, NameserverAnswers, Validation, ZoneObservation } from '../../domain/observation.ts';
import { readObservation } from '../../domain/read-observation.ts';
import { ownershipName } from '../../domain/records.ts';
import { NO_MEMORY } from '../../domain/status.ts';
import type { ObserveOptions } from './observe.ts';
import { observe } from './observe.ts';

const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));
const domain = aDomain(environment, { name: 'api.acme.com', kind: 'subdomain', token: 'Token1' });
const apex = aDomain(environment, { name: 'acme.com', kind: 'apex', token: 'Token2' });

/** `time`: 1 or 2. Never: the nameserver is silent. */
type Nameserver = (question: RecordQuestion, time: number) => Answer | 'never';

interface Fake {
  dns: RecordQueries;
  /** Every question, as `nameserver type name`. */
  asked: string[];
}

/** A zone whose nameservers, by name, answer as told; the first by name is the one that is chosen. */
function acme(nameservers: Record<string, Nameserver>, resolvers: Partial<Validation> = {}): Fake {
  const names = Object.keys(nameservers);
  const zone: ZoneObservation = {
    apex: 'acme.com',
    source: 'parent',
    nameservers: names.map((name, i) => ({ name, addresses: [`192.0.2.${i + 1}`] })),
    ownNameservers: null,
    failure: null,
  };
  const asked: string[] = [];
  const ask = async (name: string, question: RecordQuestion, time: number, signal: AbortSignal) => {
    asked.push(`${name} ${question.type} ${question.name}`);
    const answer = nameservers[name]?.(question, time) ?? fails('lame');
    if (answer !== 'never') return answer;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return fails('timeout');
  };
  const address = (name: string) => `192.0.2.${names.indexOf(name) + 1}`;
  const dns: RecordQueries = {
    async query(question, { signal }) {
      const [first = ''] = names;
      const answer = await ask(first, question, 1, signal);
      const nameservers: NameserverAnswers[] = [{ server: first, address: address(first), answers: [answer] }];
      return { name: question.name, zone, nameservers, validation: null };
    },
    async findZone(name) {
      asked.push(`parent NS ${name}`);
      return zone;
    },
    async askNameserver(_zone, { name }, question, { signal, second = false }) {
      return { server: name, address: address(name), answers: [await ask(name, question, second ? 2 : 1, signal)] };
    },
    async ownNameservers() {
      asked.push('zone NS acme.com');
      return names;
    },
    locateNameservers: async () => [],
    async validate(question) {
      asked.push(`resolver ${question.type} ${question.name}`);
      return validation(resolvers);
    },
  };
  return { dns, asked };
}

const always =
  (answers: Partial<Record<'TXT' | 'A', Answer>>): Nameserver =>
  ({ name, type }) => {
    if (type === 'TXT')
      return name === ownershipName(domain) || name === ownershipName(apex) ? (answers.TXT ?? NXDOMAIN) : NXDOMAIN;
    return name === domain.name || name === apex.name ? (answers.A ?? NXDOMAIN) : NXDOMAIN;
  };

function check(subject: Domain, { dns }: Fake, options: Partial<ObserveOptions> = {}, incumbent: Domain | null = null) {
  const signal = AbortSignal.timeout(10_000);
  return observe({ ...dns, deciding: dns }, subject, incumbent, {
    depth: 'thorough',
    signal,
    random: () => 0.5,
    ...options,
  });
}

async function reading(subject: Domain, fake: Fake, incumbent: Domain | null = null) {
  const observation = await check(subject, fake, {}, incumbent);
  return readObservation({ domain: subject, incumbent, memory: NO_MEMORY }, observation);
}

test('a record is asked for at the nameservers of its own zone, where that of the other record is a lower one', async () => {
  const fake = acme({ 'ns1.acme.com': always({ TXT: rightTxt(domain), A: cname(domain.target) }) });
  const findZone: RecordQueries['findZone'] = async (name, options) => {
    const zone = await fake.dns.findZone(name, options);
    if (name !== ownershipName(domain)) return zone;
    return { ...zone, apex: name, nameservers: [{ name: 'lower.test', addresses: ['192.0.2.9'] }] };
  };
  const observation = await check(domain, { ...fake, dns: { ...fake.dns, findZone } });
  expect(observation.ownership.nameservers.map(({ server }) => server)).toEqual(['lower.test']);
  expect(observation.routing.nameservers.map(({ server }) => server)).toEqual(['ns1.acme.com']);
});

describe('a match', () => {
  const right = always({ TXT: rightTxt(apex) });

  test('counts where every nameserver gives it in two looks each', async () => {
    const fake = acme({ ns1: right, ns2: right, ns3: right });
    expect(await reading(apex, fake)).toMatchObject({ ownership: { kind: 'matched' } });
    // The first answer decides nothing.
    const looks = fake.asked.slice(1).filter((one) => one.endsWith('TXT _service.acme.com') && one.startsWith('ns'));
    expect(looks.toSorted()).toEqual(
      ['ns1', 'ns1', 'ns2', 'ns2', 'ns3', 'ns3'].map((ns) => `${ns} TXT _service.acme.com`),
    );
  });

  test('at two nameservers of four is a disagreement, whichever is asked first', async () => {
    const stale = always({});
    for (const order of [
      { ns1: right, ns2: right, ns3: stale, ns4: stale },
      { ns1: right, ns2: stale, ns3: stale, ns4: right },
    ])
      expect(await reading(apex, acme(order))).toMatchObject({ ownership: { kind: 'disagree' } });
  });

  test('at a nameserver that answers differently the second time is a disagreement', async () => {
    const fickle: Nameserver = (question, time) => (time === 1 ? right : always({}))(question, time);
    expect(await reading(apex, acme({ ns1: right, ns2: fickle }))).toMatchObject({ ownership: { kind: 'disagree' } });
  });

  test('that the validating resolvers call bogus is none', async () => {
    const fake = acme({ ns1: right, ns2: right }, { status: 'bogus', error: { code: 6, text: '' } });
    expect(await reading(apex, fake)).toMatchObject({ ownership: { kind: 'bogus' } });
  });

  test('is not prevented by a nameserver that fails, nor by one that is silent 1.5 s longer than the others', async () => {
    const fake = acme({ ns1: right, ns2: () => fails('refused'), ns3: () => 'never', ns4: right });
    const startedAt = performance.now();
    expect(await reading(apex, fake)).toMatchObject({ ownership: { kind: 'matched' } });
    expect(performance.now() - startedAt).toBeLessThan(2500);
  });

  test('at one nameserver alone, of two, counts only where a resolver has it too', async () => {
    const nameservers = { ns1: right, ns2: () => fails('refused') };
    expect(await reading(apex, acme(nameservers, { answer: NXDOMAIN }))).toMatchObject({
      ownership: { kind: 'unconfirmed', reason: 'one_server' },
    });
    expect(await reading(apex, acme(nameservers, { answer: rightTxt(apex) }))).toMatchObject({
      ownership: { kind: 'matched' },
    });
  });

  test('is not looked around for: nothing delays a domain that is being verified', async () => {
    const fake = acme({ ns1: right });
    expect((await check(apex, fake)).probes).toBe(undefined);
    expect((await check(apex, fake, { depth: 'diagnosis' })).probes).not.toBe(undefined);
  });
});

describe('where every nameserver is silent', () => {
  const silent = { ns1: () => fails('timeout'), ns2: () => fails('unreachable') };

  test('what a resolver finds counts, because a firewall may let only resolvers through', async () => {
    expect(await reading(apex, acme(silent, { answer: rightTxt(apex) }))).toMatchObject({
      ownership: { kind: 'matched' },
    });
  });

  test('what is absent there counts for nothing', async () => {
    const fake = acme(silent, { answer: NXDOMAIN });
    expect(await reading(apex, fake)).toMatchObject({
      ownership: { kind: 'unreadable' },
      routing: { kind: 'unreadable' },
    });
  });
});

describe('a routine check', () => {
  const cases: [string, Domain, Nameserver, string[]][] = [
    ['of absent records', domain, always({}), ['A api.acme.com', 'TXT _service.api.acme.com']],
    [
      'of wrong records',
      domain,
      always({ A: addresses('192.0.2.7'), TXT: txt('wrong') }),
      ['A api.acme.com', 'TXT _service.api.acme.com'],
    ],
    ['of a zone that fails', domain, () => fails('servfail'), ['A api.acme.com', 'TXT _service.api.acme.com']],
  ];
  test.each(cases)(
    '%s sends two queries when its first looks see the same as the last check',
    async (_, subject, nameserver, queries) => {
      const { fingerprint = null } = await check(subject, acme({ ns1: nameserver, ns2: nameserver }));
      const fake = acme({ ns1: nameserver, ns2: nameserver });
      const { unchanged } = await check(subject, fake, { depth: 'routine', memory: { ...NO_MEMORY, fingerprint } });
      expect(unchanged).toBe(true);
      expect(fake.asked.toSorted()).toEqual(queries.map((query) => `ns1 ${query}`));
    },
  );

  test('does not confirm again what is known to match and verifies nothing alone', async () => {
    const owned = { ...domain, ownershipVerifiedAt: 1 };
    const nameserver = always({ TXT: rightTxt(owned), A: cname('old.example.net') });
    const { fingerprint = null } = await check(owned, acme({ ns1: nameserver }));
    const fake = acme({ ns1: nameserver });
    const observation = await check(owned, fake, { depth: 'routine', memory: { ...NO_MEMORY, fingerprint } });
    expect(fake.asked).toHaveLength(2);
    const seen = readObservation({ domain: owned, incumbent: null, memory: NO_MEMORY }, observation);
    expect(seen.ownership).toEqual({ kind: 'unconfirmed', reason: 'asked_once' });
  });

  test('that sees anything new asks for everything', async () => {
    const { fingerprint = null } = await check(domain, acme({ ns1: always({}) }));
    const fake = acme({ ns1: always({ A: cname('old.example.net') }), ns2: always({}) });
    const result = await check(domain, fake, { depth: 'routine', memory: { ...NO_MEMORY, fingerprint } });
    expect(result.unchanged).toBeUndefined();
    expect(result.routing.nameservers.map(({ server }) => server)).toEqual(['ns1', 'ns2']);
    expect(result.probes?.length).toBeGreaterThan(0);
  });

  test('asks every nameserver while a disagreement lasts', async () => {
    const { fingerprint = null } = await check(domain, acme({ ns1: always({}) }));
    const fake = acme({ ns1: always({}), ns2: always({ TXT: rightTxt(domain) }) });
    const memory = { ...NO_MEMORY, fingerprint, ownershipDoubt: 'disputed' as const };
    const observation = await check(domain, fake, { depth: 'routine', memory });
    expect(observation.ownership.nameservers).toHaveLength(2);
  });

  test('with the TXT record finds an address of IPv6 alone, which verifies a proxied name', async () => {
    const nameserver: Nameserver = (question, time) => {
      if (question.type === 'AAAA' || question.type === 'ADDRESS') return addresses('2001:db8::1');
      return always({ TXT: rightTxt(domain), A: NODATA })(question, time);
    };
    expect(await reading(domain, acme({ ns1: nameserver }))).toMatchObject({
      ownership: { kind: 'matched' },
      routing: { kind: 'hidden' },
    });
  });
});

describe('a takeover', () => {
  const incumbent = aDomain(environment, {
    name: 'api.acme.com',
    kind: 'subdomain',
    token: 'Token0',
    status: 'verified',
  });
  const claimed: Nameserver = always({ TXT: rightTxt(domain), A: cname(domain.target) });

  test('reads the absence of the incumbent in two looks at every nameserver', async () => {
    const observation = await check(domain, acme({ ns1: claimed, ns2: claimed }), {}, incumbent);
    for (const record of [observation.incumbent?.ownership, observation.incumbent?.routing])
      expect(record?.nameservers.map(({ answers }) => answers.length)).toEqual([2, 2]);
    expect(await reading(domain, acme({ ns1: claimed, ns2: claimed }), incumbent)).toMatchObject({
      incumbent: { ownership: { kind: 'wrong' }, routing: { kind: 'elsewhere' } },
    });
  });

  test('is not read from a resolver while every nameserver is silent', async () => {
    const nameservers = { ns1: () => fails('timeout'), ns2: () => fails('timeout') };
    const fake = acme(nameservers);
    const dns: RecordQueries = {
      ...fake.dns,
      async validate({ type }) {
        return validation({ answer: type === 'TXT' ? rightTxt(domain) : cname(domain.target) });
      },
    };
    const unconfirmed = { kind: 'unconfirmed', reason: 'resolver' };
    expect(await reading(domain, { ...fake, dns }, incumbent)).toEqual({
      ownership: unconfirmed,
      routing: unconfirmed,
      incumbent: { ownership: unconfirmed, routing: unconfirmed },
    });
    expect(await reading(domain, { ...fake, dns })).toMatchObject({ routing: { kind: 'matched' } });
  });

  test('one nameserver that still has its record keeps the incumbent', async () => {
    const both = txt(...['Token0', 'Token1'].map((token) => `service-domain-verify=${token}`));
    const behind = always({ TXT: both, A: cname(domain.target) });
    const seen = await reading(domain, acme({ ns1: claimed, ns2: claimed, ns3: behind }), incumbent);
    expect(seen.ownership).toEqual({ kind: 'matched' });
    expect(['absent', 'wrong']).not.toContain(seen.incumbent?.ownership.kind);
  });

  test('one that has it the second time alone keeps the incumbent', async () => {
    const back: Nameserver = (question, time) =>
      (time === 1 ? claimed : always({ TXT: rightTxt(domain), A: cname(incumbent.target) }))(question, time);
    const seen = await reading(domain, acme({ ns1: claimed, ns2: back }), incumbent);
    expect(['absent', 'elsewhere', 'hidden']).not.toContain(seen.incumbent?.routing.kind);
  });
});

describe('a wildcard', () => {
  const wildcard: Domain = {
    ...aDomain(environment, { name: '*.shop.acme.com', kind: 'subdomain', token: 'Token3' }),
    target: 'k7q2.cname.test',
    challengeZone: 'acme.test',
  };
  const CHALLENGE = '_acme-challenge.shop.acme.com';
  /** Answers for every name below the base that has no answer of its own. */
  const zone =
    (own: Record<string, Answer>, wild: Answer = NXDOMAIN): Nameserver =>
    ({ name }) =>
      own[name] ?? (name.endsWith('.shop.acme.com') ? wild : NXDOMAIN);
  const read = async (nameserver: Nameserver, about: Partial<Domain> = {}) => {
    const subject = { ...wildcard, ...about };
    return readObservation(
      { domain: subject, incumbent: null, memory: NO_MEMORY },
      await check(subject, acme({ ns1: nameserver, ns2: nameserver })),
    );
  };

  test('is matched by an answer for a label that is asked for once', async () => {
    let drawn = 0.25;
    const fake = acme({ ns1: zone({}, cname(wildcard.target)), ns2: zone({}, cname(wildcard.target)) });
    const random = () => {
      drawn += 0.001;
      return drawn;
    };
    const labelsOf = async () => {
      fake.asked.length = 0;
      await check(wildcard, fake, { random });
      return [...new Set(fake.asked.filter((one) => /A(?:DDRESS)? np/.test(one)).map((one) => one.split(' ').at(-1)))];
    };
    const [first, second] = [await labelsOf(), await labelsOf()];
    expect(first).toEqual([expect.stringMatching(/^np[a-z0-9]+\.shop\.acme\.com$/)]);
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
    expect((await read(zone({}, cname(wildcard.target)))).routing).toEqual({ kind: 'matched' });
  });

  test('is not matched by records of single names, nor by one at the base name', async () => {
    const one = cname(wildcard.target);
    const own = { 'shop.acme.com': one, 'a.shop.acme.com': one, 'www.shop.acme.com': one };
    expect((await read(zone(own))).routing).toEqual({ kind: 'absent', reason: 'nxdomain' });
  });

  test('has its ownership record at the base name', async () => {
    const { ownership } = await read(zone({ '_service.shop.acme.com': rightTxt(wildcard) }));
    expect(ownership).toEqual({ kind: 'matched' });
  });

  test.each([
    ['matched', 'leads to its label in the zone for challenges', cname('k7q2.acme.test')],
    ['elsewhere', 'leads to another host', cname('other.acme.test')],
    ['absent', 'is not there', NXDOMAIN],
  ])('its challenge record is %s where it %s', async (kind, _, answer) => {
    expect((await read(zone({ [CHALLENGE]: answer }))).challenge).toMatchObject({ kind });
  });

  test('its challenge record is not looked at where it needs none', async () => {
    expect(await read(zone({}), { challengeZone: null })).not.toHaveProperty('challenge');
  });

  test('the challenge record of another domain is looked at only where the caller names the zone', async () => {
    const fake = acme({ ns1: always({}) });
    expect(await check(domain, fake)).not.toHaveProperty('challenge');
    const seen = await check(domain, fake, { challengeZone: 'acme.test' });
    expect(seen.challenge).toMatchObject({ name: `_acme-challenge.${domain.name}` });
  });
});
