/** How the edge takes part in `Via` (RFC 9110 section 7.6.3). Pure. */

import { crc32 } from 'node:zlib';

const PREFIX = 'nameplate-';

/**
 * The name by which the edges of an installation identify themselves in requests for a host name. A request that comes
 * back for the same host name is in a loop. One for another host name need not be: the server behind one site may pass
 * a request on to another site. `installation`: a value that only these edges share.
 */
export function viaPseudonym(installation: string, hostname: string): string {
  return `${PREFIX}${crc32(`${installation} ${hostname}`).toString(16).padStart(8, '0')}`;
}

/** Edges that a request may have passed, under whichever names. */
const MOST_EDGES = 8;

/**
 * Whether a request for a name has passed an edge of this installation before, or too many edges: a chain of sites whose
 * origins are the next ones would take a connection for each.
 */
export function isLooping(rawHeaders: readonly string[], installation: string, hostname: string): boolean {
  let edges = 0;
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
    edges += receivedBy.filter((edge) => edge?.startsWith(PREFIX)).length;
  }
  return edges >= MOST_EDGES;
}
