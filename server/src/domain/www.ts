import { registrableDomain } from './name.ts';

/**
 * The name that visitors take for the same site: `www.example.com` of `example.com`, and the other way round. Null for
 * any other name: nobody expects `www.` before a subdomain.
 */
export function wwwCounterpart(name: string): string | null {
  if (registrableDomain(name) === name) return `www.${name}`;
  const bare = name.slice('www.'.length);
  return name.startsWith('www.') && registrableDomain(bare) === bare ? bare : null;
}
