import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import type { OwnApi } from '../edge/routing/route-request.ts';
import type { CertificateStore } from '../store/store.ts';

/** The API's own name (`NAMEPLATE_API_HOSTNAME`). */

type Hostnames = Pick<Config, 'apiHostname' | 'edgeHttpsPort' | 'publicUrl'>;

/** Tells the edge where the API of its own process is, if that has a name; `secret`: see `FORWARDED_BY_EDGE`. */
export function ownApiOf({ apiHostname, roles, listen }: Config, secret: string): OwnApi | null {
  if (apiHostname === undefined || !roles.includes('api')) return null;
  const host = REACHED_AT[listen.host] ?? listen.host;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
  return { hostname: apiHostname, origin, networks: ownNetworksOf(host), secret };
}

/** Addresses from which the edge connects to an API that listens there. */
export function edgeNetworksOf({ apiHostname, listen }: Pick<Config, 'apiHostname' | 'listen'>): string[] {
  return apiHostname === undefined ? [] : ownNetworksOf(REACHED_AT[listen.host] ?? listen.host);
}

/** A listener on all addresses also listens on loopback. */
const REACHED_AT: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** This machine connects to an address of its own from that address. */
function ownNetworksOf(host: string): string[] {
  return host === 'localhost' || host === '::1' || host.startsWith('127.') ? LOOPBACK : [host];
}

export function publicUrlOf({ publicUrl, apiHostname, edgeHttpsPort }: Hostnames): string | undefined {
  if (publicUrl !== undefined || apiHostname === undefined) return publicUrl;
  return `https://${apiHostname}${edgeHttpsPort === 443 ? '' : `:${edgeHttpsPort}`}`;
}

/** Has a certificate ordered for the name. Rejects with one line that says what to do when a domain has it. */
export async function claimApiHostname(
  store: Pick<CertificateStore, 'claimOperatorName'>,
  hostname: string,
  clock: Clock,
): Promise<void> {
  const claim = await store.claimOperatorName(hostname, clock.now());
  if (claim.kind === 'claimed') return;
  throw new Error(
    `NAMEPLATE_API_HOSTNAME is ${hostname}, and the domain ${claim.domainId} of the workspace ${claim.workspaceId} has that name. Delete the domain first ("nameplate domains delete ${hostname}" with a key of that workspace), or choose another name.`,
  );
}
