import type { AddressRule } from '../../net/addresses.ts';
import { readDestination } from '../http/authority.ts';
import { type Client, readSender } from '../http/edge-client.ts';
import type { Exchange, Routed } from '../http/edge-exchange.ts';
import type { PageName } from '../http/pages.ts';
import { CHALLENGE_PATH, type Challenges } from './challenges.ts';
import type { Routes } from './routes.ts';

/** What a request comes to. */
export type Decision =
  | { kind: 'forward'; routed: Routed }
  | { kind: 'redirect'; location: string }
  | { kind: 'challenge'; keyAuthorization: string }
  | { kind: 'page'; page: PageName; hostname: string | null };

/** Decides what a request comes to. Never rejects. */
export type Decide = (client: Client, request: Exchange['request'], requestId: string) => Promise<Decision>;

export interface DecideOptions {
  routes: Pick<Routes, 'findRoute' | 'origins' | 'certificates'>;
  challenges: Challenges;
  isTrusted: AddressRule;
  /** Where the world finds HTTPS. */
  httpsPort: number;
  /** Whether HTTPS is served here, so that a name without a certificate has none. */
  servesHttps: boolean;
}

export function createDecide({ routes, challenges, isTrusted, httpsPort, servesHttps }: DecideOptions): Decide {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`;

  async function decide(client: Client, request: Exchange['request'], requestId: string): Promise<Decision> {
    const destination = readDestination(request);
    if (destination === null) return page('bad_request', null);
    const { hostname, path } = destination;
    // Whoever has a connection to one name has proved nothing about another (RFC 9110 section 7.4).
    if (client.serverName !== null && client.serverName !== hostname) return page('misdirected', hostname);
    const sender = readSender(client, request.headers, isTrusted);
    if (path.startsWith(CHALLENGE_PATH)) {
      const token = path.slice(CHALLENGE_PATH.length);
      const keyAuthorization = await challenges.find(hostname, token, sender.clientAddress);
      if (keyAuthorization === 'unavailable') return page('unavailable', hostname);
      return keyAuthorization === null ? page('no_challenge', hostname) : { kind: 'challenge', keyAuthorization };
    }
    if (hostname === null) return page('unknown_host', null);
    const found = await routes.findRoute(hostname, sender.clientAddress);
    if (found.kind !== 'route') return page(found.kind === 'unknown' ? 'unknown_host' : 'unavailable', hostname);
    if (sender.scheme === 'http') return towardsHttps(hostname, path);
    const { environmentId } = found.route;
    const origin = await routes.origins.load(environmentId);
    if (origin === null) return page('not_deployed', hostname);
    return { kind: 'forward', routed: { ...sender, ...origin, environmentId, hostname, path, requestId } };
  }

  async function towardsHttps(hostname: string, path: string): Promise<Decision> {
    if (servesHttps && (await routes.certificates.load(hostname)) === null) return page('not_certified', hostname);
    return { kind: 'redirect', location: `https://${hostname}${port}${path === '*' ? '/' : path}` };
  }

  return async (client, request, requestId) => {
    try {
      return await decide(client, request, requestId);
    } catch {
      // The store did not answer, as has been reported.
      return page('unavailable', null);
    }
  };
}

function page(name: PageName, hostname: string | null): Decision {
  return { kind: 'page', page: name, hostname };
}
