import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 5000;

/**
 * Requests a name from the playground's edge over HTTPS, trusting only its CA. Rejects if the certificate is not valid.
 */
export async function visit(
  edge: { https: string; ca: string },
  hostname: string,
): Promise<{ status: number; body: string }> {
  const { hostname: host, port } = new URL(`https://${edge.https}`);
  const ca = await readFile(edge.ca, 'utf8');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = { host: hostname };
  const sent = request({ host, port, servername: hostname, headers, ca, agent: false, signal }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}
