import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A receiver of webhooks on loopback: of the demo, and of `nameplate webhooks listen`. */
export interface WebhookReceiver {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  close(): Promise<void>;
}

/** A request whose signature is right. It got the status 204. */
export interface VerifiedRequest {
  /** With the query. */
  path: string;
  /** The header fields that the signature covers, and the signature. */
  fields: SignatureFields;
  /** JSON, as it came. */
  body: string;
}

export type SignatureFields = Record<(typeof FIELDS)[number], string>;

interface ReceiverOptions {
  /** 0: any free port. */
  port: number;
  /** The secret, `whsec_…`. Requests that come before it is known wait. */
  secret: Promise<string>;
  onEvent(request: VerifiedRequest): void;
  /** A request whose signature is wrong, missing or too old. It got the status 400. */
  onRefused(reason: string): void;
}

const FIELDS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const MAX_BODY_BYTES = 1024 * 1024;

/** Verifies each request as docs/guides/webhooks.md tells receivers to. Rejects where the port is not free. */
export async function startReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    receive(request, response, options).catch(() => response.destroy());
  });
  const listening = once(server, 'listening');
  server.listen(options.port, '127.0.0.1');
  await listening;
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): Promise<void> {
  if (request.method !== 'POST') return end(response, 405, 'Webhooks are POST requests.');
  const body = await readBody(request);
  if (body === null) return end(response, 413, 'The body is larger than 1 MiB.');
  const fields = fieldsOf(request);
  const problem = signatureProblem(await options.secret, fields, body);
  if (problem === null) options.onEvent({ path: request.url ?? '/', fields, body });
  else options.onRefused(problem);
  end(response, problem === null ? 204 : 400, problem ?? '');
}

/**
 * Explains, by the published library, why a signature is wrong. Null where it was made with this secret at most five
 * minutes ago.
 */
export function signatureProblem(secret: string, fields: SignatureFields, body: string): string | null {
  try {
    new Webhook(secret).verify(body, fields);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function fieldsOf({ headers }: IncomingMessage): SignatureFields {
  return Object.fromEntries(FIELDS.map((name) => [name, String(headers[name] ?? '')])) as SignatureFields;
}

/** Null: the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status).end(text);
}
