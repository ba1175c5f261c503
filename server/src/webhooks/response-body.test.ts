import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { keptText, readStart } from './response-body.ts';

const responseOf = (chunks: Iterable<Buffer>) => Readable.from(chunks, { objectMode: false }) as IncomingMessage;

test.each([0, 1, 4095, 4096, 4097, 65_535, 65_536])(
  'a body of %i bytes is read as it is, however it is cut',
  async (size) => {
    const body = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
    for (const piece of [1, 1000, 16_384, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(size / piece) }, (_, i) =>
        body.subarray(i * piece, (i + 1) * piece),
      );
      expect((await readStart(responseOf(chunks))).equals(body)).toBe(true);
    }
  },
);

test('of a longer one the start is read, and the rest is not asked for', async () => {
  let pulled = 0;
  function* endless() {
    for (;;) {
      pulled += 1;
      yield Buffer.alloc(1000, pulled % 10 === 0 ? 0x61 : 0x62);
    }
  }
  const response = responseOf(endless());
  expect(await readStart(response)).toHaveLength(65_536);
  expect(response.destroyed).toBe(true);
  expect(pulled).toBeLessThan(200);
});

test('text of it fits into 64 KiB, whatever bytes there are, and has no U+0000', () => {
  expect(keptText(Buffer.from('a\0b'))).toBe('a\ufffdb');
  expect(Buffer.byteLength(keptText(Buffer.alloc(65_536, 0xff)))).toBeLessThanOrEqual(65_536);
});
