import { createServer } from 'node:http';
import { listen } from '../../test/support/listen.ts';
import { offer } from '../part.ts';

/** A receiver of webhooks that answers every request at once. */
const methods = {
  /** Resolves with its URL. */
  async start(): Promise<string> {
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const [, happenedAt = ''] = /"timestamp":"([^"]+)"/.exec(Buffer.concat(chunks).toString('latin1')) ?? [];
        received.push({ at: Date.now(), happenedAt: Date.parse(happenedAt) });
        response.writeHead(204).end();
      });
    });
    return `http://127.0.0.1:${await listen([], server)}/`;
  },

  /** Returns, for each event since then that has arrived, its delay in ms. */
  report: (since: number): number[] =>
    received.filter(({ happenedAt }) => happenedAt >= since).map(({ at, happenedAt }) => at - happenedAt),
};

const received: { at: number; happenedAt: number }[] = [];

export type Receiver = typeof methods;
offer(methods);
