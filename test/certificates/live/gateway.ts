import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * The port that the world reaches the edges of all nodes at, as a load balancer has it: a connection goes to one of
 * those that run, and waits while none does.
 */
export interface Gateway {
  port: number;
  /** Called with each connection, before it is forwarded. */
  onConnection: () => void;
  close(): Promise<void>;
}

/** Longer than a node takes to start on a busy machine. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 50;

/** `ports`: of the running nodes; called for each connection. */
export async function startGateway(ports: () => number[]): Promise<Gateway> {
  const open = new Set<Socket>();
  let turn = 0;
  const gateway: Pick<Gateway, 'onConnection'> = { onConnection: () => {} };

  function hold(socket: Socket): Socket {
    open.add(socket);
    return socket.on('error', () => {}).once('close', () => open.delete(socket));
  }

  function lead(client: Socket, until: number): void {
    if (client.destroyed) return;
    turn += 1;
    const running = ports();
    const port = running[turn % Math.max(1, running.length)];
    const again = () => {
      if (performance.now() < until) setTimeout(() => lead(client, until), AGAIN_MS);
      else client.destroy();
    };
    if (port === undefined) {
      again();
      return;
    }
    const node = hold(connect(port, '127.0.0.1'));
    node.once('error', again).once('connect', () => {
      node.off('error', again);
      client.pipe(node).pipe(client);
      client.once('close', () => node.destroy());
      node.once('close', () => client.destroy());
    });
  }

  const server = createServer((client) => {
    gateway.onConnection();
    hold(client).setNoDelay(true);
    lead(client, performance.now() + PATIENCE_MS);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return Object.assign(gateway, {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
