import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSimulator } from '../../playground/dns/simulator.ts';

/** The parts that a CA validates: DNS records that point here, and challenge responses. */
export interface Site {
  port: number;
  dns: { address: string; port: number };
  /** Points a name here. */
  add(hostname: string): void;
  present(hostname: string, token: string, keyAuthorization: string): void;
  /** Host and path of each request. */
  asked: string[];
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const answers = new Map<string, string>();
  const asked: string[] = [];
  const simulator = await startSimulator({ port: 0 });
  const server = createServer((request, response) => {
    const hostname = request.headers.host?.replace(/:\d+$/, '') ?? '';
    asked.push(`${hostname}${request.url}`);
    const answer = answers.get(`${hostname}${request.url}`);
    response.statusCode = answer === undefined ? 404 : 200;
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    dns: simulator,
    add: (hostname) => simulator.set(hostname, 'A', ['127.0.0.1']),
    present: (hostname, token, keyAuthorization) =>
      answers.set(`${hostname}/.well-known/acme-challenge/${token}`, keyAuthorization),
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await simulator.close();
    },
  };
}
