import { once } from 'node:events';
import { renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A command's request to a running server. */
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
  /** Stops answering, and removes the file unless another process has replaced it by now. */
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
 * Answers commands on a Unix socket that only this user may open. Replaces the socket of the process before it: at
 * every moment, one of both answers. Rejects with the error of the system.
 */
export async function openControlSocket(
  path: string,
  reload: (request: ReloadRequest) => Promise<ReloadOutcome>,
): Promise<ControlSocket> {
  const server = createServer({ allowHalfOpen: true }, (socket) => answer(socket, reload));
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

/**
 * Only this user may open the socket, because a client can run any program as this user. Node creates the file before
 * `listen` returns, so this mode applies from the start.
 */
function listenAlone(server: Server, path: string): void {
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

function answer(socket: Socket, reload: (request: ReloadRequest) => Promise<ReloadOutcome>): void {
  const chunks: Buffer[] = [];
  let received = 0;
  const respond = (outcome: ReloadOutcome) => {
    if (!socket.writableEnded) socket.end(JSON.stringify(outcome));
  };
  const refuse = (message: string) => respond({ ok: false, message: `${message} ${THE_REQUEST}` });
  socket.on('error', () => {});
  socket.setTimeout(REQUEST_MS, () => {
    refuse(`The request had no end within ${REQUEST_MS / 1000} s.`);
    socket.destroySoon();
  });
  // Reads and drops the rest of a refused request: a client that still sends would not read the reason.
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > MAX_REQUEST) refuse('The request is larger than 1 MiB.');
    else chunks.push(chunk);
  });
  socket.once('end', () => {
    socket.setTimeout(0);
    if (received > MAX_REQUEST) return;
    const request = parsed(Buffer.concat(chunks).toString());
    // The response repeats nothing of the request, which may hold secrets.
    if (request === null) return refuse('This is no request that the server understands.');
    reload(request)
      .catch((error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : String(error) }))
      .then(respond);
  });
}

const THE_REQUEST =
  'There is one request, to reload: {"program": "<path>", "variables": {"<name>": "<value>"} or null}. "nameplate reload" sends it.';

/** Null: it is no request to reload. */
function parsed(sent: string): ReloadRequest | null {
  try {
    const { program, variables = null } = JSON.parse(sent);
    const isObject = typeof variables === 'object' && !Array.isArray(variables);
    const areTexts = isObject && Object.values(variables ?? {}).every((value) => typeof value === 'string');
    return typeof program === 'string' && areTexts ? { program, variables } : null;
  } catch {
    return null;
  }
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
