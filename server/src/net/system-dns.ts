import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { AddressLookup } from './dialer.ts';

const HOSTS = '/etc/hosts';
/** Timeout of one query to one nameserver; doubled with each retry. */
const TIMEOUT_MS = 1500;
const TRIES = 3;

/**
 * Looks names up at the machine's nameservers, without limit on lookups in flight. Names without a dot and names in the
 * hosts file go to `getaddrinfo`, which alone uses search domains. It is not used for all names because Node runs only
 * a few of its calls at once: untrusted names whose nameservers never respond would block all others. `servers`
 * replaces the machine's nameservers.
 */
export function systemLookUp(servers?: readonly string[]): AddressLookup {
  return async (hostname, signal) => {
    signal.throwIfAborted();
    return (await isLocal(hostname)) ? lookUpLocally(hostname) : lookUpAt(servers, hostname, signal);
  };
}

async function lookUpLocally(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);
  } catch (error) {
    if (ABSENT.includes(codeOf(error) ?? '')) return [];
    throw error;
  }
}

async function lookUpAt(
  servers: readonly string[] | undefined,
  hostname: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // One resolver per lookup: it reads the machine's current nameservers, and can be cancelled alone.
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const both = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = both.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const failed = both.find((result) => result.status === 'rejected' && !ABSENT.includes(codeOf(result.reason) ?? ''));
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Whether `getaddrinfo` looks the name up. */
async function isLocal(hostname: string): Promise<boolean> {
  const name = hostname.replace(/\.$/, '');
  if (!name.includes('.') || name.endsWith('.localhost')) return true;
  const hosts = await readFile(HOSTS, 'utf8').catch(() => '');
  return hosts.split('\n').some((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(name));
}

/** The name does not exist, has no address, or is malformed. */
const ABSENT = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
