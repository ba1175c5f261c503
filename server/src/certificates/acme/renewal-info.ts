import { X509Certificate } from 'node:crypto';
import { CaProblem, type SuggestedRenewal } from '../issuer.ts';
import { readIdentity } from '../x509/x509-certificate.ts';
import type { AcmeClient } from './acme-client.ts';
import { AcmeError, isObject } from './problem-document.ts';

/** ACME Renewal Information (RFC 9773). */

/** Without a `Retry-After` (section 4.3.3 leaves it to the client). */
const ASK_AGAIN_MS = 6 * 3_600_000;
const SOONEST_MS = 60_000;
const LATEST_MS = 24 * 3_600_000;

/**
 * The identifier of a certificate (section 4.1); null: it has no authority key identifier. `leaf`: PEM, its first
 * certificate counts.
 */
export function renewalIdOf(leaf: string): string | null {
  const identity = readIdentity(new X509Certificate(leaf));
  return identity && `${identity.authorityKeyId.toString('base64url')}.${identity.serial.toString('base64url')}`;
}

/** Null: the CA has no such certificate. */
export async function readRenewalInfo(
  client: AcmeClient,
  renewalInfo: string,
  leaf: string,
): Promise<SuggestedRenewal | null> {
  const id = renewalIdOf(leaf);
  if (id === null) return null;
  const response = await client.get(`${renewalInfo.replace(/\/$/, '')}/${id}`).catch((error: unknown) => {
    if (error instanceof AcmeError && error.status === 404) return null;
    throw error;
  });
  if (response === null) return null;
  const info = isObject(response.json) ? response.json : {};
  const { start, end } = isObject(info.suggestedWindow) ? info.suggestedWindow : {};
  const [startsAt, endsAt] = [unixMs(start), unixMs(end)];
  if (!(startsAt < endsAt)) throw new CaProblem('unavailable', `${client.host} suggested an invalid renewal window.`);
  const { explanationURL } = info;
  return {
    startsAt,
    endsAt,
    explanationUrl: typeof explanationURL === 'string' ? webPage(explanationURL) : null,
    retryAfterMs: Math.min(Math.max(response.retryAfterMs ?? ASK_AGAIN_MS, SOONEST_MS), LATEST_MS),
  };
}

/** RFC 3339; NaN: invalid. */
function unixMs(time: unknown): number {
  return typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) ? Date.parse(time) : Number.NaN;
}

/** A link that people may open; null: not a web page. */
function webPage(url: string): string | null {
  const parsed = url.length <= 512 ? URL.parse(url) : null;
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : null;
}
