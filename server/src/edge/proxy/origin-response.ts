import type { IncomingMessage } from 'node:http';
import { isTransferCoded } from './headers.ts';
import { ProxyError } from './origin-failure.ts';

/** Node's limit on the size of a header counts names and values only. */
const MOST_FIELDS = 1000;

/** Throws `ProxyError` for the head of a final response that Node accepts, but that must not be passed on. */
export function checkHead(response: IncomingMessage): void {
  const { statusCode = 0, rawHeaders } = response;
  if (statusCode < 200) {
    throw new ProxyError('origin_invalid', 'upgrade', 'The origin switched to another protocol.');
  }
  // RFC 9110 section 15.
  if (statusCode > 599) throw new ProxyError('origin_invalid', 'status', 'The origin sent an invalid status.');
  if (rawHeaders.length > 2 * MOST_FIELDS) {
    throw new ProxyError('origin_invalid', 'too_many_fields', 'The origin sent too many header fields.');
  }
  if (isTransferCoded(response)) {
    throw new ProxyError(
      'origin_invalid',
      'transfer_encoding',
      'The origin used a transfer coding other than chunked.',
    );
  }
}
