import type { Brand, Certificate, Diagnosis, DiagnosisRecord, Domain, Finding, Support } from '../../client/client.ts';
import { ERRORS, type ProblemCode } from '../../server/src/api/errors.ts';
import { withSentences } from '../../server/src/domain/findings/sentences.ts';
import { apexRoutingNote } from '../../server/src/domain/records.ts';

/** Every state of the set-up page, each as the API describes it. */

/** Scripted responses of the API on a real connection, for tests that need one of many states at once. */
export interface Script {
  /** Code of the error of setup.openSession, in place of a session; `nothing`: no response. */
  refusal?: ProblemCode | 'nothing';
  /** Its status; 401 unless given. */
  status?: number;
  /** Its detail. */
  advice?: string;
  /** The brand of a link that has ended, as header fields tell it. */
  support?: Support;
  brand?: Brand;
  domain: Domain;
  diagnosis?: Diagnosis;
  /** The result of the last background check; that of a look unless given. */
  lastCheck?: Diagnosis;
  certificate?: Certificate;
  /** Null: the server does not know the address of the page. */
  pageUrl?: string | null;
  /** The answer of setup.getDomainConnect; absent: the provider offers nothing. */
  offer?: Omit<typeof OFFER, 'state'> & { state?: string };
  /** The stream of changes cannot be had. */
  isDown?: boolean;
  /** Type and status of the error in place of the stream. */
  streamRefusal?: { status: number; type: string };
}

const NAME = 'shop.example.com';
const TARGET = 'y2uehzjxc0frr9ivucwc.cname.customers.example.net';
const PROOF = 'service-domain-verify=lIvwgnrfwUaY2uPCJ6Vaipt4';
const NAMESERVERS = ['kip.ns.cloudflare.com', 'zoe.ns.cloudflare.com'];

/** The provider is at a reserved name: nothing is sent there. */
export const OFFER = {
  provider: 'Provider',
  host: 'connect.provider.test',
  url: 'https://connect.provider.test/v2/domainTemplates/providers/example.net/services/shops/apply?domain=example.com&host=shop&state=s1&sig=c2ln&key=_dck-1',
  state: 's1',
};

const domain = (changes: Partial<Domain> = {}): Domain => ({
  id: 'dom_01m7xe5hbje00ahfe7x31hr0wx',
  domain: NAME,
  projectId: 'proj_01m7xe5hbje00ahfe7x31hr0wx',
  appId: 'app_01m7xe5hbje00ahfe7x31hr0wx',
  environmentId: 'env_01m7xe5hbje00ahfe7x31hr0wx',
  status: 'verifying',
  dnsRecords: [
    { type: 'CNAME', name: NAME, value: TARGET, ttl: 60, verified: false },
    { type: 'TXT', name: `_service.${NAME}`, value: PROOF, ttl: 60, verified: false },
  ],
  createdAt: Date.now() - 90_000,
  ...changes,
});

const absent = NAMESERVERS.map((nameserver) => ({ nameserver, outcome: 'nxdomain' as const, values: [] }));
const matched = NAMESERVERS.map((nameserver) => ({ nameserver, outcome: 'matched' as const, values: [TARGET] }));
const other = (...values: string[]) =>
  NAMESERVERS.map((nameserver) => ({ nameserver, outcome: 'other' as const, values }));

const routing: DiagnosisRecord = {
  record: 'routing',
  type: 'CNAME',
  name: NAME,
  nameInZone: 'shop',
  expected: TARGET,
  valueInZone: TARGET,
  verified: false,
  needed: 'yes',
  seen: absent,
};
const ownership: DiagnosisRecord = {
  record: 'ownership',
  type: 'TXT',
  name: `_service.${NAME}`,
  nameInZone: '_service.shop',
  expected: PROOF,
  valueInZone: PROOF,
  verified: false,
  needed: 'alternative',
  seen: absent,
};

function diagnosis(changes: Partial<Diagnosis> = {}): Diagnosis {
  const now = Date.now();
  return {
    domainId: domain().id,
    domain: NAME,
    status: 'verifying',
    checkedAt: now,
    schedule: { attempts: 2, lastCheckAt: now - 18_000, nextCheckAt: now + 42_000, windowEndsAt: now + 86_000_000 },
    zone: {
      name: 'example.com',
      registered: true,
      nameservers: NAMESERVERS.map((name) => ({ name, addresses: ['192.0.2.53'], outcome: 'answered' as const })),
      provider: { id: 'cloudflare', name: 'Cloudflare', panel: 'https://dash.cloudflare.com' },
      dnssec: 'unsigned',
    },
    records: [routing, ownership],
    findings: [],
    ...changes,
  };
}

