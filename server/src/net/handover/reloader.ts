import type { Log } from '../../base/log.ts';
import type { ReloadOutcome, ReloadRequest } from './control-socket.ts';
import type { HandedOver } from './inheritance.ts';
import type { ServiceManager } from './service-manager.ts';
import { NoSuccessor, type Successor, type SuccessorOptions, startSuccessor } from './successor.ts';

/** Replaces this process by another one. */
export interface Reloader {
  /** Starts a successor; one at a time. Once it serves, `handedOver` resolves. Never rejects. */
  reload(request?: ReloadRequest): Promise<ReloadOutcome>;
  handedOver: Promise<Successor>;
  /** Stops a successor that is starting, and starts no other. */
  stop(): void;
}

interface ReloaderOptions extends Pick<SuccessorOptions, 'lifeline' | 'control'> {
  log: Log;
  handOver(): Promise<HandedOver>;
  manager: ServiceManager | null;
  /** The program and the environment of this process, for a reload that names no others. */
  program: string;
  env: Record<string, string | undefined>;
  limitMs?: number;
}

/** Shorter than systemd waits for a reload (90 s). */
const LIMIT_MS = 60_000;
/** The settings begin with this. */
const PREFIX = 'NAMEPLATE_';

const STOPPING = 'The server is stopping.';
const REFUSALS = {
  idle: null,
  reloading: 'The server is being reloaded already. Wait for that.',
  replaced: 'The server was just replaced: ask again.',
};

export function createReloader(options: ReloaderOptions): Reloader {
  const { log, manager, lifeline, control, limitMs = LIMIT_MS } = options;
  const { promise: handedOver, resolve } = Promise.withResolvers<Successor>();
  const stopping = new AbortController();
  let state: keyof typeof REFUSALS = 'idle';

  async function reload(
    request: ReloadRequest = { program: options.program, variables: null },
  ): Promise<ReloadOutcome> {
    const refusal = stopping.signal.aborted ? STOPPING : REFUSALS[state];
    if (refusal !== null) {
      log.warn({ reason: refusal }, 'a reload was refused');
      return { ok: false, message: refusal };
    }
    state = 'reloading';
    const { program, variables } = request;
    log.info({ program }, 'reloading: starting a successor');
    try {
      const env = variables === null ? options.env : { ...withoutSettings(options.env), ...variables };
      const { signal } = stopping;
      const about = { lifeline, control, limitMs, signal };
      const successor = await startSuccessor({ program, env, ...(await options.handOver()), ...about });
      state = 'replaced';
      // The signal to stop this process came when the successor was ready.
      if (signal.aborted) process.kill(successor.pid, 'SIGTERM');
      await manager?.mainProcess(successor.pid);
      log.info({ pid: successor.pid }, 'reloaded: a successor serves');
      resolve(successor);
      return { ok: true, message: `Process ${successor.pid} serves; process ${process.pid} drains.` };
    } catch (error) {
      state = 'idle';
      if (stopping.signal.aborted) return { ok: false, message: STOPPING };
      log.error({ err: error }, 'the reload failed, and changed nothing');
      const message = error instanceof Error ? error.message : String(error);
      const what = error instanceof NoSuccessor ? message : `The reload failed: ${message}`;
      return { ok: false, message: `${what}\nThe running server goes on.` };
    }
  }

  return { reload, handedOver, stop: () => stopping.abort() };
}

function withoutSettings(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(PREFIX)));
}
