import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';
import { ENCRYPTION_KEY } from './encryption-key.ts';
import type { KeySaid } from './keymaker.ts';
import type { Addresses, Said, ServerSettings } from './server-process-main.ts';

/** A program of this folder in a process of its own, which can be killed. */
export interface Program<Line> {
  /** Process id of the started program. */
  pid: number;
  /**
   * The first line of standard output, after so many, that fulfils `wanted`; rejects when the program ends without it.
   */
  says<Wanted extends Line>(wanted: (line: Line) => line is Wanted, after?: number): Promise<Wanted>;
  /** Everything it has said so far. */
  lines: readonly Line[];
  /** Writes a line to its standard input. */
  write(line: string): void;
  isRunning(): boolean;
  /** `kill -9`. Resolves once it is gone and all it has said is read. */
  kill(): Promise<void>;
  /** Resolves with its exit code, or null after a signal, once it is gone. */
  ended: Promise<number | null>;
  /** Everything it has written to standard error. */
  complaints(): string;
}

export interface Server extends Program<ServerLine>, Addresses {
  url: string;
  /** Process id of the server itself, also where another program runs it. */
  pid: number;
  /** Tells it something, and waits for what it says to that. */
  tell(command: string): Promise<Said>;
  /** SIGTERM. Resolves once it is gone. */
  stop(): Promise<void>;
  /** Lines of the log of level `error` and above. */
  errors(): LogLine[];
}

/** A line of the log. */
export interface LogLine {
  level: number;
  msg: string;
  err?: { type?: string; message: string; stack: string };
}

export type ServerLine = Said | LogLine;

export interface ServerStart extends ServerSettings {
  /** Its NAMEPLATE_DATABASE_URL. */
  database: string;
  /** Its NAMEPLATE_ROLES; `api,verifier` unless given. */
  roles?: string;
  /** More variables, or others; empty ones are as good as none. */
  env?: Record<string, string>;
  /** A file that Node loads first, before the sources of the server. */
  preload?: string;
  /** A program, with its arguments, that runs the server. */
  wrapper?: readonly string[];
}

const ERROR_LEVEL = 50;
const CLONE = join(import.meta.dirname, '../..');
/** Where Node caches compiled code, as for the program. */
export const COMPILE_CACHE = join(CLONE, 'node_modules/.cache/nameplate');

/** Starts the server; resolves when it is ready, rejects with what it complained of when it ends before. */
export function startServer(start: ServerStart): Promise<Server> {
  return whenReady(launchServer(start));
}

/** Resolves when a server that was launched is ready; rejects as above. */
export async function whenReady(server: Program<ServerLine>): Promise<Server> {
  const { api, event, ...about } = await server.says((line) => 'event' in line && line.event === 'ready');
  const { pid } = about;
  return {
    ...server,
    ...about,
    url: api,
    async kill() {
      if (server.isRunning()) process.kill(pid, 'SIGKILL');
      await server.ended;
    },
    tell(command) {
      const answer = server.says((line) => 'event' in line, server.lines.length);
      server.write(command);
      return answer;
    },
    async stop() {
      process.kill(pid, 'SIGTERM');
      await server.ended;
    },
    errors: () => server.lines.filter((line) => 'level' in line).filter(({ level }) => level >= ERROR_LEVEL),
  };
}

/** Starts the server, and waits for nothing. */
export function launchServer(start: ServerStart): Program<ServerLine> {
  const { database, roles = 'api,verifier', env = {}, preload, wrapper = [], ...settings } = start;
  const words = [
    '--expose-gc',
    ...(preload === undefined ? [] : ['--import', preload]),
    // A module that is loaded first changes modules, which the bundle does not have; scripts run outside of Vitest.
    preload === undefined && process.env.VITEST !== undefined
      ? inject('serverProgram')
      : join(import.meta.dirname, 'server-process-main.ts'),
    JSON.stringify(settings satisfies ServerSettings),
  ];
  return launch([...wrapper, process.execPath, ...words], {
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_DATABASE_URL: database,
    NAMEPLATE_ROLES: roles,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_CNAME_ZONE: 'cname.nameplate.test',
    NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${settings.nameserverPort}`,
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_LOG_LEVEL: 'warn',
    NAMEPLATE_DRAIN_SECONDS: '3',
    // Beside an SQLite file; otherwise it would be in the working directory.
    NAMEPLATE_EDGE_CACHE: database.startsWith('sqlite:') ? '' : 'off',
    // The clock that can be stepped is that of the main thread.
    NAMEPLATE_API_THREADS: '0',
    ...env,
  });
}

/** Starts what makes and revokes keys of a workspace. */
export function launchKeymaker(database: string, workspaceId: string): Program<KeySaid> {
  return launch([process.execPath, join(import.meta.dirname, 'keymaker.ts'), database, workspaceId], {});
}

function launch<Line>([command = '', ...words]: string[], env: Record<string, string>): Program<Line> {
  const child = spawn(command, words, {
    cwd: CLONE,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: 'pipe',
  });
  const lines: Line[] = [];
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  child.stdin.on('error', () => {});
  let unfinished = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const said = (unfinished + text).split('\n');
    unfinished = said.pop() ?? '';
    lines.push(...said.map((line): Line => JSON.parse(line)));
    child.emit('said');
  });
  let over = false;
  const ended = once(child, 'close').then(([code]): number | null => {
    over = true;
    child.emit('said');
    return code;
  });

  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    complaints: () => complaints,
    isRunning: () => !over,
    async says(wanted, after = 0) {
      for (;;) {
        const found = lines.slice(after).find(wanted);
        if (found !== undefined) return found;
        if (over) throw new Error(`the program ended too early: ${complaints}${JSON.stringify(lines.at(-1))}`);
        await once(child, 'said');
      }
    },
    write: (line) => void child.stdin.write(`${line}\n`),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
