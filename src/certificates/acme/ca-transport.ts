import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import http from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { getCACertificates } from 'node:tls';
import { quote } from '../../domain/text.ts';
import { CaProblem } from '../issuer.ts';

/** HTTP to a CA: bounded in time and size, never redirected. */

export interface CaRequest {
  method: 'GET' | 'HEAD' | 'POST';
  url: string;
  /** A JWS. */
  body?: string;
  accept?: string;
  /** Ends it; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CaResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Any status resolves. Rejects with `CaProblem` where there is no answer, or none that ends in time and within bounds. */
export type CaTransport = (request: CaRequest) => Promise<CaResponse>;

/** The longest chains have some 20 KB. */
const LARGEST_BODY = 256 * 1024;
/** Shorter than servers keep idle connections, so that none is closed under a request. */
const IDLE_MS = 4_000;

/** `trustRoots`: PEM, trusted beside those that the system trusts. `timeoutMs`: for a request with its answer. */
export function caTransport({ trustRoots, timeoutMs }: { trustRoots: string | null; timeoutMs: number }): CaTransport {
  const pool = { keepAlive: true, timeout: IDLE_MS };
  const plain = new http.Agent(pool);
  const secure = new https.Agent({ ...pool, ...(trustRoots && { ca: [...getCACertificates('default'), trustRoots] }) });

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
      // Later errors are those of the body too, and are told there.
      sent.on('error', reject);
      // Node has nothing else to say of a change of protocol; to what was answered this does nothing.
      sent.once('close', () => reject(new Error('closed without an answer')));
    });
    return { status: response.statusCode ?? 0, headers: response.headers, body: await readBody(response) };
  }

  return async (asked) => {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = asked.signal === undefined ? deadline : AbortSignal.any([asked.signal, deadline]);
    try {
      return await exchange({ ...asked, signal });
    } catch (error) {
      asked.signal?.throwIfAborted();
      if (error instanceof CaProblem) throw error;
      const host = new URL(asked.url).host;
      const reason = deadline.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
      throw new CaProblem('unavailable', `${host} could not be asked: ${reason}.`, { cause: error });
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
