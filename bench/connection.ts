import { connect, type Socket } from 'node:net';

/**
 * One kept-alive HTTP/1.1 connection with one request under way at a time. It costs far less than the server it
 * measures.
 */
export interface Connection {
  /** Sends a whole request; `onAnswer` is called when all of its answer is there. */
  send(request: string, onAnswer: (status: number) => void): void;
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

export async function openConnection(port: number): Promise<Connection> {
  const socket = await connected(port);
  let answered: ((status: number) => void) | undefined;
  let head: { status: number; octetsLeft: number } | undefined;
  let rest: Buffer = Buffer.alloc(0);

  socket.on('data', (octets) => {
    if (head === undefined) {
      rest = rest.length === 0 ? octets : Buffer.concat([rest, octets]);
      const end = rest.indexOf(HEAD_END);
      if (end === -1) return;
      const text = rest.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1]);
      if (Number.isNaN(length)) throw new Error(`an answer without a length: ${text}`);
      head = { status: Number(text.slice(9, 12)), octetsLeft: length - (rest.length - end - HEAD_END.length) };
      rest = Buffer.alloc(0);
    } else {
      head.octetsLeft -= octets.length;
    }
    if (head.octetsLeft > 0) return;
    const { status } = head;
    head = undefined;
    answered?.(status);
  });

  return {
    send(request, onAnswer) {
      answered = onAnswer;
      socket.write(request, 'latin1');
    },
    close: () => socket.destroy(),
  };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}
