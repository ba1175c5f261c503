import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { AddressLookup } from './dialer.ts';

const HOSTS = '/etc/hosts';
/** Of one question to one nameserver; doubled each time it is asked again. */
const TIMEOUT_MS = 1500;
const TRIES = 3;

/**
 * Looks names up at the machine's nameservers, all at once. Names without a dot, and those of the hosts file, it looks up as every other program does: by
 * `getaddrinfo`. For all names that will not do, since of such calls a process makes two at a time: strangers' names whose nameservers never
 * answer would hold up everybody's. Search domains count for names without a dot alone. `servers`: in place of the machine's, as Node writes them.
 */
export function systemLookUp(servers?: readonly string[]): AddressLookup {
  return async (hostname, signal) => {
    signal.throwIfAborted();
    return (await isLocal(hostname)) ? lookUpHere(hostname) : lookUpAt(servers, hostname, signal);
  };
}

async function lookUpHere(hostname: string): Promise<readonly string[]> {
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
  // One for each look-up: it heeds changes of the machine's nameservers, and can be ended alone.
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const end = () => resolver.cancel();
  signal.addEventListener('abort', end, { once: true });
  try {
    const both = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = both.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failed = both.find((answer) => answer.status === 'rejected' && !ABSENT.includes(codeOf(answer.reason) ?? ''));
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return addresses;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Whether it is the machine's own business. */
async function isLocal(hostname: string): Promise<boolean> {
  const name = hostname.replace(/\.$/, '');
  if (!name.includes('.') || name.endsWith('.localhost')) return true;
  const hosts = await readFile(HOSTS, 'utf8').catch(() => '');
  return hosts.split('\n').some((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(name));
}

/** There is no such name, it has no address, or no name can be like that. */
const ABSENT = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
