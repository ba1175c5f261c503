import { isIP } from 'node:net';
import { addressRule } from '../../net/addresses.ts';
import type { WebhookSettings } from '../operation.ts';

type ReceiverUrl = { ok: true; url: string } | { ok: false; messages: string[]; fix?: string };

/** Special-use names (RFC 6761, RFC 7686) that have no addresses. */
const NOWHERE = ['onion', 'invalid'];
/** Those that have private addresses at most, which the operator may allow. */
const PRIVATE = ['localhost', 'local', 'internal', 'arpa'];

export const MAX_URL_LENGTH = 2048;

/**
 * Parses the URL of a receiver into the form in which it is called. `messages` names everything that it must not have.
 * It looks nothing up: the addresses of a name are checked at each connection (`net/dialer.ts`).
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
  if (url.port === '0') messages.push('must not have the port 0');
  const host = hostProblem(url.hostname, allowedNetworks);
  if (host !== null) messages.push(host);
  return messages.length === 0 ? { ok: true, url: url.href } : { ok: false, messages };
}

function starts(schemes: readonly string[]): string {
  return schemes.map((scheme) => `"${scheme}://"`).join(' or ');
}

/** `hostname`: of a parsed URL, so that an IPv4 address is in its usual notation, and an IPv6 one in brackets. */
function hostProblem(hostname: string, allowedNetworks: readonly string[]): string | null {
  const host = hostname.replace(/^\[(.*)\]$|\.$/, '$1');
  if (isIP(host) !== 0) {
    return addressRule(allowedNetworks)(host) ? null : 'must not have a private, loopback or other special address';
  }
  if (host.length > 253 || host.split('.').some((label) => label === '' || label.length > 63))
    return 'must have a host name of at most 253 characters, with 1 to 63 between two dots';
  const [ending = ''] = /[^.]*$/.exec(host) ?? [];
  if (!NOWHERE.includes(ending) && (allowedNetworks.length > 0 || !PRIVATE.includes(ending))) return null;
  return `must not have a name below ".${ending}", which leads to no public address`;
}
