import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request as requestHttp1 } from 'node:http';
import { connect, type IncomingHttpHeaders as Http2Headers } from 'node:http2';
import type { Closing } from '../support/closing.ts';
import type { ProxyServer } from './proxy-server.ts';

export interface Question {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** After the body, in chunks. */
  trailers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  trailers: NodeJS.Dict<string | string[]>;
  interim: { status: number; headers: NodeJS.Dict<string | string[]> }[];
}

/** Asks over a connection of its own. */
export type Ask = (front: Pick<ProxyServer, 'port' | 'http2Port'>, question?: Question) => Promise<Answer>;

/** The versions of HTTP that clients speak. */
export function versions(closing: Closing): [string, Ask][] {
  return [
    ['HTTP/1.1', (front, question = {}) => askHttp1(front.port, question)],
    ['HTTP/2', (front, question = {}) => askHttp2(closing, front.http2Port, question)],
  ];
}

async function askHttp1(port: number, question: Question): Promise<Answer> {
  const { method = 'GET', path = '/', headers = {}, body, trailers } = question;
  const agent = new Agent();
  // Node does not frame the content of methods that usually have none.
  const framing =
    body === undefined || trailers || headers['transfer-encoding']
      ? {}
      : { 'content-length': `${Buffer.byteLength(body)}` };
  const host = { host: 'app.acme.com', ...framing };
  const request = requestHttp1({ host: '127.0.0.1', port, agent, method, path, headers: { ...host, ...headers } });
  const interim: Answer['interim'] = [];
  request.on('information', ({ statusCode, headers }) => void interim.push({ status: statusCode, headers }));
  const answered = once(request, 'response');
  if (body !== undefined) request.write(body);
  request.addTrailers(trailers ?? {});
  request.end();
  const [response] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  agent.destroy();
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, body: text, trailers: response.trailers, interim };
}

async function askHttp2(closing: Closing, port: number, question: Question): Promise<Answer> {
  const { method = 'GET', path = '/', headers = {}, body, trailers } = question;
  const session = connect(`http://127.0.0.1:${port}`);
  closing.push(() => session.destroy());
  const pseudo = { ':method': method, ':path': path, ':authority': 'app.acme.com' };
  const stream = session.request({ ...pseudo, ...headers }, { endStream: body === undefined, waitForTrailers: true });
  const interim: Answer['interim'] = [];
  let after: Http2Headers = {};
  stream.on('headers', (head) => void interim.push({ status: Number(head[':status']), headers: head }));
  stream.on('trailers', (head) => {
    // Node has symbols among them.
    after = Object.fromEntries(Object.entries(head));
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers ?? {}));
  const answered = once(stream, 'response');
  if (body !== undefined) stream.end(body);
  const [head] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  session.close();
  const text = Buffer.concat(chunks).toString();
  return { status: Number(head[':status']), headers: head, body: text, trailers: after, interim };
}
