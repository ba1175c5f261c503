import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { connect, type Remote } from '../../../base/threads/rpc.ts';
import { startThread } from '../../../base/threads/thread.ts';
import { StoreUnavailable } from '../../store.ts';
import type { CommitBatch, WriteResult } from './commit-batch.ts';
import type {
  PostedResult,
  WriterMethods,
  WriterNotices,
  WriterOptions,
  WriterParentMethods,
} from './writer-thread.ts';

/** The writer thread, as a thread that writes sees it. */
export interface CommitThread {
  /** Commits a batch; one at a time. Rejects when the writer thread has ended. */
  commit(batch: CommitBatch): Promise<WriteResult[]>;
  /** Writes no more. */
  end(): Promise<void>;
}

/** The same, as the thread that started it sees it: `end` closes the file and ends the thread. */
export interface StartedWriter extends CommitThread {
  /** Another thread's way to the writer, to be handed over to that thread. */
  newPort(): MessagePort;
}

export interface WriterEvents {
  /** The thread has died, of this error. */
  onWriterLost?: (error: unknown) => void;
  /** A commit has added a delivery. */
  onDelivery?: () => void;
}

/**
 * Starts the writer thread; rejects when it cannot open the file. If it dies later it is not started again, rather than running on with an
 * unknown fault: every commit rejects from then on, in all threads, and `onWriterLost` is called.
 */
export async function startWriterThread(
  options: WriterOptions,
  { onWriterLost = () => {}, onDelivery = () => {} }: WriterEvents = {},
): Promise<StartedWriter> {
  const script = new URL('./writer-thread.ts', import.meta.url);
  const own: WriterNotices = { onDelivery };
  const thread = startThread<WriterParentMethods>(script, { workerData: options, name: 'writer' }, own);
  let ending = false;
  await thread.ready.catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : 'its writer thread did not start';
    throw new StoreUnavailable(`cannot open the database ${options.path}: ${reason}`, { cause });
  });
  void thread.exited.then((error) => {
    if (!ending) onWriterLost(error);
  });
  return {
    commit: committerOver(thread),
    newPort() {
      const { port1, port2 } = new MessageChannel();
      thread.send('serve', port1);
      return port2;
    },
    async end() {
      ending = true;
      thread.send('close');
      await thread.exited;
    },
  };
}

/** The writer thread of the process, over a port that `newPort` made. */
export function joinWriterThread(port: MessagePort): CommitThread {
  const writer = connect<WriterMethods>(port, {});
  port.on('close', () => writer.end(new Error('the writer thread has ended')));
  return { commit: committerOver(writer), end: async () => port.close() };
}

function committerOver(writer: Pick<Remote<WriterMethods>, 'call'>): CommitThread['commit'] {
  return async (batch) => {
    const results = await writer.call('commit', batch).catch((error: unknown) => {
      throw new StoreUnavailable('the store cannot be written: its writer thread has stopped; restart the program', {
        cause: error instanceof Error ? (error.cause ?? error) : error,
      });
    });
    return results.map(withCode);
  };
}

function withCode({ errcode, ...result }: PostedResult): WriteResult {
  if ('error' in result && result.error instanceof Error) Object.assign(result.error, { errcode });
  return result;
}
