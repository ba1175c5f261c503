import { X509Certificate } from 'node:crypto';
import Type, { type Static } from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import type { Certificate, IssuedCertificate } from '../../store/contract/store.ts';
import { closed, Id, Time } from '../schemas.ts';

const RenewalSchema = Type.Object(
  {
    source: Type.Enum(['ari', 'lifetime'], {
      type: 'string',
      description: '`ari`: suggested by the CA (RFC 9773). `lifetime`: a third of the lifetime is left.',
    }),
    startsAt: Time('Beginning of the window.'),
    endsAt: Time('Its end.'),
    renewAt: Time('The moment in the window at which this certificate is renewed.'),
    explanationUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Where the CA says why it wants it renewed then.' }),
    ),
  },
  { ...closed, title: 'CertificateRenewal', description: 'When it is to be renewed.' },
);

const IssuedSchema = Type.Object(
  {
    issuer: Type.String({
      maxLength: 2048,
      description: "The CA's directory URL; `internal` of our own CA, `imported` of a certificate from elsewhere.",
    }),
    serialNumber: Type.String({ maxLength: 64, description: 'In hexadecimal.' }),
    fingerprint: Type.String({
      pattern: '^([0-9A-F]{2}:){31}[0-9A-F]{2}$',
      description: 'SHA-256 of the certificate.',
    }),
    notBefore: Time('Beginning of its validity.'),
    notAfter: Time('End of its validity.'),
    issuedAt: Time('When it was put in use.'),
    renewal: RenewalSchema,
  },
  {
    ...closed,
    title: 'IssuedCertificate',
    description: 'The certificate in use; absent before the first. It stays in use until another takes its place.',
  },
);

const ProblemSchema = Type.Object(
  {
    reason: Type.Enum(
      [
        'no_address',
        'dns_unreadable',
        'address_not_public',
        'unreachable',
        'answered_by_another',
        'caa_forbids',
        'budget_spent',
        'ca_rate_limited',
        'ca_unavailable',
        'ca_account',
        'authorization_failed',
        'ca_refused',
      ],
      { type: 'string', description: 'What stands in the way, for programs. More may be added.' },
    ),
    message: Type.String({ maxLength: 512, description: 'What happened, where, and what to do.' }),
    at: Time('Since when it stands in the way.'),
  },
  {
    ...closed,
    title: 'CertificateProblem',
    description: 'Why the certificate is no further; absent while all is well.',
  },
);

const SelfCheckSchema = Type.Object(
  {
    at: Time('When it was made.'),
    answers: Type.Array(
      Type.Object(
        {
          address: Type.String({ maxLength: 64, description: 'IP address that the name leads to.' }),
          outcome: Type.Enum(['ours', 'another', 'unreachable', 'not_public'], {
            type: 'string',
            description:
              '`ours`: the edge answered. `another`: something else did. `not_public`: no address of the Internet, so it was not asked.',
          }),
          seen: Type.Optional(Type.String({ maxLength: 1024, description: 'What was seen instead.' })),
        },
        closed,
      ),
    ),
  },
  {
    ...closed,
    title: 'CertificateSelfCheck',
    description: 'What was seen when the name was last asked for over HTTP, before a CA was; absent before that.',
  },
);

export const CertificateSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    state: Type.Enum(['none', 'wanted', 'waiting_for_routing', 'ordering', 'issued', 'renewing', 'failed'], {
      type: 'string',
      description:
        '`none`: the domain is not verified, so nobody wants one. `wanted`: about to be looked at. `waiting_for_routing`: the name would fail at the CA, so the CA is not asked. `ordering`: the CA is asked. `issued`: in use. `renewing`: in use, and its successor is being obtained. `failed`: the CA did not issue; it is asked again.',
    }),
    problem: Type.Optional(ProblemSchema),
    failures: Type.Integer({ minimum: 0, description: 'Attempts that failed in a row.' }),
    nextTryAt: Type.Optional(
      Time('When it is looked at next, to be obtained or renewed; absent while that is under way, and in `none`.'),
    ),
    selfCheck: Type.Optional(SelfCheckSchema),
    issued: Type.Optional(IssuedSchema),
    createdAt: Type.Optional(Time('Since when one is wanted: the verification of the domain; absent in `none`.')),
  },
  { ...closed, title: 'Certificate' },
);

/**
 * A certificate as the API shows it. What is not there is absent, never null. `found` is what lies under the domain's name, which may be
 * another workspace's: then this domain has none.
 */
export function presentCertificate(
  { id, name }: Pick<Domain, 'id' | 'name'>,
  found: Certificate | null,
): Static<typeof CertificateSchema> {
  const of = { domainId: id, domain: name };
  if (found === null || found.domainId !== id) return { ...of, state: 'none', failures: 0 };
  const { state, problem, failures, leasedUntil, nextTryAt, selfCheck, issued, createdAt } = found;
  return {
    ...of,
    state,
    ...(problem && { problem }),
    failures,
    ...(leasedUntil === null && { nextTryAt }),
    ...(selfCheck && { selfCheck: { at: selfCheck.at, answers: selfCheck.answers.map(presentAnswer) } }),
    ...(issued && { issued: presentIssued(issued) }),
    createdAt,
  };
}

function presentAnswer({ address, outcome, seen }: NonNullable<Certificate['selfCheck']>['answers'][number]) {
  return { address, outcome, ...(seen !== null && { seen }) };
}

function presentIssued({ issuer, chain, notBefore, notAfter, issuedAt, renewal }: IssuedCertificate) {
  const { serialNumber, fingerprint256 } = new X509Certificate(chain);
  const { source, startsAt, endsAt, renewAt, explanationUrl } = renewal;
  return {
    issuer,
    serialNumber,
    fingerprint: fingerprint256,
    notBefore,
    notAfter,
    issuedAt,
    renewal: { source, startsAt, endsAt, renewAt, ...(explanationUrl !== null && { explanationUrl }) },
  };
}
