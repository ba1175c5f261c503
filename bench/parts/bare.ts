import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { offer } from '../part.ts';

/** What any HTTP API on this runtime has to do at least: read the body, parse it, and write an answer of the same size and headers. */
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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
};

export type Bare = typeof methods;
offer(methods);
