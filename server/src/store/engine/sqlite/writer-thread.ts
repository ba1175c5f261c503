import { type MessagePort, workerData } from 'node:worker_threads';
import { connect as connectPort } from '../../../base/threads/rpc.ts';
import { serveParent } from '../../../base/threads/thread.ts';
import { type CommitBatch, committer, type WriteResult } from './commit-batch.ts';
import { connect } from './sqlite-connection.ts';

// Runs in the writer thread: only this thread waits for the write lock and for fsync, so that no event loop does.

export interface WriterOptions {
  path: string;
  busyTimeoutMs: number;
  /** Most pages the file may have: a disk of that size, for tests. */
  maxPages?: number | undefined;
}

/** The threads that write call these in it. */
export interface WriterMethods {
  /** The results in the order of the calls. An error carries SQLite's code, which posting it would lose. */
  commit(batch: CommitBatch): Promise<PostedResult[]>;
}

/** The thread that started it calls these besides. */
export interface WriterParentMethods extends WriterMethods {
  /** Serves another thread over this port. */
  serve(port: MessagePort): void;
  /** Closes the file and ends the thread. */
  close(): void;
}

/** It calls these in the thread that started it. */
export interface WriterNotices {
  onDelivery(): void;
}

export type PostedResult = WriteResult & { errcode?: unknown };

interface WaitingBatch {
  batch: CommitBatch;
  resolve(results: PostedResult[]): void;
}

const { path, busyTimeoutMs, maxPages }: WriterOptions = workerData;
const connection = connect(path, { busyTimeoutMs });
// Claims touch pages all over the schedule. Checkpointing four times as rarely as by default writes most of them once instead of again
// and again: with 100,000 domains a claimed check costs 25 µs of CPU instead of 32.
connection.db.exec('pragma wal_autocheckpoint = 4000; pragma cache_size = -16384');
// Zeroes deleted content where its page is written anyway: of a secret that was stored unsealed nothing remains.
connection.db.exec('pragma secure_delete = fast');
if (maxPages !== undefined) connection.db.exec(`pragma max_page_count = ${maxPages}`);
const commitAll = committer(connection, () => main.send('onDelivery'));
const waiting: WaitingBatch[] = [];

const methods: WriterMethods = {
  commit(batch) {
    // The batches that have arrived from several threads are committed together.
    if (waiting.length === 0) setImmediate(commitWaiting);
    return new Promise((resolve) => waiting.push({ batch, resolve }));
  },
};

async function commitWaiting(): Promise<void> {
  const batches = waiting.splice(0);
  const calls = batches.flatMap(({ batch }) => batch.calls);
  const synced = batches.some(({ batch }) => batch.synced);
  const results = (await commitAll({ calls, synced })).map(withCode);
  for (const { batch, resolve } of batches) resolve(results.splice(0, batch.calls.length));
}

const own: WriterParentMethods = {
  ...methods,
  serve(port) {
    connectPort(port, methods);
    // The parent's port keeps this thread alive.
    port.unref();
  },
  close() {
    connection.db.close();
    main.close();
  },
};
const main = serveParent<WriterNotices>(own);
main.ready();

function withCode(result: WriteResult): PostedResult {
  if (!('error' in result) || !(result.error instanceof Error) || !('errcode' in result.error)) return result;
  return { ...result, errcode: result.error.errcode };
}
