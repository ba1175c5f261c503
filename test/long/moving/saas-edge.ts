import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { issue } from '../../edge/authority.ts';
import { keyPem } from '../../support/issue-chain.ts';
import { NEW, OLD, type World } from './moving-lab.ts';

/**
 * The edge of a vendor, with certificates of a CA of its own (`ROOT` of test/edge/authority.ts), which it keeps. It
 * passes challenges on to Nameplate, as the platform has told it, and everything else to the origin.
 */
export async function startSaasEdge({ names, http, https, origin, closing }: World): Promise<void> {
  const contexts = new Map<string, SecureContext>();
  const known = new Set(names);
  function contextFor(name: string): SecureContext {
    const before = contexts.get(name);
    if (before !== undefined) return before;
    const { chain, privateKey } = issue(name);
    const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
    const made = createSecureContext({ cert: chain, key: keyPem(key) });
    contexts.set(name, made);
    return made;
  }
  const secure = createHttpsServer(
    {
      SNICallback: (name, done) => (known.has(name) ? done(null, contextFor(name)) : done(new Error('unknown'))),
    },
    (asked, response) => forward(asked, response, origin),
  );
  const plain = createServer((asked, response) => {
    if (asked.url?.startsWith('/.well-known/acme-challenge/')) return forward(asked, response, `http://${NEW}:${http}`);
    response.writeHead(301, { location: `https://${asked.headers.host}${asked.url}` }).end();
  });
  await Promise.all([once(secure.listen(https, OLD), 'listening'), once(plain.listen(http, OLD), 'listening')]);
  closing.push(() => [secure, plain].map((server) => server.close()));
}

function forward(asked: IncomingMessage, response: ServerResponse, to: string): void {
  const { method, url, headers } = asked;
  const onward = request(new URL(url ?? '/', to), { method: method ?? 'GET', headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.once('error', () => response.writeHead(502).end());
  asked.pipe(onward);
}
