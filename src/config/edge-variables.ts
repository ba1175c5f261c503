import { count, countOrAuto, listenAddressOrOff, listOf, loopbackAddressOrOff, network } from './parse-values.ts';
import type { Variable } from './variable.ts';

/** What the role `edge` reads. */
export const edgeVariables = {
  edgeHttpListen: {
    name: 'NAMEPLATE_EDGE_HTTP_LISTEN',
    about:
      "Address and port where the edge answers HTTP: the CA's challenges, and a redirect to HTTPS for everything else. The world has to reach it at port 80. `[::]:80` listens on IPv4 and IPv6; `off` for none.",
    default: '0.0.0.0:80',
    example: '[::]:80',
    parse: listenAddressOrOff,
  },
  edgeHttpsListen: {
    name: 'NAMEPLATE_EDGE_HTTPS_LISTEN',
    about:
      "Address and port where the edge serves customers' names over HTTPS. `off` where another program does, such as Caddy.",
    default: '0.0.0.0:443',
    example: '[::]:443',
    parse: listenAddressOrOff,
  },
  edgeHttpsPort: {
    name: 'NAMEPLATE_EDGE_HTTPS_PORT',
    about: 'The port that the world reaches HTTPS at, which redirects lead to.',
    default: '443',
    example: '8443',
    parse: count(1, 65_535),
  },
  edgeFrontListen: {
    name: 'NAMEPLATE_EDGE_FRONT_LISTEN',
    about:
      'Address and port where a program in front, such as Caddy, asks whether a name is served and fetches its certificate. On loopback only: whoever reaches it is handed private keys.',
    default: 'off',
    example: '127.0.0.1:7072',
    parse: loopbackAddressOrOff,
  },
  edgeAllowedNetworks: {
    name: 'NAMEPLATE_EDGE_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or otherwise special addresses where origins may be all the same, separated by commas. Without it requests are forwarded to public addresses only, since whoever may deploy chooses the origin. Name the networks of your platform, and nothing that answers without a password.',
    example: '10.20.0.0/16,fd00:20::/32',
    parse: listOf(network),
  },
  edgeTrustedProxies: {
    name: 'NAMEPLATE_EDGE_TRUSTED_PROXIES',
    about:
      'Networks of the proxies in front of the edge, separated by commas. What they say in `X-Forwarded-For` and `X-Forwarded-Proto` is passed on to origins, and limits per address meet the clients; what anybody else says there is thrown away.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: listOf(network),
  },
  edgeTlsContexts: {
    name: 'NAMEPLATE_EDGE_TLS_CONTEXTS',
    about:
      'Names whose certificates the edge keeps ready in memory, in each thread, about 40 KB each: those that were asked for last. Any other is made ready when it is asked for.',
    default: '2000',
    example: '10000',
    parse: count(10, 1_000_000),
  },
  edgeThreads: {
    name: 'NAMEPLATE_EDGE_THREADS',
    about:
      'Threads that share the connections of clients, each with a memory of its own. `auto`: one for each core, four at most. On two cores, two serve half as many requests again as one.',
    default: 'auto',
    example: '8',
    parse: countOrAuto(1, 64),
  },
} as const satisfies Record<string, Variable<unknown>>;
