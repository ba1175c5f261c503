import type { IncomingMessage } from 'node:http';
import { networkRule } from '../../net/addresses.ts';
import { clientOfEdge } from '../../net/forwarded-by-edge.ts';

/** A reverse proxy with single sign-on, which names the person of each request in a header field. */
export interface DashboardProxy {
  /** Networks from which the proxy connects; a header from anywhere else counts for nothing. */
  networks: readonly string[];
  /** Lower case. */
  header: string;
  workspaceId: string;
  permissions: readonly string[];
}

/** A subject of a token (`tokens.createToken`). */
const SUBJECT = /^[^\p{Cc}\p{Cf}]{1,255}$/u;

/**
 * Reads the person of a request that the proxy forwards; null: nobody is named, or the request comes from elsewhere. The connection counts, never
 * `X-Forwarded-For`; a request that our own edge forwards comes from a visitor. `edgeSecret`: null without such an edge.
 */
export function proxyIdentity(
  proxy: DashboardProxy,
  edgeSecret: string | null,
): (request: IncomingMessage) => string | null {
  const isProxy = networkRule(proxy.networks);
  return (request) => {
    if (edgeSecret !== null && clientOfEdge(request, edgeSecret) !== null) return null;
    if (!isProxy(request.socket.remoteAddress ?? '')) return null;
    // A proxy that adds its field to that of a visitor leaves two of them.
    const [subject, ...others] = request.headersDistinct[proxy.header] ?? [];
    return subject !== undefined && others.length === 0 && SUBJECT.test(subject) ? subject : null;
  };
}
