/** PEM (RFC 7468). */

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

export function toPem(certificate: Uint8Array): string {
  const lines = Buffer.from(certificate)
    .toString('base64')
    .match(/.{1,64}/g);
  return `-----BEGIN CERTIFICATE-----\n${(lines ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** The certificates of a text, in its order; what else is in it is passed over. */
export function splitPem(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}
