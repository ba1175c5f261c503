import type { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { publicKeyInfo, readPrivateKey } from '../../../server/src/certificates/x509/private-key.ts';
import type { IssuingSite } from './site.ts';

/** The response of a name. */
export interface Visit {
  certificate: X509Certificate;
  status: number;
  body: string;
}

/**
 * Asks for a name over HTTPS, trusting nothing but the CA's root. Rejects unless the chain leads there, the certificate
 * is for the name, and whoever serves it has its key.
 */
export function visit({ https, pebble }: Pick<IssuingSite, 'https' | 'pebble'>, hostname: string): Promise<Visit> {
  return new Promise((resolve, reject) => {
    const to = { host: '127.0.0.1', port: https.port, servername: hostname, headers: { host: hostname } };
    const sent = request({ ...to, ca: pebble.issuingRoots, agent: false }, (response) => {
      const certificate = (response.socket as TLSSocket).getPeerX509Certificate();
      if (certificate === undefined) return reject(new Error(`${hostname} was served without a certificate`));
      text(response).then((body) => resolve({ certificate, status: response.statusCode ?? 0, body }), reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Whether a certificate is for a private key (PKCS #8, DER). */
export function isOf({ publicKey }: X509Certificate, privateKey: Uint8Array): boolean {
  return publicKeyInfo(publicKey).equals(publicKeyInfo(readPrivateKey(privateKey)));
}
