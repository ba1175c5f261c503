import { createHash, createPrivateKey, hkdfSync } from 'node:crypto';
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { TlsVersion } from '../../domain/site-settings.ts';
import type { ServedCertificate } from '../../store/store.ts';

/**
 * A TLS server for one site, that is a name or a wildcard, its domain, certificate and lowest version. Its session tickets are invalid for all others. It does not
 * listen: connections are passed to it (`emit('connection')`) once their name is known.
 */
export type TlsContext = Server & { _sharedCreds?: SecureContext };

/** The domain and the certificate of a served name: a takeover changes the domain, and may keep the certificate. */
export interface CertifiedSite {
  /** `*.shop.example.com`: one context is for all names below it. */
  hostname: string;
  domainId: string;
  certificate: ServedCertificate;
  /** Clients that speak only lower ones are refused. */
  minTlsVersion: TlsVersion;
}

export interface TlsContextCache {
  /** The context of a site, created on a miss. Throws when the certificate cannot be used. */
  get(site: CertifiedSite, ticketSecret: Uint8Array): TlsContext;
  size(): number;
}

interface Entry {
  domainId: string;
  chain: string;
  minTlsVersion: TlsVersion;
  ticketSecret: Uint8Array;
  context: TlsContext;
}

/**
 * Mozilla's intermediate configuration: for TLS 1.2 only forward secrecy with authenticated encryption. RSA is for
 * imported certificates.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** The same configuration, with the post-quantum group. Others that OpenSSL knows cost many times the CPU. */
const GROUPS = 'X25519MLKEM768:X25519:P-256:P-384';

/** LRU cache of the TLS contexts of sites, about 40 KB each. `onSecure` is called after each handshake. */
export function createTlsContextCache(
  capacity: number,
  onSecure: (siteName: string, socket: TLSSocket) => void,
): TlsContextCache {
  const cache = new LRUCache<string, Entry>({ max: capacity, dispose: ({ context }) => freeContext(context) });

  function get(site: CertifiedSite, ticketSecret: Uint8Array): TlsContext {
    const { hostname, domainId, certificate, minTlsVersion } = site;
    const { chain } = certificate;
    const cached = cache.get(hostname);
    const isSame =
      cached?.domainId === domainId &&
      cached.chain === chain &&
      cached.minTlsVersion === minTlsVersion &&
      cached.ticketSecret === ticketSecret;
    if (isSame) return cached.context;
    const context = createContext(site, ticketSecret);
    cache.set(hostname, { domainId, chain, minTlsVersion, ticketSecret, context });
    return context;
  }

  function createContext(
    { hostname, domainId, certificate: { chain, privateKey }, minTlsVersion }: CertifiedSite,
    ticketSecret: Uint8Array,
  ): TlsContext {
    const context = createServer({
      key: privateKeyPem(privateKey),
      cert: chain,
      // Client certificates are not requested, so no CA needs to be loaded.
      ca: [],
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: `TLSv${minTlsVersion}`,
      ciphers: CIPHERS,
      ecdhCurve: GROUPS,
      ticketKeys: ticketKeys(ticketSecret, `${hostname} ${domainId}`, chain),
    });
    return context.on('secureConnection', (socket) => onSecure(hostname, socket));
  }

  return { get, size: () => cache.size };
}

/**
 * Frees OpenSSL's memory of a context; open connections keep the parts that they need. The garbage collector would do
 * it too late: Node reports one of the 40 KB to it. There is no public API.
 */
export function freeContext(context: TlsContext): void {
  context._sharedCreds?.context?.close?.();
}

/** The order that OpenSSL expects: 16 bytes of name, 16 to authenticate, 16 to encrypt. */
function ticketKeys(secret: Uint8Array, site: string, chain: string): Buffer {
  const salt = createHash('sha256').update(chain).digest();
  return Buffer.from(hkdfSync('sha256', secret, salt, site, 48));
}

/** Converts a private key (PKCS #8, DER) to PEM. Throws when it is invalid. */
export function privateKeyPem(der: Uint8Array): string {
  const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}
