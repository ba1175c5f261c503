import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { CertificateSchema, presentCertificate } from './present-certificate.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

// The permission of getDomain: certificates are public, and their state reveals no more than the domain's.
const permission = { resource: 'environment', action: 'read_domain' } as const;

const { createdAt } = exampleDomain;
const DAY_MS = 86_400_000;

export const getCertificate = defineOperation({
  name: 'domains.getCertificate',
  summary: 'Get the certificate of a domain',
  description:
    'Returns the state of the certificate: whether the domain is served over HTTPS and, if not, why and what to do. Before the domain is verified the state is `none`, not an error, so clients can poll from the creation of the domain on.',
  permission,
  credential: 'key_or_session',
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: CertificateSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name },
    response: {
      domainId: exampleDomain.id,
      domain: exampleDomain.name,
      state: 'issued',
      failures: 0,
      nextTryAt: createdAt + 60 * DAY_MS,
      selfCheck: { at: createdAt + 61_000, answers: [{ address: '198.51.100.7', outcome: 'ours' }] },
      issued: {
        issuer: 'https://acme-v02.api.letsencrypt.org/directory',
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
    },
  },
  async handle({ input, namedDomain }, { store, clock }) {
    const domain = await namedDomain(input.domain);
    const [certificate, lastIssuingAt] = await Promise.all([
      store.findCertificate(domain.name),
      store.findLastIssuing(),
    ]);
    return presentCertificate(domain, certificate, lastIssuingAt, clock.now());
  },
});
