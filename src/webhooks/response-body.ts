import type { IncomingMessage } from 'node:http';

/** What is read and kept of a response's body. */
const KEPT_BYTES = 65_536;

/** The start of the body, as much as is kept or comes before the connection closes. Where more follows, the connection is closed. Never rejects. */
export function readStart(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > KEPT_BYTES) response.destroy();
    });
    response.on('error', () => {});
    response.once('close', () => resolve(Buffer.concat(chunks).subarray(0, KEPT_BYTES)));
  });
}

/** The text of a body in UTF-8, at most 64 KiB of it, without U+0000, which PostgreSQL cannot keep. */
export function keptText(body: Buffer): string {
  const text = body.toString('utf8').replaceAll('\0', '\ufffd');
  const bytes = Buffer.from(text);
  if (bytes.length <= KEPT_BYTES) return text;
  // A character that the cut divides becomes U+FFFD, of three bytes.
  return bytes.subarray(0, KEPT_BYTES - 2).toString('utf8');
}
