import Type from 'typebox';
import { IMPORTED, MOVED } from '../../domain/certificate-state.ts';
import { Problem } from '../errors.ts';
import { readImport } from '../imported-certificate.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { CertificateSchema, exampleCertificate, showCertificate } from './getCertificate.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

/** Certificates that the owner of a name brings: `imported`, and `moved` where Nameplate renews them. */

/** Ten certificates of RSA keys. */
const MAX_CHAIN = 32_768;
const MAX_KEY = 16_384;

const permission = { resource: 'environment', action: 'update_domain' } as const;
const { issued } = exampleCertificate;

/** The files of a certificate that its owner brings. */
export const broughtFiles = {
  certificates: Type.String({
    minLength: 1,
    maxLength: MAX_CHAIN,
    description:
      'PEM: the certificate of the name, and the intermediate ones above it, in any order. A root among them is left out.',
  }),
  privateKey: Type.String({
    minLength: 1,
    maxLength: MAX_KEY,
    description:
      'Its private key, PEM, not encrypted: RSA of 2048 to 4096 bits, P-256 or P-384. It is stored sealed and never shown.',
  }),
};

export const uploadCertificate = defineOperation({
  name: 'domains.uploadCertificate',
  summary: 'Serve a domain with a certificate of its owner',
  description:
    'Checks the certificate with its key, and serves the domain with it, on every node within a second. The managed certificate that it replaces is kept as the fallback. A managed one takes its place when a third of its time is left (30 days at most), or once it is removed. Its time counts from its upload. The event `certificate.expiring` says so before, when half is left (45 days at most), so that its owner can send another one, which replaces it. It is never renewed. The domain has to be verified, or prepared by its ownership and challenge records. With `managed` it is renewed as one of ours, and may be uploaded before verification. It is kept then, and put in use when the domain is verified or prepared, unless it has expired. It verifies nothing, and is deleted with the domain. The same certificate again changes nothing. Nothing is changed where anything is wrong: each error says what to do.',
  permission,
  // The checks take ten milliseconds of CPU time. Certificates of domains.createDomains count, too.
  rateLimit: { limit: 600, windowMs: 60_000 },
  request: Type.Object(
    {
      domain: DomainIdentifier,
      ...broughtFiles,
      managed: Type.Optional(
        Type.Boolean({
          description:
            'The certificate was issued to the server that you move from: it is served, and renewed as one of ours. No order is placed before its renewal is due.',
        }),
      ),
    },
    closed,
  ),
  response: CertificateSchema,
  problems: ['data/domain_not_found', 'application/domain_not_verified', 'application/sealing_unavailable'],
  example: {
    request: {
      domain: exampleDomain.name,
      certificates: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
      privateKey: '-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n',
    },
    response: {
      ...exampleCertificate,
      issued: {
        ...issued,
        issuer: IMPORTED,
        source: 'imported',
        fallback: { issuer: issued.issuer, notBefore: issued.notBefore, notAfter: issued.notAfter },
        renewal: { ...issued.renewal, source: 'lifetime' },
      },
    },
  },
  async handle({ input, changes, find }, { store, clock }) {
    const domain = await find.domain(input.domain);
    const now = clock.now();
    const read = readImport(domain.name, input, now, Math.random(), input.managed ? MOVED : IMPORTED);
    const before = await store.findCertificate(domain.name);
    const same = before?.domainId === domain.id ? before.issued : await store.findStaged(domain.id);
    if (same?.chain !== read.chain || same.issuer !== read.issuer) {
      const outcome = input.managed
        ? await changes.stageCertificate(domain, read, now)
        : await changes.importCertificate(domain.name, read, now, domain.id);
      if (outcome === 'missing') throw new Problem('application/domain_not_verified');
    }
    return showCertificate(store, domain, now);
  },
});

export const removeCertificate = defineOperation({
  name: 'domains.removeCertificate',
  summary: 'Remove a certificate of the owner of a domain',
  description:
    'Serves the domain with its managed certificate again, on every node within a second, and deletes the private key of the imported one. Where no managed one is kept, or it expires soon, one is ordered at once, and the imported one is served until it is there. For one uploaded with `managed`, another is ordered at once; before the domain is verified, it is deleted. Where there is none of these, it changes nothing.',
  permission,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: CertificateSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: exampleCertificate },
  async handle({ input, changes, find }, { store, clock }) {
    const domain = await find.domain(input.domain);
    await changes.removeCertificate(domain.name, clock.now(), domain.id);
    return showCertificate(store, domain, clock.now());
  },
});
