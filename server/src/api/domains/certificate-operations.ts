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
      'PEM: the certificate of the name and its intermediate certificates, in any order. A root certificate among them is ignored.',
  }),
  privateKey: Type.String({
    minLength: 1,
    maxLength: MAX_KEY,
    description:
      'The private key of the certificate as PEM, not encrypted: RSA of 2048 to 4096 bits, P-256 or P-384. It is stored encrypted and never shown.',
  }),
};

export const uploadCertificate = defineOperation({
  name: 'domains.uploadCertificate',
  summary: "Serve a domain with its owner's certificate",
  description:
    'Checks the certificate and its key, and serves the domain with it within a second, on every node. If anything is wrong, nothing changes, and each error says what to do. Uploading the same certificate again changes nothing. Without `managed`, the domain must be verified, or prepared by its ownership and challenge records, and the certificate is never renewed. Nameplate keeps the managed certificate that it replaces as the fallback. If you remove the uploaded certificate, a managed one takes its place. The same happens when a third of the time from the upload to the expiry is left (30 days at most). Earlier, when half of that time is left (45 days at most), the event `certificate.expiring` is sent: the owner can then provide another certificate. With `managed`, Nameplate renews the certificate like its own. You can upload such a certificate before the domain is verified, unless its status is `failed`. It is stored, and put in use once the domain is verified or prepared, unless it has expired. It does not verify the domain. If the domain is deleted or fails before that, the certificate is deleted.',
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
            'True for a certificate from the server that you move from. Nameplate serves it, and orders another one only when its renewal is due.',
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
  summary: "Remove the certificate that a domain's owner provided",
  description:
    'Serves the domain with its managed certificate again, within a second on every node, and deletes the private key of the uploaded certificate. If no managed certificate is kept, or it expires soon, one is ordered at once, and the uploaded one is served until it is issued. A certificate that was uploaded with `managed` is replaced in the same way. If such a certificate is not in use yet, it is deleted, and none is ordered. Without an uploaded certificate, nothing changes.',
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
