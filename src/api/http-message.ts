import type { IncomingMessage } from 'node:http';
import { isAuthority, onlyField } from '../net/host-field.ts';
import { unreadable } from './client-errors.ts';
import type { Problem } from './errors.ts';
import { invalid } from './validation.ts';

/** Of HTTP. Node's parser lets 0.9 and 2.0 pass, too. */
const VERSIONS = new Set(['1.0', '1.1']);

/** What is wrong with a message that Node's parser has let pass: its version, or that it has not one valid `Host` (RFC 9112 section 3.2). */
export function malformation({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): Problem | undefined {
  if (!VERSIONS.has(httpVersion)) return unreadable();
  const host = onlyField('host', rawHeaders);
  if (host === null) return invalid('header.host', 'must be sent once (RFC 9112 section 3.2)');
  if (host === undefined && httpVersion === '1.1') {
    return invalid('header.host', 'must be present (RFC 9112 section 3.2)');
  }
  // Empty where the target has no host.
  if (host && !isAuthority(host)) return invalid('header.host', 'must be a host, with or without a port');
  return undefined;
}
