type ParsedOrigin = { ok: true; origin: string } | { ok: false; messages: string[]; fix?: string };

/** Every origin matches it. A text that matches may still be none: its host may be invalid. */
export const ORIGIN_PATTERN = '^[hH][tT][tT][pP][sS]?://[^\\s/?#@\\\\]+$';

const SHAPE = new RegExp(ORIGIN_PATTERN);

/**
 * Parses the origin of a deployment, `http://host[:port]` or `https://host[:port]`, into its canonical form (RFC 6454
 * section 6.2): lower case, without the scheme's own port. `messages` names everything that an origin must not have.
 * Syntax alone: the address is checked at each connection, once it is resolved (`net/dialer.ts`).
 */
export function parseOrigin(text: string): ParsedOrigin {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return {
      ok: false,
      messages: ['must be an http or https URL'],
      fix: 'use a URL such as "https://origin.example.com:8443"',
    };
  }
  const messages: string[] = [];
  if (url.username !== '' || url.password !== '') messages.push('must not have a user or a password');
  if (url.pathname !== '/' || /^[^?#]*[^/]\/$/.test(text))
    messages.push('must not have a path, nor a slash at its end');
  if (text.includes('?')) messages.push('must not have a query');
  if (text.includes('#')) messages.push('must not have a fragment');
  if (messages.length === 0 && !SHAPE.test(text)) messages.push('must be written as scheme, "://", host and port');
  return messages.length === 0 ? { ok: true, origin: url.origin } : { ok: false, messages, fix: `use "${url.origin}"` };
}
