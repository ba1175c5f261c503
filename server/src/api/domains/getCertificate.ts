import { X509Certificate } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { type CertificateReason, IMPORTED, MOVED, unattendedProblem } from '../../domain/certificate-state.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Certificate, IssuedCertificate } from '../../store/store.ts';
import { defineOperation, type HandlerContext } from '../operation.ts';
import { closed, Id, shownBy, Time } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

const RenewalSchema = Type.Object(
  {
    source: Type.Enum(['ari', 'lifetime'], {
      type: 'string',
      description: '`ari`: suggested by the CA (RFC 9773). `lifetime`: a third of the lifetime is left.',
    }),
    startsAt: Time('Start of the renewal window.'),
    endsAt: Time('Its end.'),
    renewAt: Time('When Nameplate renews the certificate, a moment in the window.'),
    explanationUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Where the CA explains its suggestion.' }),
    ),
  },
  {
    title: 'CertificateRenewal',
    description: 'When it will be renewed; for an imported certificate, when a managed one takes its place.',
  },
);

const FallbackSchema = Type.Object(
  {
    issuer: Type.String({ maxLength: 2048, description: "The CA's directory URL, or `internal`." }),
    notBefore: Time('Start of its validity.'),
    notAfter: Time('End of its validity.'),
  },
  {
    title: 'FallbackCertificate',
    description: 'The managed certificate that is kept behind an imported one; absent if there is none.',
  },
);

const IssuedSchema = Type.Object(
  {
    issuer: Type.String({
      maxLength: 2048,
      description:
        "The CA's directory URL. `internal`: the internal CA. `imported` or `moved`: the certificate was uploaded.",
    }),
    source: Type.Enum(['managed', 'imported', 'moved'], {
      type: 'string',
      description:
        '`managed`: Nameplate ordered it. `imported`: it was uploaded with domains.uploadCertificate. `moved`: it was uploaded with `managed`, so Nameplate renews it.',
    }),
    fallback: Type.Optional(FallbackSchema),
    serialNumber: Type.String({ maxLength: 64, description: 'Serial number, in hexadecimal.' }),
    fingerprint: Type.String({
      pattern: '^([0-9A-F]{2}:){31}[0-9A-F]{2}$',
      description: 'SHA-256 fingerprint of the certificate.',
    }),
    notBefore: Time('Start of its validity.'),
    notAfter: Time('End of its validity.'),
    issuedAt: Time('When it was put into use.'),
    renewal: RenewalSchema,
  },
  {
    title: 'IssuedCertificate',
    description:
      'The certificate in use; absent before the first. It stays in use until it is replaced. After a takeover, the name is served with the certificate of its former domain until the new one is issued.',
  },
);

const StagedSchema = Type.Object(
  { notAfter: Time('End of its validity.') },
  {
    title: 'StagedCertificate',
    description:
      'A certificate that was uploaded with `managed` before the domain was verified. It is put in use once the domain is verified or prepared.',
  },
);

export const CERTIFICATE_REASONS: CertificateReason[] = [
  'no_address',
  'dns_unreadable',
  'address_not_public',
  'unreachable',
  'answered_by_another',
  'caa_forbids',
  'no_challenge_record',
  'challenge_elsewhere',
  'challenge_not_seen',
  'dns_servers_failing',
  'budget_spent',
  'ca_rate_limited',
  'ca_unavailable',
  'ca_account',
  'authorization_failed',
  'ca_refused',
  'not_issued_here',
];

export const CertificateProblemSchema = Type.Object(
  {
    reason: Type.Enum(CERTIFICATE_REASONS, {
      type: 'string',
      description: 'Why the certificate is not issued or renewed, as a code. More values may be added.',
    }),
    message: Type.String({
      maxLength: 512,
      description: 'Human-readable message: the cause, where it is and how to fix it.',
    }),
    at: Time('Since when the problem blocks the certificate.'),
  },
  {
    title: 'CertificateProblem',
    description: 'Why the certificate is not issued or renewed; absent without a problem.',
  },
);

const SelfCheckSchema = Type.Object(
  {
    at: Time('When it was made.'),
    answers: Type.Array(
      Type.Object({
        address: Type.String({ maxLength: 64, description: 'An IP address that the name resolves to.' }),
        outcome: Type.Enum(['ours', 'another', 'unreachable', 'not_public'], {
          type: 'string',
          description:
            '`ours`: the edge responded. `another`: another server responded. `unreachable`: nothing responded. `not_public`: the address is not public, so it was not contacted.',
        }),
        seen: Type.Optional(
          Type.String({ maxLength: 1024, description: "The response that came instead of the edge's." }),
        ),
      }),
      { description: 'The outcome at each address.' },
    ),
  },
  {
    title: 'CertificateSelfCheck',
    description:
      'The last test request to the name over HTTP, which Nameplate makes before it contacts a CA; absent before the first.',
  },
);

