/** How an environment's settings have its origin asked: `Host`, the edge's secret, TLS. */

import { hash, X509Certificate } from 'node:crypto';
import type { OriginTarget } from '../../net/origin-connections.ts';
import type { OriginSettings } from '../../store/store.ts';
import { privateKeyPem } from '../tls/tls-contexts.ts';

/** An origin and the settings that apply to it. */
export interface AskedOrigin {
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
  settings: OriginSettings | null;
}

/** `Host` of a request to an origin. `authority`: the visitor's. */
export function hostFor({ origin, settings }: AskedOrigin, authority: string): string {
  const { hostHeader = 'visitor' } = settings ?? {};
  if (hostHeader === 'visitor') return authority;
  return hostHeader === 'origin' ? new URL(origin).host : hostHeader;
}

/** The edge's secret as it is sent: one value, or two during a rotation, the new one first. Null: none. */
export function secretFor(settings: OriginSettings | null, now: number): string | null {
  if (settings === null || settings.secret === null) return null;
  const { current, previous, previousExpiresAt } = settings.secret;
  if (previous === null || previousExpiresAt === null || now >= previousExpiresAt) return text(current);
  return `${text(current)}, ${text(previous)}`;
}

function text(secret: Uint8Array): string {
  return Buffer.from(secret).toString('latin1');
}

/** When the client certificate for an origin expired (ISO 8601); null: it has not, or there is none. */
export function clientCertificateExpiry({ origin, settings }: AskedOrigin, now: number): string | null {
  const chain = origin.startsWith('https:') ? settings?.clientCertificate?.chain : undefined;
  if (chain === undefined) return null;
  const { validToDate } = new X509Certificate(chain);
  return validToDate.getTime() <= now ? validToDate.toISOString() : null;
}

/** Computed once for settings that are cached. */
const tlsOptions = new WeakMap<OriginSettings, { id: string; options: { ca?: string; cert?: string; key?: string } }>();

/**
 * Where connections to an origin lead. Those with a client certificate, or to another name, are never used for requests
 * that do not have the same. Throws for a private key that is invalid.
 */
export function targetOf({ origin, settings }: AskedOrigin): OriginTarget {
  if (settings === null || !origin.startsWith('https:')) return { origin, key: origin };
  const { hostHeader } = settings;
  const { id, options } = tlsOf(settings);
  const servername = hostHeader === 'visitor' || hostHeader === 'origin' ? null : hostHeader;
  return {
    origin,
    key: `${origin} ${servername ?? ''} ${id}`,
    tls: { ...options, ...(servername !== null && { servername }) },
  };
}

function tlsOf(settings: OriginSettings) {
  const known = tlsOptions.get(settings);
  if (known !== undefined) return known;
  const { caCertificate, clientCertificate } = settings;
  const found = {
    id: hash('sha256', JSON.stringify([caCertificate, clientCertificate?.chain])),
    options: {
      ...(caCertificate !== null && { ca: caCertificate }),
      ...(clientCertificate !== null && {
        cert: clientCertificate.chain,
        key: privateKeyPem(clientCertificate.privateKey),
      }),
    },
  };
  tlsOptions.set(settings, found);
  return found;
}
