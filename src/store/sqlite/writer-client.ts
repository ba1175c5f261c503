import { Worker } from 'node:worker_threads';
import { StoreUnavailable } from '../contract/store.ts';
import type { CommitBatch, WriteResult } from './commit-batch.ts';
import type { WriterOptions, WriterRequest, WriterResponse } from './writer-thread.ts';

/** The writer thread, as the event loop's thread sees it. */
export interface CommitThread {
  /** Commits a batch; one at a time. Rejects when the thread has exited. */
  commit(batch: CommitBatch): Promise<WriteResult[]>;
  /** Closes the file and ends the thread. */
  end(): Promise<void>;
}

/**
 * Starts the thread; rejects when it cannot open the file. If it dies later it is not started again: every commit rejects from then on, so
 * that readiness fails and the process is replaced, rather than running on with an unknown fault.
 */
export async function startThread(options: WriterOptions): Promise<CommitThread> {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: options });
  let pending: { resolve(response: WriterResponse): void; reject(error: unknown): void } | undefined;
  let exitError: StoreUnavailable | undefined;
  let cause: unknown;

  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', () => {
    exitError = new StoreUnavailable(
      'the store cannot be written: its writer thread has stopped; restart the program',
      {
        cause,
      },
    );
    pending?.reject(exitError);
  });
  worker.on('message', (response: WriterResponse) => pending?.resolve(response));

  function nextResponse(): Promise<WriterResponse> {
    return new Promise((resolve, reject) => {
      pending = { resolve, reject };
    });
  }

  await nextResponse().catch(() => {
    const reason = cause instanceof Error ? cause.message : 'its writer thread did not start';
    throw new StoreUnavailable(`cannot open the database ${options.path}: ${reason}`, { cause });
  });
  return {
    async commit(batch) {
      if (exitError !== undefined) throw exitError;
      const response = nextResponse();
      worker.postMessage(batch satisfies WriterRequest);
      const results = await response;
      return results === 'ready' ? [] : results.map(withCode);
    },
    async end() {
      worker.postMessage('close' satisfies WriterRequest);
      await exited;
    },
  };
}

function withCode(result: WriteResult & { errcode?: unknown }): WriteResult {
  if ('error' in result && result.error instanceof Error) Object.assign(result.error, { errcode: result.errcode });
  return result;
}
