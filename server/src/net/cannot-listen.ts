import type { Endpoint } from '../config/config.ts';

/** One line that says what to do for the usual errors; otherwise the error itself. */
export function cannotListen(error: unknown, endpoint: Endpoint, variable: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const address = hostAndPort(endpoint);
  switch (code) {
    case 'EADDRINUSE':
      return new Error(`${address} is in use by another program. Stop it, or set ${variable} to another port.`);
    case 'EACCES':
      return new Error(
        `This user may not listen on ${address}: ports below 1024 need root or CAP_NET_BIND_SERVICE. Grant it, or set ${variable} to a port above 1023.`,
      );
    case 'EADDRNOTAVAIL':
      return new Error(`${address} is not an address of this machine. Set ${variable} to one that is.`);
    default:
      return error;
  }
}

export function hostAndPort({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
