import type { IncomingMessage } from 'node:http';
import { isTransferCoded } from './headers.ts';
import { Refused } from './origin-failure.ts';

/** The size of a header counts names and values alone. */
const MOST_FIELDS = 1000;

/** Throws `Refused` for the head of a final response that Node accepts, and clients cannot be given. */
export function checkHead(response: IncomingMessage): void {
  const { statusCode = 0, rawHeaders } = response;
  if (statusCode < 200) {
    throw new Refused('origin_invalid', 'upgrade', 'The origin agreed to what it was not asked for.');
  }
  // There are no others (RFC 9110 section 15).
  if (statusCode > 599)
    throw new Refused('origin_invalid', 'status', 'The origin answered with a status that there is not.');
  if (rawHeaders.length > 2 * MOST_FIELDS) {
    throw new Refused('origin_invalid', 'too_many_fields', 'The origin sent more fields than are accepted.');
  }
  if (isTransferCoded(response)) {
    throw new Refused(
      'origin_invalid',
      'transfer_encoding',
      'The origin encoded content in another way than in chunks.',
    );
  }
}
