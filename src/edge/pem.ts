/** A private key (PKCS #8, DER) as it is written in files (RFC 7468 section 10). */
export function pem(privateKey: Uint8Array): string {
  const lines = Buffer.from(privateKey).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}
