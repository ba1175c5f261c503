/** How the edge takes part in `Via` (RFC 9110 section 7.6.3). Pure. */

import { crc32 } from 'node:zlib';

/**
 * The name by which the edges of an installation identify themselves in requests for a host name. A request that comes
 * back for the same host name is in a loop. One for another host name need not be: the server behind one site may pass
 * a request on to another site. `installation`: a value that only these edges share.
 */
export function viaPseudonym(installation: string, hostname: string): string {
  return `nameplate-${crc32(`${installation} ${hostname}`).toString(16).padStart(8, '0')}`;
}

/** Whether a request for a name has passed an edge of this installation before. */
export function isLooping(rawHeaders: readonly string[], installation: string, hostname: string): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length !== 3 || name.toLowerCase() !== 'via') continue;
    const receivedBy = (rawHeaders[i + 1] ?? '').split(',').map((hop) =>
      hop
        .trim()
        .split(/[ \t]+/)[1]
        ?.toLowerCase(),
    );
    if (receivedBy.includes(viaPseudonym(installation, hostname))) return true;
  }
  return false;
}
