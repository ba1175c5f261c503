import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import http from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import { quote } from '../../domain/text.ts';
import { CaProblem } from '../issuer.ts';

/** HTTP to a CA: limited in time and size, redirects are not followed. */

interface CaRequest {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  /** A JWS. */
  body?: string;
  accept?: string;
  /** Aborts it; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CaResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Resolves for any status. Rejects with `CaProblem` if there is no response, or if it exceeds the limits. */
export type CaTransport = (request: CaRequest) => Promise<CaResponse>;

/** The longest chains have about 20 KB. */
const LARGEST_BODY = 256 * 1024;
/** Shorter than the idle timeout of servers, so that no connection is closed during a request. */
const IDLE_MS = 4_000;

/** `trustRoots`: PEM, besides the roots of the system. `timeoutMs`: for a request with its response. */
export function caTransport({ trustRoots, timeoutMs }: { trustRoots: string | null; timeoutMs: number }): CaTransport {
  const pool = { keepAlive: true, timeout: IDLE_MS };
  const plain = new http.Agent(pool);
  // The agent is created once. With `ca` it would read some hundred roots for each connection, and compare them for
  // each request.
  const trusted = trustRoots && {
    secureContext: createSecureContext({ ca: [...getCACertificates('default'), trustRoots] }),
  };
  const secure = new https.Agent({ ...pool, ...trusted });

  async function exchange({ method, url, body, accept, signal }: CaRequest): Promise<CaResponse> {
    const headers = {
      'user-agent': 'nameplate',
      'accept-language': 'en',
      ...(accept !== undefined && { accept }),
      ...(body !== undefined && { 'content-type': 'application/jose+json', 'content-length': Buffer.byteLength(body) }),
    };
    const options: RequestOptions = { method, headers, ...(signal && { signal }) };
    const sent = url.startsWith('https:')
      ? https.request(url, { ...options, agent: secure })
      : http.request(url, { ...options, agent: plain });
    sent.end(body);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      // Errors after the response reach the reader of the body.
      sent.on('error', reject);
      // A response that changes the protocol emits `close` alone.
      sent.once('close', () => reject(new Error('closed without a response')));
    });
    return { status: response.statusCode ?? 0, headers: response.headers, body: await readBody(response) };
  }

  return async (request) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
    try {
      return await exchange({ ...request, signal });
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof CaProblem) throw error;
      const host = new URL(request.url).host;
      const reason = deadline.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
      throw new CaProblem('unavailable', `The request to ${host} failed: ${reason}.`, { cause: error });
    }
  };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response) {
    octets += chunk.length;
    if (octets > LARGEST_BODY) {
      // Leaving the loop destroys the connection.
      throw new CaProblem('unavailable', `The CA answered with more than ${LARGEST_BODY / 1024} KB.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as NodeJS.ErrnoException;
  return code ?? quote(error.message);
}