const cloudflare = { at: 'zone', zone: 'example.com', provider: 'Cloudflare' } as const;
const typedRouting = { type: 'CNAME', name: NAME, nameInZone: 'shop', value: TARGET, valueInZone: TARGET } as const;

const elsewhere: Finding = withSentences({
  code: 'cname_elsewhere',
  severity: 'blocking',
  record: 'routing',
  name: NAME,
  seen: ['old-shop.example.net'],
  expected: TARGET,
  nameservers: NAMESERVERS,
  action: { kind: 'change', ...cloudflare, ...typedRouting },
  retryable: false,
});

/** The record is at its name with the zone appended. */
const doubled = (
  record: 'routing' | 'ownership',
  type: 'CNAME' | 'TXT',
  name: string,
  nameInZone: string,
  value: string,
) =>
  withSentences({
    code: 'name_doubled',
    severity: 'blocking',
    record,
    name: `${name}.example.com`,
    seen: [value],
    expected: value,
    action: { kind: 'change', ...cloudflare, type, name, nameInZone, value, valueInZone: value },
    retryable: false,
  });

const held: Finding = withSentences({
  code: 'held_elsewhere',
  severity: 'blocking',
  name: NAME,
  action: {
    kind: 'add',
    ...cloudflare,
    type: 'TXT',
    name: `_service.${NAME}`,
    nameInZone: '_service.shop',
    value: PROOF,
    valueInZone: PROOF,
  },
  facts: { reason: 'both_needed' },
  retryable: false,
});

const addCaa = {
  kind: 'add',
  type: 'CAA',
  name: 'example.com',
  flags: '0',
  tag: 'issue',
  value: 'letsencrypt.org',
} as const;
const caa = withSentences({
  code: 'caa_forbids',
  severity: 'warning',
  name: 'example.com',
  seen: ['0 issue "digicert.com"'],
  expected: '0 issue "letsencrypt.org"',
  action: { ...addCaa, ...cloudflare, nameInZone: '@' },
  retryable: false,
});
const caaAbove: Finding = withSentences({
  ...caa,
  severity: 'blocking',
  action: { ...addCaa, at: 'zone', zone: 'example.com' },
});

const verified = domain({
  status: 'verified',
  dnsRecords: domain().dnsRecords.map((record) => ({ ...record, verified: record.type === 'CNAME' })),
});
const verifiedDiagnosis = diagnosis({
  status: 'verified',
  schedule: { attempts: 3 },
  records: [
    { ...routing, verified: true, seen: matched },
    { ...ownership, needed: 'no' },
  ],
});

/** `*.shop.example.com`, verified, without the record for its certificate. */
const challenge = {
  type: 'CNAME',
  name: `_acme-challenge.${NAME}`,
  value: 'k7q2m9x4c1v8b3n6.acme.example.net',
} as const;
const wildcard = {
  ...verified,
  domain: `*.${NAME}`,
  dnsRecords: [
    ...verified.dnsRecords.map((record) => (record.type === 'CNAME' ? { ...record, name: `*.${NAME}` } : record)),
    { ...challenge, ttl: 60, verified: false },
  ],
};
const wildcardDiagnosis = diagnosis({
  ...verifiedDiagnosis,
  domain: wildcard.domain,
  records: [
    { ...routing, name: wildcard.domain, nameInZone: '*.shop', verified: true, seen: matched },
    { ...ownership, needed: 'no' },
    {
      ...{ record: 'challenge', type: 'CNAME', name: challenge.name, nameInZone: '_acme-challenge.shop' },
      ...{ expected: challenge.value, valueInZone: challenge.value, verified: false, needed: 'yes' },
      seen: matched.map(({ nameserver }) => ({ nameserver, outcome: 'nxdomain', values: [] })),
    },
  ],
  findings: [
    withSentences({
      code: 'challenge_missing',
      severity: 'blocking',
      record: 'challenge',
      name: challenge.name,
      expected: challenge.value,
      action: {
        ...{ kind: 'add', ...cloudflare, type: 'CNAME', name: challenge.name, nameInZone: '_acme-challenge.shop' },
        ...{ value: challenge.value, valueInZone: challenge.value },
      },
      retryable: true,
    }),
  ],
});

