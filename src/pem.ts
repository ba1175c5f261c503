/** Certificates and keys as text (RFC 7468). */

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Of a certificate in DER. */
export function certificatePem(certificate: Uint8Array): string {
  return pem('CERTIFICATE', certificate);
}

/** Of a private key in DER (PKCS #8). */
export function privateKeyPem(privateKey: Uint8Array): string {
  return pem('PRIVATE KEY', privateKey);
}

/** The certificates of a text, in its order; what else is in it is passed over. */
export function splitPem(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}

function pem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g);
  return `-----BEGIN ${label}-----\n${(lines ?? []).join('\n')}\n-----END ${label}-----\n`;
}
