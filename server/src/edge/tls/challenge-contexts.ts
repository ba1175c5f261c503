import { createServer, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { certificatePem } from '../../certificates/x509/pem.ts';
import { newPrivateKey, readPrivateKey } from '../../certificates/x509/private-key.ts';
import { createChallengeCertificate } from '../../certificates/x509/x509-certificate.ts';
import { freeContext, privateKeyPem, type TlsContext } from './tls-contexts.ts';

/** The only protocol of TLS-ALPN-01 (RFC 8737 section 6.2). */
const ACME_TLS = 'acme-tls/1';
/** A CA opens some connections for each validation. */
const CONTEXTS = 100;
const DAY_MS = 24 * 3_600_000;

/**
 * TLS contexts that answer TLS-ALPN-01 challenges (RFC 8737 section 3), apart from those that serve names. `onSecure`
 * is called after each handshake.
 */
export function createChallengeContexts(clock: Clock, onSecure: (serverName: string, socket: TLSSocket) => void) {
  const cache = new LRUCache<string, TlsContext>({ max: CONTEXTS, dispose: freeContext });

  function create(serverName: string, keyAuthorization: string): TlsContext {
    const privateKey = newPrivateKey();
    const now = clock.now();
    const validity = { notBefore: now - DAY_MS, notAfter: now + 7 * DAY_MS };
    const proof = { hostname: serverName, keyAuthorization, privateKey: readPrivateKey(privateKey) };
    const context = createServer({
      key: privateKeyPem(privateKey),
      cert: certificatePem(createChallengeCertificate(proof, validity)),
      ca: [],
      ALPNProtocols: [ACME_TLS],
      minVersion: 'TLSv1.2',
    });
    return context.on('secureConnection', (socket) => onSecure(serverName, socket));
  }

  return {
    get(serverName: string, keyAuthorization: string): TlsContext {
      const key = `${serverName} ${keyAuthorization}`;
      const context = cache.get(key) ?? create(serverName, keyAuthorization);
      cache.set(key, context);
      return context;
    },
  };
}