export const CertificateSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    state: Type.Enum(['none', 'wanted', 'waiting_for_routing', 'ordering', 'issued', 'renewing', 'failed'], {
      type: 'string',
      description:
        '`none`: not needed yet; it is ordered once the domain is verified, or its ownership and challenge records are found. `wanted`: about to be ordered. `waiting_for_routing`: validation at the CA would fail, so nothing is ordered yet. `ordering`: an order is in progress at the CA; a `problem` is from the previous order. `issued`: in use. `renewing`: in use, and its successor is being ordered. `failed`: the CA did not issue it, and Nameplate will try again.',
    }),
    problem: Type.Optional(CertificateProblemSchema),
    challenge: Type.Optional(
      Type.Enum(['http-01', 'dns-01', 'tls-alpn-01'], {
        type: 'string',
        description:
          'How the CA validates the name, in the last order or the one in progress. Nameplate chooses the challenge for each order. Absent before the first order, and if the CA does not validate names.',
      }),
    ),
    failures: Type.Integer({ minimum: 0, description: 'Number of failed attempts in a row.' }),
    nextTryAt: Type.Optional(
      Time('Time of the next attempt to order or renew it. Absent during an attempt, and in the state `none`.'),
    ),
    selfCheck: Type.Optional(SelfCheckSchema),
    issued: Type.Optional(IssuedSchema),
    staged: Type.Optional(StagedSchema),
    createdAt: Type.Optional(Time('When the certificate was first needed; absent in the state `none`.')),
  },
  { title: 'Certificate' },
);

const show = shownBy(CertificateSchema);

/**
 * A certificate as the API shows it. `found` is the certificate of the domain's name, which may belong to another
 * workspace's domain. `lastIssuingAt`: when a process that orders certificates last ran.
 */
export function presentCertificate(
  { id, name }: Pick<Domain, 'id' | 'name'>,
  found: Certificate | null,
  lastIssuingAt: number | null,
  now: number,
  fallback: IssuedCertificate | null = null,
): Static<typeof CertificateSchema> {
  const of = { domainId: id, domain: name };
  if (found === null || found.domainId !== id) return { ...of, state: 'none', failures: 0 };
  return show({
    ...found,
    ...of,
    problem: unattendedProblem(found, lastIssuingAt, now) ?? found.problem,
    nextTryAt: found.leasedUntil === null ? found.nextTryAt : null,
    issued: found.issued && {
      ...found.issued,
      ...fingerprintOf(found.issued),
      source: sourceOf(found.issued),
      fallback,
    },
  });
}

export function sourceOf({ issuer }: Pick<IssuedCertificate, 'issuer'>): 'managed' | 'imported' | 'moved' {
  return issuer === IMPORTED || issuer === MOVED ? issuer : 'managed';
}

function fingerprintOf({ chain }: IssuedCertificate): { serialNumber: string; fingerprint: string } {
  const { serialNumber, fingerprint256 } = new X509Certificate(chain);
  return { serialNumber, fingerprint: fingerprint256 };
}

const { createdAt } = exampleDomain;
const DAY_MS = 86_400_000;

export const exampleCertificate = {
  domainId: exampleDomain.id,
  domain: exampleDomain.name,
  state: 'issued',
  challenge: 'http-01',
  failures: 0,
  nextTryAt: createdAt + 60 * DAY_MS,
  selfCheck: { at: createdAt + 61_000, answers: [{ address: '198.51.100.7', outcome: 'ours' }] },
  issued: {
    issuer: 'https://acme-v02.api.letsencrypt.org/directory',
    source: 'managed',
    serialNumber: '05B4C1E2F3A495867768594A3B2C1D0E9F81',
    fingerprint: '3B:7E:0C:91:5A:D2:44:F8:1E:6B:C9:30:A7:52:8D:EF:04:B1:69:23:DC:F5:78:90:1A:4E:63:BD:27:C8:E5:7F',
    notBefore: createdAt - 3_480_000,
    notAfter: createdAt - 3_481_000 + 90 * DAY_MS,
    issuedAt: createdAt + 66_000,
    renewal: {
      source: 'ari',
      startsAt: createdAt + 59 * DAY_MS,
      endsAt: createdAt + 61 * DAY_MS,
      renewAt: createdAt + 60 * DAY_MS,
    },
  },
  createdAt: createdAt + 60_000,
} satisfies Static<typeof CertificateSchema>;

export const getCertificate = defineOperation({
  name: 'domains.getCertificate',
  summary: 'Get the certificate of a domain',
  description:
    'Returns the state of the certificate: whether the domain is served over HTTPS and, if not, why and what to do. The state is `none` until a certificate is needed, so you can poll from the creation of the domain.',
  // The permission of getDomain: certificates are public, and their state reveals no more than the domain's.
  permission: { resource: 'environment', action: 'read_domain' },
  sessions: ['setup', 'support'],
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: CertificateSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name },
    response: exampleCertificate,
  },
  async handle({ input, find }, { store, clock }) {
    const domain = await find.domain(input.domain);
    return showCertificate(store, domain, clock.now());
  },
});

/** The certificate of a domain as it is now. */
export async function showCertificate(
  store: Pick<HandlerContext['store'], 'findCertificate' | 'findFallback' | 'findStaged' | 'findLastIssuing'>,
  domain: Pick<Domain, 'id' | 'name'>,
  now: number,
): Promise<Static<typeof CertificateSchema>> {
  const [certificate, lastIssuingAt] = await Promise.all([store.findCertificate(domain.name), store.findLastIssuing()]);
  const isImported = certificate?.issued?.issuer === IMPORTED;
  const fallback = isImported ? await store.findFallback(domain.name) : null;
  const shown = presentCertificate(domain, certificate, lastIssuingAt, now, fallback);
  if (shown.state !== 'none') return shown;
  const staged = await store.findStaged(domain.id);
  return staged === null || staged.notAfter <= now ? shown : { ...shown, staged: { notAfter: staged.notAfter } };
}