/** A name that serves a site elsewhere; `isFound`: both records for its certificate are there. */
function moving(isFound: boolean): Pick<Script, 'brand' | 'domain' | 'diagnosis'> {
  const [cname, txt] = domain().dnsRecords;
  if (cname === undefined || txt === undefined) throw new Error('a domain has both');
  const found = { verified: true, seen: matched.map((each) => ({ ...each, values: [PROOF] })) };
  return {
    brand: BRAND,
    domain: domain({ dnsRecords: [cname, { ...txt, verified: isFound }] }),
    diagnosis: diagnosis({
      records: [
        { ...routing, seen: other('old-shop.example.net', '203.0.113.10') },
        isFound ? { ...ownership, ...found } : ownership,
      ],
      challengeRecord: {
        ...routing,
        record: 'challenge',
        name: challenge.name,
        nameInZone: '_acme-challenge.shop',
        expected: challenge.value,
        valueInZone: challenge.value,
        needed: 'no',
        ...(isFound && { verified: true, seen: matched.map((each) => ({ ...each, values: [challenge.value] })) }),
      },
      findings: [elsewhere],
    }),
  };
}

/** The TXT record has verified it; visitors still get the former server. */
const movingVerified = () => ({
  ...moving(true),
  domain: domain({ status: 'verified', verificationError: elsewhere.message }),
  diagnosis: diagnosis({
    ...moving(true).diagnosis,
    status: 'verified',
    schedule: { attempts: 3 },
    findings: [{ ...elsewhere, severity: 'info' }],
  }),
});

const proxied = withSentences({
  code: 'proxied_without_txt',
  severity: 'blocking',
  record: 'ownership',
  name: ownership.name,
  seen: ['104.16.132.229'],
  expected: PROOF,
  action: {
    kind: 'add',
    ...cloudflare,
    type: 'TXT',
    name: ownership.name,
    nameInZone: '_service.shop',
    value: PROOF,
    valueInZone: PROOF,
  },
  facts: { reason: 'hidden_by_proxy', proxy: 'Cloudflare', otherName: NAME },
  retryable: false,
});
const addressed = (address: string) =>
  NAMESERVERS.map((nameserver) => ({ nameserver, outcome: 'other' as const, values: [address] }));

const of = { domainId: domain().id, domain: NAME, failures: 0 };
const issued: Certificate = {
  ...of,
  state: 'issued',
  issued: {
    issuer: 'https://acme-v02.api.letsencrypt.org/directory',
    source: 'managed',
    serialNumber: '05B4',
    fingerprint: '3B:7E',
    notBefore: Date.now() - 3_600_000,
    notAfter: Date.now() + 89 * 86_400_000,
    issuedAt: Date.now(),
    renewal: { source: 'ari', startsAt: 0, endsAt: 0, renewAt: 0 },
  },
};

export const BRAND = {
  name: 'Acme Shops',
  logo: `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0d7c66"/><path d="M9 22l7-13 7 13h-4l-3-6-3 6z" fill="#fff"/></svg>')}`,
  accent: '#0d7c66',
  accentDark: '#4fd1b5',
  support: 'mailto:help@acme.example',
};

const CAA_PROBLEM =
  'The CAA record 0 issue "digicert.com" of example.com does not allow letsencrypt.org to issue for shop.example.com. Add a CAA record beside it. Full name: `example.com`, Flags: `0`, Tag: `issue`, Value: `letsencrypt.org`.';
const forbidden: Certificate = {
  ...of,
  state: 'waiting_for_routing',
  nextTryAt: Date.now() + 45_000,
  problem: { reason: 'caa_forbids', message: CAA_PROBLEM, at: Date.now() },
};

const SUPPORT: Support = { name: BRAND.name ?? '', address: BRAND.support ?? '' };

const EDGE = '203.0.113.80';
const apexName = 'xn--mller-kva.example';
const apex = domain({
  domain: apexName,
  dnsRecords: [
    { type: 'ALIAS', name: apexName, value: TARGET, ttl: 60, verified: false, note: apexRoutingNote([EDGE]) },
    { type: 'TXT', name: `_service.${apexName}`, value: PROOF, ttl: 60, verified: false },
  ],
});
const absentThere = [{ nameserver: 'ns1.hoster.example', outcome: 'nxdomain' as const, values: [] }];
const apexDiagnosis = (changes: Partial<Diagnosis> = {}): Diagnosis =>
  diagnosis({
    domain: apexName,
    zone: {
      name: apexName,
      registered: true,
      nameservers: [{ name: 'ns1.hoster.example', addresses: ['192.0.2.53'], outcome: 'answered' }],
    },
    records: [
      { ...routing, type: 'ALIAS', name: apexName, nameInZone: '@', addresses: [EDGE], seen: absentThere },
      { ...ownership, name: `_service.${apexName}`, nameInZone: '_service', needed: 'yes', seen: absentThere },
    ],
    ...changes,
  });

