import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Domain } from '../../client/client.ts';
import { shortType } from '../../server/src/api/errors.ts';
import { inLanguages } from '../../server/src/api/page-files.ts';
import type { Script } from './states.ts';

export interface ScriptedSetup {
  url: string;
  /** Requests since the script was last set. */
  requests: string[];
  /** Streams that are open. */
  readonly streams: number;
  /** From now on; clients that watch get the domain. */
  play(script: Script): void;
  /** From now on, without an event for clients that watch. */
  playUntold(script: Script): void;
  /** Ends the streams with this event. */
  end(data: object): void;
  close(): Promise<void>;
}

/** The address of the page, as the server knows it. */
export const PAGE_URL = 'https://connect.acme.example/setup';

/** As the server has it for the page. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };

/** Serves the files of `directory`, as `scripts/bundle-page.ts` makes it. */
export async function startScriptedSetup(directory: string, first: Script): Promise<ScriptedSetup> {
  let script = first;
  let version = 0;
  const requests: string[] = [];
  const streams = new Set<ServerResponse>();

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST' || request.method === 'OPTIONS') return answer(pathname.slice(4), request, response);
    const wanted = { query: Object.fromEntries(searchParams), headers: request.headers };
    const names = pathname === '/setup' ? inLanguages('index.html', wanted) : [pathname.replace('/setup/', '')];
    const name = names.find((each) => existsSync(join(directory, each))) ?? '';
    const content = await readFile(join(directory, name)).catch(() => null);
    response.writeHead(content === null ? 404 : 200, {
      'content-type': `${TYPES[extname(name)] ?? 'text/plain'}; charset=utf-8`,
      ...(pathname === '/setup' && { 'content-security-policy': PAGE_POLICY }),
      'access-control-allow-origin': '*',
    });
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function answer(operation: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'authorization, content-type, accept, last-event-id');
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const body = JSON.parse(await text(request));
    requests.push(`${operation} ${JSON.stringify(body)}`);
    const { brand = {}, domain, diagnosis, certificate, offer, refusal, isDown, streamRefusal } = script;
    const { pageUrl = PAGE_URL, lastCheck = diagnosis } = script;
    const result = body.cached ? lastCheck : diagnosis;
    if (refusal === 'nothing') return;
    if (refusal !== undefined) {
      const { status = 401, advice, support } = script;
      response.setHeader(
        'access-control-expose-headers',
        'Nameplate-Error-Code, Nameplate-Support, Nameplate-Support-Name',
      );
      if (support?.address) response.setHeader('nameplate-support', support.address);
      if (support?.name) response.setHeader('nameplate-support-name', encodeURIComponent(support.name));
      response.setHeader('nameplate-error-code', refusal);
      return send(response, status, error(status, shortType(refusal), advice));
    }
    if (isDown && operation !== 'setup.openSession') return void response.destroy();
    switch (operation) {
      case 'setup.openSession':
        return success(response, {
          ...{ sessionToken: 'session', expiresAt: Date.now() + 120_000, domain, brand },
          ...(pageUrl !== null && { pageUrl }),
        });
      case 'domains.diagnoseDomain':
        return result === undefined ? undefined : success(response, result);
      case 'domains.getCertificate':
        return success(
          response,
          certificate ?? { domainId: domain.id, domain: domain.domain, state: 'none', failures: 0 },
        );
      case 'setup.getDomainConnect':
        return success(response, offer === undefined ? {} : { offer });
      case 'domains.verifyDomain':
        return success(response, {});
      case 'domains.watchDomain':
        if (streamRefusal !== undefined) {
          const { status, type } = streamRefusal;
          return send(response, status, error(status, type));
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`retry: 100\n\n${event(domain)}`);
        streams.add(response);
        response.once('close', () => streams.delete(response));
        return;
      default:
        return send(response, 404, error(404, 'not-found'));
    }
  }

  const event = (domain: Domain) => `id: ${version}\nevent: domain\ndata: ${JSON.stringify(domain)}\n\n`;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get streams() {
      return streams.size;
    },
    play(next) {
      script = next;
      version += 1;
      requests.length = 0;
      for (const stream of streams) {
        if (next.isDown) stream.destroy();
        else stream.write(event({ ...next.domain, updatedAt: next.domain.createdAt + version }));
      }
    },
    playUntold(next) {
      script = next;
    },
    end(data) {
      for (const stream of streams) stream.end(`event: end\ndata: ${JSON.stringify(data)}\n\n`);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The body of an error response. */
export function error(status: number, type: string, detail = 'As the script says.'): object {
  return { meta: { requestId: 'req_1' }, error: { status, type, title: 'Error', detail } };
}

function success(response: ServerResponse, data: object): void {
  send(response, 200, { meta: { requestId: 'req_1' }, data });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
