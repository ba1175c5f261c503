import type { Log } from '../../base/log.ts';
import type { SupervisedThread, Supervisor } from '../../base/threads/supervisor.ts';
import { ThreadEnded } from '../../base/threads/thread.ts';
import type { Observation } from '../../domain/observation.ts';
import type { DiagnosisQuery } from './diagnoser.ts';
import type { DiscoverConnect } from './discover-connect.ts';

/** The main thread calls these in the thread that asks DNS. */
export interface DiagnosisMethods {
  observe(request: DiagnosisQuery): Promise<Observation>;
  discoverConnect: DiscoverConnect;
}

interface DiagnosisThreadOptions {
  /** The script of the thread, and what it is started with. */
  script: URL;
  workerData: unknown;
  supervisor: Supervisor;
  log: Log;
  /** A diagnosis that takes longer has stopped the thread's loop: the thread is ended, and replaced. */
  timeLimitMs?: number;
}

export interface DiagnosisThread {
  /** The first diagnosis starts the thread. Rejects when the thread crashes meanwhile, or has crashed and is not replaced yet. */
  observe(request: DiagnosisQuery): Promise<Observation>;
  /** Never rejects. Logs each refusal, unless the zone names no provider. */
  discoverConnect: DiscoverConnect;
  stop(): Promise<void>;
}

/** A diagnosis ends by itself after 10 s. */
const TIME_LIMIT_MS = 15_000;

/** A worker thread of its own: what nameservers answer costs the threads that serve requests nothing. */
export function diagnosisThread(options: DiagnosisThreadOptions): DiagnosisThread {
  const { script, workerData, supervisor, log, timeLimitMs = TIME_LIMIT_MS } = options;
  let thread: Promise<SupervisedThread<DiagnosisMethods>> | undefined;
  let stopping = false;

  function start(): Promise<SupervisedThread<DiagnosisMethods>> {
    // Strangers' nameservers may be what crashes it, so the process goes on without it.
    const options = { kind: 'diagnosis', script, begin: () => ({ workerData }), dispensable: true } as const;
    const starting = supervisor.start<DiagnosisMethods>(options);
    starting.catch(() => {
      thread = undefined;
    });
    return starting;
  }

  async function ask<T>(task: string, call: (thread: SupervisedThread<DiagnosisMethods>) => Promise<T>): Promise<T> {
    if (stopping) throw new Error('the process is stopping');
    thread ??= start();
    const started = await thread;
    const timer = setTimeout(started.terminate, timeLimitMs);
    try {
      return await call(started);
    } catch (error) {
      if (!(error instanceof ThreadEnded)) log.error({ err: error }, `${task} failed`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    observe: (request) => ask('a diagnosis', ({ call }) => call('observe', request)),
    async discoverConnect(question) {
      const answer = await ask('a look for Domain Connect', ({ call }) => call('discoverConnect', question)).catch(
        () => ({ refused: 'unavailable' }) as const,
      );
      const { zone, serviceId } = question;
      if ('refused' in answer && answer.refused !== 'no_record')
        log.info({ zone, serviceId, reason: answer.refused }, 'Domain Connect is not offered');
      return answer;
    },
    async stop() {
      stopping = true;
      await (await thread?.catch(() => undefined))?.stop(0);
    },
  };
}
