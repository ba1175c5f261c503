/** Why a request got no response. `unknown`: browsers do not tell. */
export type ConnectionFailure = 'refused' | 'timeout' | 'lookup' | 'tls' | 'reset' | 'no_route' | 'unknown';

/** By the codes of Node and undici. */
const CODES: Record<string, ConnectionFailure> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  ENOTFOUND: 'lookup',
  EAI_AGAIN: 'lookup',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  ENETUNREACH: 'no_route',
  EHOSTUNREACH: 'no_route',
  EADDRNOTAVAIL: 'no_route',
  ENETDOWN: 'no_route',
};

/** OpenSSL and Node have a code for each thing that can be wrong with a certificate or a handshake. */
const OF_TLS = /CERT|LEAF_SIGNATURE|^ERR_(?:SSL|TLS)_|^EPROTO$/;

/** Classifies an error of `fetch`. */
export function failureOf(error: unknown): ConnectionFailure {
  if (isTimeout(error)) return 'timeout';
  const code = codeOf(error);
  if (code === undefined) return 'unknown';
  return CODES[code] ?? (OF_TLS.test(code) ? 'tls' : 'unknown');
}

/** A sentence about an error of `fetch`, and one that says what to do. */
export function explainFailure(error: unknown, baseUrl: string, timeoutMs: number): string {
  const relative = { host: baseUrl, hostname: baseUrl, protocol: '' };
  const { host, hostname, protocol } = URL.canParse(baseUrl) ? new URL(baseUrl) : relative;
  const code = codeOf(error);
  const coded = code === undefined ? '' : ` (${code})`;
  switch (failureOf(error)) {
    case 'refused':
      return `Nothing listens at ${host}: it refused the connection. Start the server, or correct the host and the port.`;
    case 'timeout':
      return `${host} did not respond within ${timeoutMs / 1000} s. Check whether a firewall on the way drops the packets, and whether the server is overloaded.`;
    case 'lookup':
      return code === 'ENOTFOUND'
        ? `The name ${hostname} has no address in the DNS. Correct it, or add its A or AAAA record.`
        : `The name ${hostname} could not be looked up${coded}. Check the DNS resolver of this machine.`;
    case 'tls':
      return `The TLS handshake with ${host} failed${coded}. The port has to speak HTTPS, with a certificate that is valid for ${hostname} and of a CA that this machine trusts.`;
    case 'reset':
      return `${host} closed the connection before it had responded${coded}. The server, or a proxy on the way, was stopped, or does not speak ${protocol === 'https:' ? 'HTTPS' : 'HTTP'} at this port.`;
    case 'no_route':
      return `There is no route from this machine to ${host}${coded}. Check its network, and whether it has IPv6 where the name has only that.`;
    default:
      return code !== undefined
        ? `${host} cannot be reached${coded}.`
        : `${host} cannot be reached. A browser does not say why: see its console, and whether the page may call this origin.`;
  }
}

/** The signal of a time limit aborted the request. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));
}

/** The innermost code: `fetch` wraps the error of the connection. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = codeOf(error.cause);
  return inner ?? ('code' in error && typeof error.code === 'string' ? error.code : undefined);
}
