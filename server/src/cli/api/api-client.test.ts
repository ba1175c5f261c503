import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CliError } from '../cli-error.ts';
import { ApiError, connect, ServerUnreachable } from './api-client.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A client of a server that does what a list says, one request after the other, and the keys that it was sent. */
async function calling(...handlers: RequestListener[]) {
  const keys: (string | undefined)[] = [];
  server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString());
    (handlers[keys.length - 1] ?? handlers.at(-1))?.(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const api = await connect({ url: `http://127.0.0.1:${port}`, key: 'np_x' });
  const call = (operation: string, options = {}) => api.call(operation, {}, options).catch((error: Error) => error);
  return { call, keys };
}

const lost: RequestListener = (request) => request.socket.destroy();
const html =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
const json =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ meta: { requestId: 'req_1' }, ...body }));
const success = json(200, { data: { id: 'proj_1' } });
const problem = { title: 'Not Found', status: 404, type: 'not-found', detail: 'There is none.' };

describe('a call of the API', () => {
  it('fails with the error of the API, and the id of the request', async () => {
    const { call } = await calling(json(404, { error: problem }));
    const error = await call('projects.getProject');
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: 'Not Found: There is none.\n  request req_1',
      details: { ...problem, requestId: 'req_1' },
      status: 404,
    });
  });

  it('says what is invalid without a word about fields of the response, and where the cause of a 500 is', async () => {
    const errors = [{ location: 'body.domain', message: 'must be a name', fix: 'use "a.example"' }];
    const invalid = { title: 'Bad Request', status: 400, type: 'bad-request', detail: '"errors" lists where and why.' };
    const internal = { title: 'Internal Server Error', status: 500, type: 'internal', detail: 'Ask support.' };
    const { call } = await calling(json(400, { error: { ...invalid, errors } }), json(500, { error: internal }));
    expect(await call('projects.getProject')).toMatchObject({
      message:
        'Bad Request: the request is invalid.\n  body.domain: must be a name\n    fix: use "a.example"\n  request req_1',
      details: { detail: invalid.detail, errors },
    });
    expect(await call('projects.getProject')).toMatchObject({
      message: "Internal Server Error: Ask support.\n  request req_1: the server's log has the cause under this id",
    });
  });

  it('tells a proxy that cannot reach the server, and a lost connection, from a wrong address', async () => {
    for (const temporary of [html(502), html(503), html(504), lost]) {
      const { call } = await calling(temporary);
      expect(await call('projects.getProject')).toBeInstanceOf(ServerUnreachable);
      server?.close();
    }
    for (const other of [html(404), html(200), json(200, {})]) {
      const { call } = await calling(other);
      const error = await call('projects.getProject');
      expect(error).toBeInstanceOf(CliError);
      expect(error).not.toBeInstanceOf(ServerUnreachable);
      expect(error).toMatchObject({ message: expect.stringContaining("not a response of Nameplate's API. Check the") });
      server?.close();
    }
  });

  it('is repeated, under one Idempotency-Key, if it creates something and its response was lost', async () => {
    const { call, keys } = await calling(lost, html(502), success);
    expect(await call('projects.createProject')).toEqual({ id: 'proj_1' });
    expect([keys.length, new Set(keys).size, keys[0]?.length]).toEqual([3, 1, 36]);
  });

  it('is made once if it creates nothing, or sends no key', async () => {
    for (const [operation, options] of [
      ['projects.deleteProject', {}],
      ['projects.getProject', {}],
      ['domains.createDomains', { idempotencyKey: null }],
    ] as const) {
      const { call, keys } = await calling(lost);
      expect(await call(operation, options)).toBeInstanceOf(ServerUnreachable);
      expect(keys).toEqual([undefined]);
      server?.close();
    }
  });
});
