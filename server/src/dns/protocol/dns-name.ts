/**
 * Every name in `dns/` is normalized: lower case, no final dot, `.` for the root. An octet that is not a plain character
 * is written `\DDD` (RFC 1035 section 5.1), so that two names are the same text only if they are the same octets.
 */

/** Normalizes a name written in ASCII. */
export function normalizeName(name: string): string {
  const lower = name.toLowerCase();
  if (lower === '' || lower === '.') return '.';
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Whether `name` is `zone` or below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === '.' || name === zone || isBelow(name, zone);
}

/** Whether `name` is below `zone`, and not `zone` itself. */
export function isBelow(name: string, zone: string): boolean {
  if (zone === '.') return name !== '.';
  return name.length > zone.length && name.endsWith(zone) && name[name.length - zone.length - 1] === '.';
}

/** The name without its first label. The root is its own parent. */
export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 || dot === name.length - 1 ? '.' : name.slice(dot + 1);
}

/** The normalized form of each octet of a label. */
const NORMALIZED_OCTETS = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  return /[!-\-/-[\]-~]/.test(character) ? character.toLowerCase() : `\\${String(octet).padStart(3, '0')}`;
});

/** An octet of a label as normalized names have it. */
export function normalizedOctet(octet: number): string {
  return NORMALIZED_OCTETS[octet] ?? '';
}
