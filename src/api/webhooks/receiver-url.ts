import { isIP } from 'node:net';
import { type AddressRule, addressRule } from '../../net/addresses.ts';
import type { WebhookSettings } from '../operation.ts';

type ReceiverUrl = { ok: true; url: string } | { ok: false; messages: string[]; fix?: string };

export const MAX_URL_LENGTH = 2048;

/**
 * Parses the URL of a receiver into the form in which it is called. `messages` names everything that it must not have. Syntax alone, but for an
 * address in place of a name: the addresses of a name are checked at each connection (`net/dialer.ts`).
 */
export function parseReceiverUrl(
  text: string,
  { schemes, allowedNetworks }: Pick<WebhookSettings, 'schemes' | 'allowedNetworks'>,
): ReceiverUrl {
  const url = URL.parse(text);
  const isSpaced = /[\s\p{Cc}\\]/u.test(text);
  if (url === null || isSpaced || !/^https?:\/\//i.test(text)) {
    return {
      ok: false,
      messages: ['must be a URL with a scheme and a host, without white space'],
      fix: 'use a URL such as "https://hooks.example.com/nameplate"',
    };
  }
  const messages: string[] = [];
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) messages.push(`must begin with ${starts(schemes)}`);
  if (url.username !== '' || url.password !== '') messages.push('must not have a user or a password');
  if (text.includes('#')) messages.push('must not have a fragment');
  if (url.href.length > MAX_URL_LENGTH)
    messages.push(`must have at most ${MAX_URL_LENGTH} characters once it is encoded`);
  if (!isAllowedHost(url.hostname, addressRule(allowedNetworks))) {
    messages.push('must not have a private, loopback or other special address');
  }
  return messages.length === 0 ? { ok: true, url: url.href } : { ok: false, messages };
}

function starts(schemes: readonly string[]): string {
  return schemes.map((scheme) => `"${scheme}://"`).join(' or ');
}

/** `hostname`: of a parsed URL, so that an IPv4 address is in its usual notation, and an IPv6 one in brackets. */
function isAllowedHost(hostname: string, isAllowed: AddressRule): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isAllowed(address);
}
