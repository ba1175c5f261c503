/** `Strict-Transport-Security` (RFC 6797), as HTTP/2 writes it. */
export const HSTS = 'strict-transport-security';

/** Header fields, flat as Node's `rawHeaders`, with this policy as the only one: browsers take the first (section 8.1). */
export function withHsts(fields: string[], hsts: string | null): string[] {
  if (hsts === null) return fields;
  const others: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = fields.slice(i, i + 2);
    if (name.toLowerCase() !== HSTS) others.push(name, value);
  }
  return [...others, 'Strict-Transport-Security', hsts];
}
