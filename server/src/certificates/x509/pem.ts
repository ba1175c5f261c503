import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** A certificate (DER) as PEM (RFC 7468). */
export function certificatePem(der: Uint8Array): string {
  return new X509Certificate(der).toString();
}

/** The certificates of a PEM text, in its order; other text is ignored. */
export function splitPem(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}
