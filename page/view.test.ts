import { describe, expect, it } from 'vitest';
import type { Finding } from '../client/client.ts';
import { STATES } from '../test/page/states.ts';
import { comparisonOf } from './record-view.ts';
import type { SetupState } from './setup-state.ts';
import { routes, type Stage, viewOf } from './view.ts';

const stateOf = (name: string): SetupState => ({
  link: 'open',
  support: null,
  isConnected: true,
  isCrowded: false,
  brand: STATES[name]?.script.brand ?? {},
  domain: STATES[name]?.script.domain ?? null,
  diagnosis: STATES[name]?.script.diagnosis ?? null,
  certificate: STATES[name]?.script.certificate ?? null,
  isChecking: false,
  busyUntil: null,
  asked: null,
  clockOffset: 0,
});

describe('the view', () => {
  /**
   * State, stage, steps in their order, task, main button (and whether a check is offered), and the records that are
   * part of the task, each with its state.
   */
  it.each<[state: string, stage: Stage, steps: string, task: string, buttons: string, cards: string]>([
    [
      'before the first look',
      'publish',
      'dns current, certificate waiting, live waiting',
      'records',
      'none, check',
      'routing unknown, ownership unknown',
    ],
    [
      'publish',
      'publish',
      'dns current, certificate waiting, live waiting',
      'records',
      'panel, check',
      'routing missing, ownership missing',
    ],
    ['resolvers down', 'unseen', 'dns current, certificate waiting, live waiting', 'none', 'none, check', ''],
    [
      'one found',
      'one_found',
      'dns current, certificate waiting, live waiting',
      'records',
      'panel, check',
      'routing missing, ownership found',
    ],
    [
      'fix',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'change',
      'panel, check',
      'routing wrong, ownership missing',
    ],
    [
      'both names doubled',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'rename',
      'panel, check',
      'routing misplaced, ownership misplaced',
    ],
    [
      'value with the zone appended',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'change',
      'panel, check',
      'routing wrong, ownership missing',
    ],
    [
      'held elsewhere',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'told',
      'panel, check',
      'routing missing, ownership missing',
    ],
    [
      'apex that leads here, without its TXT record',
      'one_found',
      'dns current, certificate waiting, live waiting',
      'records',
      'none, check',
      'routing found, ownership missing',
    ],
    [
      'apex of a former server, without its TXT record',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'replace',
      'none, check',
      'routing wrong, ownership missing',
    ],
    [
      'CAA record in the way',
      'publish',
      'dns current, certificate waiting, live waiting',
      'records',
      'panel, check',
      'routing missing, ownership missing',
    ],
    ['confirming', 'confirming', 'dns current, certificate waiting, live waiting', 'none', 'none, check', ''],
    [
      'moving, offered',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'change',
      'panel, check',
      'routing wrong, ownership missing',
    ],
    ['moving, preparing', 'preparing', 'certificate current, dns waiting, live waiting', 'none', 'none, check', ''],
    [
      'moving, ready',
      'ready',
      'certificate done, dns current, live waiting',
      'change',
      'panel, check',
      'routing wrong',
    ],
    [
      'moving, verified by its TXT record',
      'ready',
      'certificate done, dns current, live waiting',
      'change',
      'panel, check',
      'routing wrong',
    ],
    [
      'proxied, without its TXT record',
      'fix',
      'dns problem, certificate waiting, live waiting',
      'add',
      'panel, check',
      'ownership missing',
    ],
    [
      'failed',
      'failed',
      'dns problem, certificate waiting, live waiting',
      'records',
      'restart, check',
      'routing missing, ownership missing',
    ],
    ['certificate', 'certificate', 'dns done, certificate current, live waiting', 'none', 'none', ''],
    [
      'certificate blocked',
      'certificate_blocked',
      'dns problem, certificate waiting, live waiting',
      'caa',
      'panel, check',
      '',
    ],
    [
      'wildcard without the record for its certificate',
      'certificate_blocked',
      'dns problem, certificate waiting, live waiting',
      'add',
      'panel, check',
      'challenge missing',
    ],
    [
      'certificate refused',
      'certificate_refused',
      'dns done, certificate current, live waiting',
      'none',
      'support',
      '',
    ],
    ['live', 'live', 'dns done, certificate done, live done', 'none', 'visit', ''],
    ['live wildcard', 'live', 'dns done, certificate done, live done', 'none', 'none', ''],
    [
      'live, but drifted',
      'live_at_risk',
      'dns done, certificate done, live problem',
      'change',
      'panel, check',
      'routing wrong',
    ],
    [
      'live, but its record is gone',
      'live_at_risk',
      'dns done, certificate done, live problem',
      'add',
      'panel, check',
      'routing gone',
    ],
  ])('%s: header, steps, buttons and cards tell the stage %s', (name, stage, steps, task, buttons, cards) => {
    const view = viewOf(stateOf(name));
    if (view === undefined) throw new Error('there is a domain');
    expect({
      stage: view.stage,
      steps: Object.entries(view.steps)
        .map((each) => each.join(' '))
        .join(', '),
      task: view.task?.kind ?? 'none',
      buttons: `${view.main ?? 'none'}${view.canCheck ? ', check' : ''}`,
      cards: view.records.flatMap(({ isTask, record, state }) => (isTask ? [`${record} ${state}`] : [])).join(', '),
    }).toEqual({ stage, steps, task, buttons, cards });
    seen.add(stage);
    // Steps that are done, then at most one that is not, then those that wait.
    expect(Object.values(view.steps).join(' ')).toMatch(/^(done ?)*((current|problem) ?)?(waiting ?)*$/);
    const isRed = view.records.some(({ isTask, state }) => isTask && ['wrong', 'misplaced', 'gone'].includes(state));
    if (isRed && stage !== 'ready') expect(Object.values(view.steps)).toContain('problem');
  });

  const seen = new Set<Stage>();
  it('the table has every stage', () => {
    const every: Record<Stage, true> = {
      ...{ publish: true, one_found: true, unseen: true, fix: true, confirming: true, preparing: true, ready: true },
      ...{ failed: true, certificate: true, certificate_blocked: true, certificate_refused: true },
      ...{ live: true, live_at_risk: true },
    };
    expect([...seen].toSorted()).toEqual(Object.keys(every).toSorted());
  });

  it('a name is not to be copied before its zone is known: its provider may want another form', () => {
    expect(viewOf(stateOf('before the first look'))?.records.map(({ entered }) => entered)).toEqual([null, null]);
    expect(viewOf(stateOf('publish'))?.records.map(({ entered }) => entered)).toEqual(['shop', '_service.shop']);
  });

  it('a mistake is told once: above the records, not beside its own again', () => {
    for (const name of ['fix', 'live, but drifted', 'moving, ready'])
      expect(viewOf(stateOf(name))?.records.map(({ problem }) => problem)).toEqual([null, null]);
  });

  it('an address of a proxy is no value of the TXT record that is missing', () => {
    const records = viewOf(stateOf('proxied, without its TXT record'))?.records;
    expect(records?.map(({ state, was }) => [state, was])).toEqual([
      ['hidden', null],
      ['missing', null],
    ]);
  });

  it('of two records with the same mistake, the one that is not told above keeps its sentence', () => {
    const view = viewOf(stateOf('both names doubled'));
    expect(view?.finding?.message).toContain('shop.example.com.example.com');
    const [routing, ownership] = view?.records ?? [];
    expect(routing?.problem).toBeNull();
    expect(ownership?.problem?.message).toContain('_service.shop.example.com.example.com');
  });

  it('every record with a doubled name has the name to type in its place', () => {
    expect(viewOf(stateOf('both names doubled'))?.records.map(({ entered, was }) => [was, entered])).toEqual([
      [{ field: 'name', found: ['shop.example.com.example.com'] }, 'shop'],
      [{ field: 'name', found: ['_service.shop.example.com.example.com'] }, '_service.shop'],
    ]);
  });

  it('a value to which the provider appends the zone is copied with its dot', () => {
    expect(viewOf(stateOf('value with the zone appended'))?.records[0]?.value).toMatch(/\.net\.$/);
  });

  describe('of a name that serves a site elsewhere', () => {
    const outcome = { there: 'matched', absent: 'nxdomain' } as const;
    const challenge = (verified: boolean) => ({
      ...({ record: 'challenge', type: 'CNAME', needed: 'no' } as const),
      ...{ name: '_acme-challenge.shop.example.com', nameInZone: '_acme-challenge.shop', verified },
      ...{ expected: 'k7q2.acme.example.net', valueInZone: 'k7q2.acme.example.net' },
      seen: [{ nameserver: 'ns1.provider.example', outcome: verified ? outcome.there : outcome.absent, values: [] }],
    });
    const elsewhere = (
      isFound: boolean,
      records: [routing: boolean, ownership: boolean] = [false, isFound],
    ): SetupState => {
      const state = stateOf('fix');
      if (state.domain === null || state.diagnosis === null) throw new Error('the state has both');
      const dnsRecords = state.domain.dnsRecords.map((record, at) => ({ ...record, verified: records[at] ?? false }));
      const diagnosis = { ...state.diagnosis, challengeRecord: challenge(isFound) };
      return { ...state, domain: { ...state.domain, status: 'verifying', dnsRecords }, diagnosis };
    };
    const { certificate } = stateOf('live');

    it('offers the way without an interruption, and nobody else is offered it', () => {
      expect(viewOf(elsewhere(false))).toMatchObject({ stage: 'fix', moving: { state: 'missing' } });
      expect(viewOf(stateOf('fix'))?.moving).toBeNull();
      const { diagnosis, ...rest } = stateOf('publish');
      if (diagnosis === null) throw new Error('the state has one');
      expect(viewOf({ ...rest, diagnosis: { ...diagnosis, challengeRecord: challenge(false) } })).toMatchObject({
        ...{ stage: 'publish', moving: null },
      });
    });

    it('waits for the certificate once both records are there, and says nothing of the record that is to change', () => {
      expect(viewOf(elsewhere(true))).toMatchObject({
        ...{ stage: 'preparing', finding: null, moving: { state: 'found' } },
        steps: { dns: 'waiting', certificate: 'current' },
      });
    });

    it('says when the record may be changed, until it was', () => {
      const state = { ...elsewhere(true), certificate };
      expect(viewOf(state)).toMatchObject({
        stage: 'ready',
        finding: null,
        steps: { certificate: 'done', live: 'waiting' },
      });
      if (state.domain === null) throw new Error('the state has one');
      const verified = { ...state, domain: { ...state.domain, status: 'verified' as const } };
      expect(viewOf(verified)?.stage).not.toBe('ready');
    });
  });

  describe('of a subdomain with an address of its own', () => {
    const addressed = (name: string, findings?: readonly Finding[]): SetupState => {
      const { diagnosis, ...rest } = stateOf(name);
      if (diagnosis === null) throw new Error('it has been looked at');
      const [routing, ...others] = diagnosis.records;
      if (routing === undefined) throw new Error('a domain has it');
      const seen = routing.seen.map((each) => ({
        ...each,
        outcome: 'other' as const,
        values: ['203.0.113.9'],
        cname: [],
      }));
      const records = [{ ...routing, seen }, ...others];
      return { ...rest, diagnosis: { ...diagnosis, records, findings: [...(findings ?? diagnosis.findings)] } };
    };
    const action = { at: 'zone', zone: 'example.com', type: 'CNAME' } as const;

    it('has its address records replaced once the certificate is there: there is no CNAME record to change', () => {
      expect(viewOf(addressed('moving, ready'))?.task).toMatchObject({ kind: 'replace', removes: ['A', 'AAAA'] });
      expect(viewOf(stateOf('moving, ready'))?.task).toMatchObject({ kind: 'change' });
    });

    it('is told that a proxy may keep its address, and not to add the TXT record besides', () => {
      const finding: Finding = {
        ...{ code: 'address_instead_of_cname', severity: 'blocking', record: 'routing', message: '', fix: '' },
        ...{ seen: ['203.0.113.9'], expected: 'x.cname.example.net', retryable: true },
        action: { ...action, kind: 'replace', removes: ['A', 'AAAA'] },
        second: { ...action, kind: 'add', type: 'TXT' },
      };
      expect(viewOf(addressed('fix', [finding]))?.task).toMatchObject({
        ...{ kind: 'replace', removes: ['A', 'AAAA'], mayKeep: true, adds: [] },
      });
    });
  });

  it('names a record that is missing besides the one to change', () => {
    const { diagnosis, ...rest } = stateOf('fix');
    if (diagnosis === null) throw new Error('it has been looked at');
    const records = diagnosis.records.map((record) => ({ ...record, needed: 'yes' as const }));
    expect(viewOf({ ...rest, diagnosis: { ...diagnosis, records } })?.task).toMatchObject({
      kind: 'change',
      adds: ['TXT'],
    });
  });

  it('a CAA record to add is named besides the record to change, and is no fault of another record at its name', () => {
    const { diagnosis, ...rest } = stateOf('fix');
    const caa = stateOf('certificate blocked').diagnosis?.findings.find(({ code }) => code === 'caa_forbids');
    if (diagnosis === null || caa?.action === undefined) throw new Error('both have been looked at');
    const name = diagnosis.records[1]?.name ?? '';
    const forbids = { ...caa, action: { ...caa.action, name } };
    const view = viewOf({ ...rest, diagnosis: { ...diagnosis, findings: [...diagnosis.findings, forbids] } });
    expect(view?.task).toMatchObject({ kind: 'change', adds: expect.arrayContaining(['CAA']) });
    expect(view?.caa?.name).toBe(name);
    expect(view?.records.map(({ problem }) => problem)).toEqual([null, null]);
  });

  it.each([
    ['apex with two addresses', { record: 'routing', isTask: true, instead: 2 }],
    ['certificate blocked', { record: 'routing', isTask: false, instead: 0 }],
  ])('of “%s” with CAA at its own name has the routing record as it has it without', (name, expected) => {
    const { diagnosis, domain, ...rest } = stateOf(name);
    const caa = stateOf('certificate blocked').diagnosis?.findings.find(({ code }) => code === 'caa_forbids');
    if (diagnosis === null || domain === null || caa?.action === undefined) throw new Error('all are known');
    const forbids = { ...caa, action: { ...caa.action, name: domain.domain } };
    const others = diagnosis.findings.filter(({ code }) => code !== 'caa_forbids');
    const view = viewOf({ ...rest, domain, diagnosis: { ...diagnosis, findings: [forbids, ...others] } });
    const [routing] = view?.records ?? [];
    expect({ ...routing, instead: routing?.instead.length }).toMatchObject({ ...expected, problem: null });
    expect(view?.caa?.name).toBe(domain.domain);
  });

  it('does not name the record of the change itself, which is there as another type', () => {
    const { diagnosis, ...rest } = stateOf('publish');
    if (diagnosis === null) throw new Error('it has been looked at');
    const finding: Finding = {
      ...{ code: 'wrong_type', severity: 'blocking', record: 'routing', message: '', fix: '', retryable: true },
      action: { kind: 'replace', at: 'zone', zone: 'example.com', type: 'CNAME', removes: ['TXT'] },
    };
    const task = viewOf({ ...rest, diagnosis: { ...diagnosis, findings: [finding] } })?.task;
    expect(task).toMatchObject({ kind: 'replace' });
    expect(task?.adds).not.toContain('CNAME');
  });

  it('is nothing before a domain is known', () => {
    expect(viewOf({ ...stateOf('publish'), domain: null })).toBeUndefined();
  });

  it('is no mistake where a record is merely missing', () => {
    const { diagnosis, ...rest } = stateOf('publish');
    const missing = { code: 'record_missing', severity: 'blocking', message: '', fix: '', retryable: true } as const;
    if (diagnosis === null) throw new Error('it has been looked at');
    expect(viewOf({ ...rest, diagnosis: { ...diagnosis, findings: [missing] } })?.stage).toBe('publish');
  });

  it('is a certificate that is blocked as soon as a CAA record forbids it, before the first attempt', () => {
    expect(viewOf({ ...stateOf('certificate blocked'), certificate: null })?.stage).toBe('certificate_blocked');
  });

  it('no CAA record is added where one has to be deleted', () => {
    const known = stateOf('certificate blocked');
    const action = {
      kind: 'delete',
      at: 'zone',
      zone: 'example.com',
      type: 'CAA',
      name: 'example.com',
      tag: 'tbs',
    } as const;
    const findings = known.diagnosis?.findings.map((finding) => ({ ...finding, action })) ?? [];
    if (known.diagnosis === null) throw new Error('it has been looked at');
    expect(viewOf({ ...known, diagnosis: { ...known.diagnosis, findings } })?.caa).toBeNull();
  });

  it('a wildcard has a third record, for its certificate, as its provider wants it entered', () => {
    const view = viewOf(stateOf('wildcard without the record for its certificate'));
    expect(view?.finding?.code).toBe('challenge_missing');
    expect(view?.records[2]).toMatchObject({ record: 'challenge', entered: '_acme-challenge.shop', state: 'missing' });
  });

  it('an apex has the addresses that may be published instead, of both IP versions', () => {
    const known = stateOf('apex in Unicode, unknown provider');
    const { diagnosis } = known;
    if (diagnosis === null) throw new Error('it has been looked at');
    const [routing, ...others] = diagnosis.records;
    if (routing === undefined) throw new Error('it has records');
    const insteadOf = (addresses: string[]) =>
      viewOf({ ...known, diagnosis: { ...diagnosis, records: [{ ...routing, addresses }, ...others] } })?.records[0]
        ?.instead;
    expect(insteadOf([])).toEqual([]);
    expect(insteadOf(['192.0.2.1', '2001:db8::1'])).toEqual([
      { type: 'A', value: '192.0.2.1' },
      { type: 'AAAA', value: '2001:db8::1' },
    ]);
  });

  it.each([
    ['publish', true],
    ['one found', true],
    ['fix', true],
    ['moving, ready', true],
    ['wildcard without the record for its certificate', true],
    ['proxied, without its TXT record', false],
    ['held elsewhere', true],
    ['certificate blocked', false],
    ['live', false],
  ])('of “%s” asks for a record without a proxy: %s', (name, expected) => {
    const view = viewOf(stateOf(name));
    if (view === undefined) throw new Error('it is known');
    expect(routes(view)).toBe(expected);
  });

  it.each([
    ['apex in Unicode, unknown provider', 'www.xn--mller-kva.example'],
    ['publish', null],
    ['live', null],
  ])('of “%s” names %s as a name that it does not set up', (name, www) => {
    expect(viewOf(stateOf(name))?.www).toBe(www);
  });

  it('an apex that is live is not taken for its www too', () => {
    const { domain, ...known } = stateOf('apex in Unicode, unknown provider');
    if (domain === null) throw new Error('it is known');
    const live = { ...known, domain: { ...domain, status: 'verified' as const }, diagnosis: null };
    const { certificate } = stateOf('live');
    expect(viewOf({ ...live, certificate })).toMatchObject({ stage: 'live', www: 'www.xn--mller-kva.example' });
  });

  it('addresses that lead here are no right record while another nameserver has others', () => {
    const known = stateOf('apex that leads here, without its TXT record');
    if (known.diagnosis === null) throw new Error('it has been looked at');
    const stale = { nameserver: 'ns2.hoster.example', outcome: 'other' as const, values: ['198.51.100.7'] };
    const records = known.diagnosis.records.map((record) =>
      record.record === 'routing' ? { ...record, seen: [...record.seen, stale] } : record,
    );
    const [routing] = viewOf({ ...known, diagnosis: { ...known.diagnosis, records } })?.records ?? [];
    expect([routing?.state, routing?.seen.map(({ outcome }) => outcome)]).toEqual(['wrong', ['leads_here', 'other']]);
  });

  it('nameservers with the same answer are shown together', () => {
    expect(viewOf(stateOf('fix'))?.records.map(({ state, seen }) => [state, seen])).toEqual([
      [
        'wrong',
        [
          {
            outcome: 'other',
            values: ['old-shop.example.net', '203.0.113.10'],
            nameservers: ['kip.ns.cloudflare.com', 'zoe.ns.cloudflare.com'],
          },
        ],
      ],
      ['missing', [{ outcome: 'absent', values: [], nameservers: ['kip.ns.cloudflare.com', 'zoe.ns.cloudflare.com'] }]],
    ]);
  });

  it('a record at a doubled name is compared by its name, since its value is right, with the name to type instead', () => {
    const doubled = {
      code: 'name_doubled',
      severity: 'blocking',
      record: 'routing',
      name: 'shop.example.com.example.com',
      seen: ['k7.cname.example.net'],
      expected: 'k7.cname.example.net',
      action: { kind: 'change', at: 'zone', zone: 'example.com', type: 'CNAME', nameInZone: 'shop' },
      message: '',
      fix: '',
      retryable: false,
    } satisfies Finding;
    expect(comparisonOf(doubled)).toEqual({ field: 'name', found: ['shop.example.com.example.com'], expected: 'shop' });
  });

  it('a value to which the provider appends the zone is copied with the dot that ends it', () => {
    const appended = {
      code: 'value_doubled_zone',
      severity: 'blocking',
      record: 'routing',
      seen: ['k7.cname.example.net.example.com'],
      expected: 'k7.cname.example.net',
      action: { kind: 'change', at: 'zone', zone: 'example.com', valueInZone: 'k7.cname.example.net.' },
      message: '',
      fix: '',
      retryable: false,
    } satisfies Finding;
    expect(comparisonOf(appended)?.expected).toBe('k7.cname.example.net.');
  });

  it('the right value in a record of another type is not shown as one to replace', () => {
    const asText = {
      code: 'wrong_type',
      severity: 'blocking',
      record: 'routing',
      seen: ['k7.cname.example.net'],
      expected: 'k7.cname.example.net',
      action: { kind: 'replace', at: 'zone', zone: 'example.com', type: 'CNAME', removes: ['TXT'] },
      message: '',
      fix: '',
      retryable: false,
    } satisfies Finding;
    expect(comparisonOf(asText)?.found).toEqual([]);
  });
});

/** Every sentence of the API, in place of which another language may stand. */
const SENTENCES = new Set(['message', 'fix', 'note', 'verificationError']);

function withoutSentences<T>(answer: T): T {
  return JSON.parse(JSON.stringify(answer), (key, value) => (SENTENCES.has(key) && value !== '' ? '–' : value));
}

it.each(Object.keys(STATES))('no sentence of the API decides what is shown: %s', (name) => {
  const told = stateOf(name);
  const untold = withoutSentences(told);
  const views = [told, untold].map(viewOf);
  expect(views[1]).toEqual(views[0] && withoutSentences(views[0]));
  const compared = [told, untold].map((one) => one.diagnosis?.findings.map(comparisonOf));
  expect(compared[1]).toEqual(compared[0]);
});
