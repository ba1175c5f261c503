import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { listen } from '../../test/support/listen.ts';
import { offer } from '../part.ts';

/**
 * Does the least that any HTTP API on this runtime has to do: it reads the body, parses it, and writes an answer of the
 * same size and headers.
 */
const methods = {
  async start(answer: { headers: OutgoingHttpHeaders; body: string }): Promise<number> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { domain } = JSON.parse(Buffer.concat(chunks).toString());
        response.writeHead(typeof domain === 'string' ? 200 : 400, answer.headers);
        response.end(answer.body);
      });
    });
    return listen([], server);
  },
};

export type Bare = typeof methods;
offer(methods);
