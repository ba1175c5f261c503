/** Longest header: two bytes, a length of eight, a mask of four. */
const MAX_HEADER = 14;

/**
 * Follows the frames of one direction of a WebSocket (RFC 6455 section 5.2), between which a control frame may be sent.
 */
export interface FrameFollower {
  /** Must be called with all bytes, in order. */
  push(chunk: Uint8Array): void;
  /** Whether the last frame is complete. */
  isBetween(): boolean;
}

export function followFrames(): FrameFollower {
  const header = Buffer.alloc(MAX_HEADER);
  let headerBytes = 0;
  let payloadLeft = 0;

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (payloadLeft > 0) {
          const taken = Math.min(payloadLeft, chunk.length - at);
          payloadLeft -= taken;
          at += taken;
          continue;
        }
        header[headerBytes] = chunk[at] ?? 0;
        headerBytes += 1;
        at += 1;
        if (headerBytes === headerSize(header, headerBytes)) {
          payloadLeft = payloadLength(header);
          headerBytes = 0;
        }
      }
    },
    isBetween: () => headerBytes === 0 && payloadLeft === 0,
  };
}

/** Null while that is not known. */
function headerSize(header: Buffer, received: number): number | null {
  if (received < 2) return null;
  const { length, isMasked } = secondByte(header);
  return 2 + (length === 127 ? 8 : length === 126 ? 2 : 0) + (isMasked ? 4 : 0);
}

function payloadLength(header: Buffer): number {
  const { length } = secondByte(header);
  if (length === 127) return Number(header.readBigUInt64BE(2));
  return length === 126 ? header.readUInt16BE(2) : length;
}

function secondByte(header: Buffer): { length: number; isMasked: boolean } {
  const byte = header[1] ?? 0;
  return { length: byte & 0x7f, isMasked: (byte & 0x80) !== 0 };
}
