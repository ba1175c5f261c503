import { createHash, hkdfSync } from 'node:crypto';
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls';
import type { ServedCertificate } from '../../store/contract/store.ts';
import { privateKeyPem } from './private-key-pem.ts';

/**
 * What handshakes of one name need. Its tickets are worth nothing to another name, nor once the certificate is another. It listens nowhere: connections
 * are handed to it (`connection`) once their name is known.
 */
export type Context = Server & { _sharedCreds?: SecureContext };

export interface Contexts {
  /** The context of a name for this certificate and secret of tickets, made where it is not at hand. Throws when the certificate cannot be used. */
  of(serverName: string, certificate: ServedCertificate, ticketSecret: Uint8Array): Context;
  /** Contexts kept. */
  size(): number;
}

interface Entry {
  certificate: ServedCertificate;
  ticketSecret: Uint8Array;
  context: Context;
}

/**
 * Those of Mozilla's intermediate configuration: with TLS 1.2 only what has forward secrecy and authenticates what it encrypts. RSA is for
 * certificates that were imported.
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

/** Keeps the TLS contexts of the names that were asked for last: so many, about 40 KB each. `onSecure` hears of each handshake that is done. */
export function createContexts(capacity: number, onSecure: (serverName: string, socket: TLSSocket) => void): Contexts {
  // In the order of last use.
  const entries = new Map<string, Entry>();

  function of(serverName: string, certificate: ServedCertificate, ticketSecret: Uint8Array): Context {
    const known = entries.get(serverName);
    entries.delete(serverName);
    if (known?.certificate === certificate && known.ticketSecret === ticketSecret) {
      entries.set(serverName, known);
      return known.context;
    }
    if (known !== undefined) letGo(known.context);
    const context = contextFor(serverName, certificate, ticketSecret);
    if (entries.size >= capacity) dropEldest();
    entries.set(serverName, { certificate, ticketSecret, context });
    return context;
  }

  function dropEldest(): void {
    const [eldest] = entries;
    if (eldest === undefined) return;
    entries.delete(eldest[0]);
    letGo(eldest[1].context);
  }

  function contextFor(serverName: string, { chain, privateKey }: ServedCertificate, ticketSecret: Uint8Array): Context {
    const context = createServer({
      key: privateKeyPem(privateKey),
      cert: chain,
      // No client certificates are asked for, so no CA has to be known.
      ca: [],
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      ticketKeys: ticketKeys(ticketSecret, serverName, chain),
    });
    return context.on('secureConnection', (socket) => onSecure(serverName, socket));
  }

  return { of, size: () => entries.size };
}

/**
 * Frees what OpenSSL holds for a context; connections keep what they use of it. The garbage collector would as well, and never does: Node tells it of
 * one kilobyte out of forty. There is no public way.
 */
function letGo(context: Context): void {
  context._sharedCreds?.context?.close?.();
}

/** As OpenSSL wants them: a name, a key to authenticate with and a key to encrypt with. */
function ticketKeys(secret: Uint8Array, serverName: string, chain: string): Buffer {
  const salt = createHash('sha256').update(chain).digest();
  return Buffer.from(hkdfSync('sha256', secret, salt, serverName, 48));
}
