import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';

/** A client of domains.watchDomain that reads what comes, as it comes. */
export interface Watching {
  response: IncomingMessage;
  /** The next event. Rejects when the stream ends without one. */
  next(): Promise<StreamedEvent>;
  /** The next block that is not an event: a comment, or a retry hint. */
  nextHint(): Promise<string>;
  /** Resolves when the connection is closed or the response has ended. */
  ended: Promise<void>;
  /** Events that nobody has taken. */
  unread(): StreamedEvent[];
  close(): void;
}

export interface StreamedEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  data: any;
}

interface WatchOptions {
  key: string;
  domain: string;
  lastEventId?: string | undefined;
  headers?: Record<string, string>;
  /** Address of the client, on loopback. */
  localAddress?: string;
  agent?: Agent;
}

/** Connects, and resolves when the header has arrived; rejects unless it begins a stream. */
export async function watch(
  url: string,
  { key, domain, lastEventId, headers, localAddress, agent }: WatchOptions,
): Promise<Watching> {
  const sent = request(`${url}/v2/domains.watchDomain`, {
    method: 'POST',
    agent: agent ?? false,
    ...(localAddress !== undefined && { localAddress }),
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...headers,
    },
  });
  const [response] = (await once(sent.end(JSON.stringify({ domain })), 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  const events: StreamedEvent[] = [];
  const hints: string[] = [];
  let rest = '';
  let isOver = false;
  let wake = () => {};
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parse(block);
      if (event === null) hints.push(block);
      else events.push(event);
    }
    wake();
  });
  response.on('error', () => {});
  const ended = new Promise<void>((resolve) =>
    response.once('close', () => {
      isOver = true;
      wake();
      resolve();
    }),
  );

  async function take<T>(from: T[]): Promise<T> {
    for (;;) {
      const first = from.shift();
      if (first !== undefined) return first;
      if (isOver) throw new Error('the stream ended');
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    response,
    next: () => take(events),
    nextHint: () => take(hints),
    ended,
    unread: () => events,
    close: () => sent.destroy(),
  };
}

function parse(block: string): StreamedEvent | null {
  const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]));
  const data = fields.get('data');
  return data === undefined
    ? null
    : { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) };
}
