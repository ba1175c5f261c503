import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Ready } from './ready.ts';

/** Longest wait for the answer. */
const PATIENCE_MS = 5000;

/** Asks the playground's edge for a name over HTTPS, as a browser would that trusts its CA. Rejects where the certificate is not right. */
export async function visit(
  { edge }: Pick<Ready, 'edge'>,
  hostname: string,
): Promise<{ status: number; body: string }> {
  const { hostname: host, port } = new URL(`https://${edge.https}`);
  const ca = await readFile(edge.ca, 'utf8');
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const sent = request({
    host,
    port,
    servername: hostname,
    headers: { host: hostname },
    ca,
    agent: false,
    signal,
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}
