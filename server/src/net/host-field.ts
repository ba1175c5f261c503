/** The `Host` field of a request (RFC 9112 section 3.2). Pure. */

const AUTHORITY = /^(?:[a-z0-9._~!$&'()*+,;=%-]+|\[[0-9a-f:.]+\])(?::(\d{0,5}))?$/i;
const MAX_PORT = 65_535;

/**
 * The value of a field, by its name in lower case; undefined when it is missing, null when it is repeated.
 * `rawHeaders`: as Node has them.
 */
export function onlyField(name: string, rawHeaders: readonly string[]): string | null | undefined {
  let found: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!isNamed(name, rawHeaders[i])) continue;
    if (found !== undefined) return null;
    found = rawHeaders[i + 1];
  }
  return found;
}

/** Whether this is a host with or without a port. */
export function isAuthority(text: string): boolean {
  const [isWellFormed, port] = AUTHORITY.exec(text) ?? [];
  return isWellFormed !== undefined && Number(port ?? '') <= MAX_PORT;
}

function isNamed(name: string, field: string | undefined): boolean {
  return field !== undefined && field.length === name.length && field.toLowerCase() === name;
}
