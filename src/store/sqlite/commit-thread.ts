import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../contract/store.ts';
import type { Answer, Batch } from './commit.ts';
import type { Request, Response, ThreadOptions } from './commit-worker.ts';

/** The writer's thread, seen from outside. */
export interface CommitThread {
  /** Commits a batch, after the one before it was answered. Rejects when the thread has ended. */
  commit(batch: Batch): Promise<Answer[]>;
  /** Closes the file and ends the thread. */
  end(): Promise<void>;
}

/**
 * Starts the thread; rejects when it cannot open the file. Should it die later, it is not started again: every commit rejects from then
 * on, so that readiness fails and the process is replaced, rather than going on with a fault that nobody knows of.
 */
export async function startThread(options: ThreadOptions): Promise<CommitThread> {
  const worker = new Worker(new URL('./commit-worker.ts', import.meta.url), { workerData: options });
  let awaited: { resolve(response: Response): void; reject(error: unknown): void } | undefined;
  let ended: StoreUnavailable | undefined;
  let fault: unknown;

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('error', (error) => {
    fault = error;
  });
  worker.on('exit', () => {
    ended = new StoreUnavailable('the store can write no more: its writer has stopped; restart the program', {
      cause: fault,
    });
    awaited?.reject(ended);
  });
  worker.on('message', (response: Response) => awaited?.resolve(response));

  function nextResponse(): Promise<Response> {
    return new Promise((resolve, reject) => {
      awaited = { resolve, reject };
    });
  }

  await nextResponse().catch(() => {
    const reason = fault instanceof Error ? fault.message : 'its writer did not start';
    throw new StoreUnavailable(`cannot open the database ${options.path}: ${reason}`, { cause: fault });
  });
  return {
    async commit(batch) {
      if (ended !== undefined) throw ended;
      const response = nextResponse();
      worker.postMessage(batch satisfies Request);
      const answers = await response;
      return answers === 'ready' ? [] : answers.map(withCode);
    },
    async end() {
      worker.postMessage('close' satisfies Request);
      await exited;
    },
  };
}

function withCode(answer: Answer & { errcode?: unknown }): Answer {
  if ('error' in answer && answer.error instanceof Error) Object.assign(answer.error, { errcode: answer.errcode });
  return answer;
}
