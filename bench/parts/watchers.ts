import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { offer } from '../part.ts';
import { quantile } from '../spread.ts';

interface Watching {
  port: number;
  rootKey: string;
  /** The domains, one for each stream. */
  names: string[];
}

/** When streams got an event, Unix ms. */
interface Seen {
  median: number;
  last: number;
}

/** Fewer than the connections that one address may have. */
const PER_ADDRESS = 500;
const AT_ONCE = 100;
/** As long as its first half may be in one chunk and the second in the next. */
const MARK = 'event: domain';

let streams: Socket[] = [];
let seenAt: number[] = [];
let missing = 0;
let complete = Promise.withResolvers<void>();

const methods = {
  /** Opens the streams; resolves when each has its first event. */
  async open({ port, rootKey, names }: Watching): Promise<void> {
    methods.expect(names.length);
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const some = names.slice(from, from + AT_ONCE);
      await Promise.all(some.map((name, i) => open(port, rootKey, name, from + i)));
    }
    await methods.seen();
  },
  /** From now on, one event of each stream is waited for. */
  expect(count = streams.length): void {
    seenAt = [];
    missing = count;
    complete = Promise.withResolvers();
  },
  /** Resolves when each stream has got it. */
  async seen(): Promise<Seen> {
    await complete.promise;
    const sorted = seenAt.toSorted((a, b) => a - b);
    return { median: quantile(sorted, 0.5), last: sorted.at(-1) ?? 0 };
  },
  close(): void {
    for (const stream of streams) stream.destroy();
    streams = [];
  },
};

async function open(port: number, rootKey: string, name: string, number: number): Promise<void> {
  const localAddress = `127.0.1.${1 + Math.floor(number / PER_ADDRESS)}`;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  streams.push(socket);
  await once(socket, 'connect');
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split(MARK);
    rest = (parts.at(-1) ?? '').slice(-MARK.length);
    for (let events = parts.length - 1; events > 0; events -= 1) {
      seenAt.push(Date.now());
      missing -= 1;
      if (missing === 0) complete.resolve();
    }
  });
  socket.on('error', complete.reject);
  const body = JSON.stringify({ domain: name });
  const lines = [
    'POST /v2/domains.watchDomain HTTP/1.1',
    'Host: api',
    `Authorization: Bearer ${rootKey}`,
    'Accept: text/event-stream',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

export type Watchers = typeof methods;
offer(methods, methods.close);
