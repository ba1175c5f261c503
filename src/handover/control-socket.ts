import { once } from 'node:events';
import { renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a command asks of a running server. */
export interface ReloadRequest {
  /** The program that the successor runs. */
  program: string;
  /** Its variables; null: those of the running server. */
  variables: Record<string, string> | null;
}

/** How a reload ended. `message` is for people. */
export interface ReloadOutcome {
  ok: boolean;
  message: string;
}

export interface ControlSocket {
  /** Answers no more, and removes the file unless it is another process's by now. */
  close(): void;
}

/** No server listens on this socket. */
export class NoServer extends Error {
  override name = 'NoServer';
}

/** Far above any environment. */
const MAX_REQUEST = 1024 * 1024;
const REQUEST_MS = 5000;

/**
 * Answers commands on a Unix socket that only this user may open. Replaces the socket of the process before it: at every moment, one of both answers. Rejects
 * with the error of the system.
 */
export async function openControlSocket(
  path: string,
  reload: (request: ReloadRequest) => Promise<ReloadOutcome>,
): Promise<ControlSocket> {
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket, reload));
  const own = `${path}.${process.pid}`;
  rmSync(own, { force: true });
  listenAlone(server, own);
  await once(server, 'listening');
  const { ino } = statSync(own);
  renameSync(own, path);
  return {
    close() {
      server.close();
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    },
  };
}

/** Nobody else may open the socket from its first moment on: who does has this user run any program. Node creates it before `listen` returns. */
function listenAlone(server: Server, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

async function answer(socket: Socket, reload: (request: ReloadRequest) => Promise<ReloadOutcome>): Promise<void> {
  socket.on('error', () => {});
  socket.setTimeout(REQUEST_MS, () => socket.destroy());
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > MAX_REQUEST) socket.destroy();
  });
  const request = await text(socket).catch(() => null);
  if (request === null) return;
  socket.setTimeout(0);
  const outcome = await parsed(request)
    .then(reload)
    .catch((error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : String(error) }));
  socket.end(JSON.stringify(outcome));
}

async function parsed(request: string): Promise<ReloadRequest> {
  const { program, variables } = JSON.parse(request);
  if (typeof program !== 'string') throw new Error('The request names no program.');
  return { program, variables: variables ?? null };
}

/** Asks the server that listens on the socket to reload. Rejects with `NoServer`, or with the error of the system. */
export async function askToReload(path: string, request: ReloadRequest): Promise<ReloadOutcome> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.end(JSON.stringify(request));
  try {
    const response = await text(socket);
    if (response === '') throw new Error('The server ended before it had reloaded: its log says why.');
    return JSON.parse(response);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') throw new NoServer(`No server listens on ${path}.`);
    throw error;
  }
}

/** Whether a server listens on the socket. */
export async function hasServer(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
