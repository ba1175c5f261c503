import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openRaw } from '../../../test/edge/raw.ts';
import { listen, type ReservedPort, reservePort } from './listen.ts';
import { trackResponse } from './response-order.ts';

const HOST = '127.0.0.1';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function reserve(port = 0): Promise<ReservedPort> {
  const reserved = await reservePort({ host: HOST, port }, { reusePort: true });
  closing.push(reserved.release);
  return reserved;
}

async function serve({ listen: options }: Pick<ReservedPort, 'listen'>, server: Server): Promise<void> {
  closing.push((await listen(server, options, 'PORT')).stop);
}

// Elsewhere threads do not share ports.
describe.skipIf(process.platform !== 'linux')('a port that threads are to share', () => {
  it('belongs to one process from its reservation on, before any thread listens there', async () => {
    const { port } = (await reserve()).listen;
    await expect(reserve(port)).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    const alone = { host: HOST, port };
    await expect(listen(createServer(), alone, 'PORT')).rejects.toThrow('is in use by another program');
  });

  it('still does once threads listen there and it is released, and these get all connections', async () => {
    const reserved = await reserve();
    const servers = [createServer(), createServer()];
    for (const server of servers) await serve(reserved, server);
    reserved.release();
    const { port } = reserved.listen;
    for (let i = 0; i < 20; i += 1) {
      const accepted = Promise.race(servers.map((server) => once(server, 'connection')));
      const client = connect({ host: HOST, port });
      await accepted;
      client.destroy();
    }
    await expect(reserve(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('is free again where it is released and no thread listens there', async () => {
    const reserved = await reserve();
    reserved.release();
    await serve({ listen: { ...reserved.listen, reusePort: false } }, createServer());
  });
});

describe('a server that drains', () => {
  /** A server that responds when it is told to, and a client that has sent a request. */
  async function start({ drainMs = 60_000 } = {}) {
    const responses: ServerResponse[] = [];
    const server = createServer((_, response) => {
      trackResponse(response);
      responses.push(response);
    });
    const { port, stop } = await listen(server, { host: HOST, port: 0, drainMs }, 'PORT');
    const client = await openRaw(closing, port);
    const ask = async () => {
      const before = responses.length;
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      while (responses.length === before) await once(server, 'request');
      return responses[before] as ServerResponse;
    };
    return { client, ask, stop, port };
  }

  it('marks the response to a request in flight as the last', async () => {
    const { client, ask, stop } = await start();
    const response = await ask();
    const stopped = stop();
    response.end('late');
    await stopped;
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*late$/);
  });

  it('still responds to the next request on a connection that is idle', async () => {
    const { client, ask, stop } = await start();
    (await ask()).end('first');
    await client.heard(/first$/);
    const stopped = stop();
    (await ask()).end('second');
    await stopped;
    expect(await client.closed()).toMatch(/first[\s\S]*Connection: close\r\n[\s\S]*second$/);
  });

  it('accepts no more connections, and closes those that stay idle', async () => {
    const { client, stop, port } = await start();
    const stopped = stop();
    await expect(openRaw(closing, port)).rejects.toThrow(/ECONNREFUSED/);
    await client.closed();
    await stopped;
  });

  it('closes connections in flight when their time is over', async () => {
    const { client, ask, stop } = await start({ drainMs: 50 });
    await ask();
    await stop();
    expect(await client.closed()).toBe('');
  });
});
