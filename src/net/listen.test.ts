import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listen, type ReservedPort, reservePort } from './listen.ts';

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
