import type { IncomingMessage } from 'node:http';

/** Most bytes of a response's body that are read and kept. */
const KEPT_BYTES = 65_536;
const FIRST_BYTES = 4096;

/**
 * The start of the body, as much as is kept or comes before the connection closes. Where more follows, the connection
 * is closed. Never rejects.
 */
export function readStart(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    // Copied: a chunk of one byte takes a hundred times as much memory, and keeps what was read together with it.
    let kept = Buffer.allocUnsafe(FIRST_BYTES);
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      const end = Math.min(bytes + chunk.length, KEPT_BYTES);
      if (end > kept.length) {
        const larger = Buffer.allocUnsafe(Math.min(2 ** Math.ceil(Math.log2(end)), KEPT_BYTES));
        kept.copy(larger, 0, 0, bytes);
        kept = larger;
      }
      chunk.copy(kept, bytes, 0, end - bytes);
      if (bytes + chunk.length > KEPT_BYTES) response.destroy();
      bytes = end;
    });
    response.on('error', () => {});
    response.once('close', () => resolve(kept.subarray(0, bytes)));
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
