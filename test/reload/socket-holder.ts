import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Closing } from '../support/closing.ts';
import { CLONE, type Started, watch } from '../support/command.ts';

/** A program that holds listening sockets, as systemd does, and starts the server again when it ends. */
export interface SocketHolder {
  launch(env: Record<string, string>): Started;
}

/** The shell sets the process id that the server will have (sd_listen_fds(3)), and keeps the sockets itself. */
const SCRIPT = `while true; do sh -c 'LISTEN_PID=$$ exec ./bin/nameplate serve' || exit; done`;

/** `ports`: by the names of their listeners. */
export async function startHolding(closing: Closing, ports: Record<string, number>): Promise<SocketHolder> {
  const servers: Server[] = [];
  for (const port of Object.values(ports)) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
  }
  closing.push(() => servers.forEach((server) => void server.close()));
  return {
    launch(env) {
      const names = Object.keys(ports);
      const given = { LISTEN_FDS: String(names.length), LISTEN_FDNAMES: names.join(':') };
      const fds = servers.map((server: Server & { _handle?: { fd: number } }) => server._handle?.fd);
      const child = spawn('sh', ['-c', SCRIPT], {
        cwd: CLONE,
        env: { PATH: process.env.PATH, ...env, ...given },
        stdio: ['pipe', 'pipe', 'pipe', ...fds],
      });
      // Nobody accepts connections here.
      for (const server of servers.splice(0)) server.close();
      return watch(child as ChildProcessWithoutNullStreams);
    },
  };
}
