import { createHash, timingSafeEqual } from 'node:crypto';
import { createClient } from '@nameplate/client';

/** Read with each request: a build has no settings. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

export function nameplate() {
  return createClient({ baseUrl: setting('NAMEPLATE_URL'), rootKey: setting('NAMEPLATE_ROOT_KEY') });
}

type Sites = Map<string, string>;
/** The customer of each name, in place of your database: one for all routes, which are bundled apart. */
export const { sites = new Map() } = globalThis as { sites?: Sites };
Object.assign(globalThis, { sites });

/** During a rotation the edge sends two secrets: "NEW, OLD". */
export function isFromEdge(headers: Headers): boolean {
  const sent = (headers.get('nameplate-edge-secret') ?? '').split(', ');
  return sent.some((secret) => timingSafeEqual(digest(secret), digest(setting('EDGE_SECRET'))));
}

/** Digests are of one length, as a comparison in constant time needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
