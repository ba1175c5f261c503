import { expect, it } from 'vitest';
import { followFrames } from './websocket-frames.ts';

/** A frame with a payload of so many bytes (RFC 6455 section 5.2). */
function frame(length: number, { isMasked = false } = {}): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const head =
    length < 126
      ? Buffer.from([0x82, mask | length])
      : length < 65_536
        ? Buffer.from([0x82, mask | 126, length >> 8, length & 0xff])
        : Buffer.from([0x82, mask | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0, 0xff), Buffer.alloc(length, 0xff)]);
}

const LENGTHS = [0, 1, 125, 126, 65_535, 65_536];

it.each([1, 3, 70_000])('the end of a frame is found, whatever its length, in chunks of %i bytes', (size) => {
  const frames = followFrames();
  expect(frames.isBetween()).toBe(true);
  for (const isMasked of [false, true]) {
    for (const length of LENGTHS) {
      const bytes = frame(length, { isMasked });
      for (let at = 0; at < bytes.length; at += size) {
        const chunk = bytes.subarray(at, at + size);
        frames.push(chunk);
        if (at + chunk.length < bytes.length && frames.isBetween())
          throw new Error(`${length} bytes are taken to end after ${at + chunk.length}`);
      }
      expect(frames.isBetween()).toBe(true);
    }
  }
});

it('frames that arrive together are told apart, and the one that is not complete', () => {
  const frames = followFrames();
  const bytes = Buffer.concat(LENGTHS.map((length) => frame(length)));
  frames.push(bytes.subarray(0, -1));
  expect(frames.isBetween()).toBe(false);
  frames.push(bytes.subarray(-1));
  expect(frames.isBetween()).toBe(true);
});