/** A state, and a text by which it is known to be there. */
export interface State {
  script: Script;
  shows: string | RegExp;
  /** A change of the shown state: the last event of its stream, or another script. */
  after?: { script?: Script; end?: object; shows: string | RegExp };
}

/** By name. */
export const STATES: Record<string, State> = {
  loading: { script: { refusal: 'nothing', domain: domain() }, shows: 'Opening your link…' },
  unknown: {
    script: { refusal: 'authentication/setup_link_not_found', domain: domain() },
    shows: 'This link does not work',
  },
  incomplete: {
    script: { refusal: 'authentication/setup_link_incomplete', domain: domain() },
    shows: 'This link is incomplete',
  },
  expired: {
    script: { refusal: 'authentication/setup_link_expired', support: SUPPORT, domain: domain() },
    shows: 'This link has expired',
  },
  revoked: {
    script: { refusal: 'authentication/setup_link_revoked', support: SUPPORT, domain: domain() },
    // No sentence of the API is there to take the address from.
    shows: `Ask ${BRAND.name} for a new one: ${BRAND.support?.replace('mailto:', '')}`,
  },
  disabled: {
    script: {
      refusal: 'authorization/setup_workspace_disabled',
      status: 403,
      advice: ERRORS['authorization/setup_workspace_disabled'].detail,
      domain: domain(),
    },
    shows: 'Set-up is switched off',
  },
  publish: {
    script: { brand: BRAND, domain: domain(), diagnosis: diagnosis() },
    shows: 'Add these two records at Cloudflare',
  },
  'provider that adds the records': {
    script: { brand: BRAND, domain: domain(), diagnosis: diagnosis(), offer: OFFER },
    shows: 'Connect at Provider',
  },
  'lost connection': {
    script: { brand: BRAND, domain: domain(), diagnosis: diagnosis() },
    shows: 'Add these two records at Cloudflare',
    after: {
      script: { brand: BRAND, domain: domain(), diagnosis: diagnosis(), isDown: true },
      shows: /The connection was lost/,
    },
  },
  deleted: {
    script: { brand: BRAND, domain: domain(), diagnosis: diagnosis() },
    shows: 'Add these two records at Cloudflare',
    after: {
      end: {
        reason: 'domain_gone',
        meta: { requestId: 'req_1' },
        error: { status: 404, type: 'not-found', title: 'Not found', detail: 'There is no such domain.' },
      },
      shows: 'The domain was removed',
    },
  },
  'resolvers down': {
    script: {
      brand: BRAND,
      domain: domain(),
      diagnosis: diagnosis({
        zone: { name: 'example.com', registered: true, nameservers: [] },
        records: [
          { ...routing, seen: [] },
          { ...ownership, seen: [] },
        ],
        findings: [
          withSentences({
            code: 'resolvers_unreachable',
            severity: 'warning',
            name: NAME,
            action: { kind: 'wait', at: 'zone', zone: 'example.com' },
            retryable: true,
          }),
        ],
      }),
    },
    shows: /There is nothing for you to do about it: we look again by ourselves\./,
  },
  'before the first look': { script: { brand: BRAND, domain: domain() }, shows: 'Add these two records to your DNS' },
  'one found': {
    script: {
      brand: BRAND,
      domain: domain(),
      diagnosis: diagnosis({
        records: [
          { ...routing, needed: 'yes' },
          { ...ownership, verified: true, needed: 'yes', seen: matched.map((each) => ({ ...each, values: [PROOF] })) },
        ],
      }),
    },
    shows: 'One record found, one to go',
  },
  fix: {
    script: {
      brand: BRAND,
      domain: domain({ verificationError: `${elsewhere.message} ${elsewhere.fix}` }),
      diagnosis: diagnosis({
        records: [{ ...routing, seen: other('old-shop.example.net', '203.0.113.10') }, ownership],
        findings: [elsewhere],
      }),
    },
    shows: 'One thing needs to change',
  },
  'moving, offered': { script: moving(false), shows: 'Keep your site up while you move' },
  'moving, preparing': {
    script: { ...moving(true), certificate: { ...of, state: 'ordering' } },
    shows: 'Getting your certificate first',
  },
  'moving, ready': { script: { ...moving(true), certificate: issued }, shows: 'Now change this record' },
  'moving, verified by its TXT record': {
    script: {
      ...movingVerified(),
      certificate: issued,
    },
    shows: 'Now change this record',
  },
  'proxied, without its TXT record': {
    script: {
      brand: BRAND,
      domain: domain(),
      diagnosis: diagnosis({
        records: [{ ...routing, seen: addressed('104.16.132.229') }, ownership],
        findings: [proxied],
      }),
    },
    shows: /Only a TXT record can verify/,
  },
  'held elsewhere': {
    script: { brand: BRAND, domain: domain(), diagnosis: diagnosis({ findings: [held] }) },
    shows: /Another account of this service holds/,
  },
  confirming: {
    script: {
      brand: BRAND,
      domain: domain(),
      diagnosis: { ...verifiedDiagnosis, ...diagnosis(), records: verifiedDiagnosis.records },
    },
    shows: 'Found. Making sure',
  },
  failed: {
    script: {
      brand: BRAND,
      domain: domain({
        status: 'failed',
        verificationError: `${NAME} was not verified within 24 hours: the CNAME record was not found.`,
      }),
      diagnosis: diagnosis({ status: 'failed', schedule: { attempts: 1440 } }),
    },
    shows: 'Checks have stopped',
  },
  certificate: {
    script: { brand: BRAND, domain: verified, diagnosis: verifiedDiagnosis, certificate: { ...of, state: 'ordering' } },
    shows: 'Records found. Now the certificate',
  },
  'certificate blocked': {
    script: {
      brand: BRAND,
      domain: verified,
      diagnosis: { ...verifiedDiagnosis, findings: [{ ...caa, severity: 'blocking' }] },
      certificate: forbidden,
    },
    shows: 'One more thing for the certificate',
  },
  'certificate blocked, by a CAA record above the zone': {
    script: {
      brand: BRAND,
      domain: verified,
      diagnosis: { ...verifiedDiagnosis, findings: [caaAbove] },
      certificate: forbidden,
    },
    shows: 'One more thing for the certificate',
  },
  'certificate refused': {
    script: {
      brand: BRAND,
      domain: verified,
      diagnosis: verifiedDiagnosis,
      certificate: {
        ...of,
        state: 'failed',
        failures: 2,
        nextTryAt: Date.now() + 600_000,
        problem: {
          reason: 'ca_refused',
          message:
            'The certificate authority does not issue for shop.example.com. acme-v02.api.letsencrypt.org answered 400 rejectedIdentifier: "The ACME server refuses to issue a certificate for this domain name, because it is forbidden by policy".',
          at: Date.now(),
        },
      },
    },
    shows: 'We are looking into it',
  },
  'wildcard without the record for its certificate': {
    script: { brand: BRAND, domain: wildcard, diagnosis: wildcardDiagnosis, certificate: { ...of, state: 'wanted' } },
    shows: 'One more thing for the certificate',
  },
  'live wildcard': {
    script: { brand: BRAND, domain: wildcard, diagnosis: { ...wildcardDiagnosis, findings: [] }, certificate: issued },
    shows: 'Your site is live',
  },
  live: {
    script: { brand: BRAND, domain: verified, diagnosis: verifiedDiagnosis, certificate: issued },
    shows: 'Your site is live',
  },
  'live, but drifted': {
    script: {
      brand: BRAND,
      domain: domain({ status: 'verified' }),
      diagnosis: {
        ...verifiedDiagnosis,
        records: [{ ...routing, seen: other('old-shop.example.net', '203.0.113.10') }, ownership],
        findings: [elsewhere],
      },
      certificate: issued,
    },
    shows: 'Live, but something has changed',
  },
  'apex in Unicode, unknown provider': {
    script: { brand: { name: 'Acme Shops', accent: '#ffe600' }, domain: apex, diagnosis: apexDiagnosis() },
    shows: 'müller.example',
  },
  'apex with two addresses': {
    script: {
      brand: BRAND,
      domain: apex,
      diagnosis: apexDiagnosis({
        records: apexDiagnosis().records.map((record) =>
          record.record === 'routing' ? { ...record, addresses: [EDGE, '203.0.113.81'] } : record,
        ),
      }),
    },
    shows: '203.0.113.81',
  },
  'apex that leads here, without its TXT record': {
    script: {
      brand: BRAND,
      domain: apex,
      diagnosis: apexDiagnosis({
        records: apexDiagnosis().records.map((record) =>
          record.record === 'ownership'
            ? record
            : { ...record, seen: [{ nameserver: 'ns1.hoster.example', outcome: 'other', values: [EDGE] }] },
        ),
        findings: [
          withSentences({
            code: 'flattened',
            severity: 'info',
            record: 'routing',
            name: apexName,
            seen: [EDGE],
            facts: { host: TARGET, reason: 'txt_needed' },
            retryable: false,
          }),
        ],
      }),
    },
    shows: 'One record found, one to go',
  },
  'apex of a former server, without its TXT record': {
    script: {
      brand: BRAND,
      domain: apex,
      diagnosis: apexDiagnosis({
        records: apexDiagnosis().records.map((record) =>
          record.record === 'ownership'
            ? record
            : { ...record, seen: [{ nameserver: 'ns1.hoster.example', outcome: 'other', values: ['198.51.100.7'] }] },
        ),
        findings: [
          withSentences({
            code: 'apex_elsewhere',
            severity: 'warning',
            record: 'routing',
            name: apexName,
            seen: ['198.51.100.7'],
            expected: TARGET,
            action: {
              kind: 'replace',
              at: 'zone',
              zone: apexName,
              type: 'ALIAS',
              name: apexName,
              nameInZone: '@',
              value: TARGET,
              valueInZone: TARGET,
              addresses: [EDGE],
              removes: ['A', 'AAAA'],
            },
            retryable: false,
          }),
        ],
      }),
    },
    shows: 'Needs a change',
  },
  'both names doubled': {
    script: {
      brand: BRAND,
      domain: domain(),
      diagnosis: diagnosis({
        findings: [
          doubled('routing', 'CNAME', NAME, 'shop', TARGET),
          doubled('ownership', 'TXT', `_service.${NAME}`, '_service.shop', PROOF),
        ],
      }),
    },
    shows: 'Two things need to change',
  },
  'value with the zone appended': {
    script: {
      brand: BRAND,
      domain: domain(),
      diagnosis: diagnosis({
        records: [{ ...routing, seen: other(`${TARGET}.example.com`) }, ownership],
        findings: [
          withSentences({
            code: 'value_doubled_zone',
            severity: 'blocking',
            record: 'routing',
            name: NAME,
            expected: TARGET,
            retryable: false,
            seen: [`${TARGET}.example.com`],
            action: { kind: 'change', ...cloudflare, ...typedRouting, valueInZone: `${TARGET}.` },
          }),
        ],
      }),
    },
    shows: 'One thing needs to change',
  },
  'live, but its record is gone': {
    script: {
      brand: BRAND,
      domain: verified,
      diagnosis: diagnosis({
        ...verifiedDiagnosis,
        records: [routing, ownership],
        findings: [
          withSentences({
            code: 'record_missing',
            severity: 'blocking',
            record: 'routing',
            name: NAME,
            expected: TARGET,
            nameservers: NAMESERVERS,
            action: { kind: 'add', ...cloudflare, ...typedRouting },
            facts: { reason: 'nxdomain' },
            retryable: true,
          }),
        ],
      }),
      certificate: issued,
    },
    shows: 'Visitors do not find your site: a record is gone',
  },
  'CAA record in the way': {
    script: { brand: BRAND, domain: domain(), diagnosis: diagnosis({ findings: [caa] }) },
    shows: 'Add these three records at Cloudflare',
  },
};

/** A customer's texts, as HTML and script: all of it is shown as text. */
export const HOSTILE = (() => {
  const html = '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>`<b>`';
  const script = `javascript:globalThis.hacked=1`;
  return {
    brand: { name: html, support: script, accent: 'red;} body{display:none}', logo: script },
    domain: domain({ status: 'failed', verificationError: html }),
    diagnosis: diagnosis({
      status: 'failed',
      zone: {
        name: html,
        registered: true,
        nameservers: [{ name: html, addresses: [], outcome: 'answered' }],
        provider: { id: '__proto__', name: html, panel: script },
      },
      records: [
        {
          ...routing,
          nameInZone: html,
          seen: [{ nameserver: html, outcome: 'other', values: [html, script, '\u202eevil'] }],
        },
        { ...ownership, nameInZone: script },
      ],
      findings: [{ ...elsewhere, seen: [html, script, '\u202eevil'], expected: html, message: html, fix: html }],
    }),
  } satisfies Script;
})();
