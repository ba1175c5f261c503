import { parentPort, workerData } from 'node:worker_threads';
import { type CommitBatch, committer, type WriteResult } from './commit-batch.ts';
import { connect } from './sqlite-connection.ts';

// Runs in the writer thread: only this thread waits for the write lock and for fsync, so that the event loop never does.

export interface WriterOptions {
  path: string;
  busyTimeoutMs: number;
  /** Most pages the file may have: a disk of that size, for tests. */
  maxPages?: number | undefined;
}

export type WriterRequest = CommitBatch | 'close';

/** Sent once at the start, then for each batch. An error carries SQLite's code, which posting it would lose. */
export type WriterResponse = 'ready' | (WriteResult & { errcode?: unknown })[];

const port = parentPort;
if (port === null) throw new Error('store/sqlite/writer-thread.ts runs as a worker thread');

const { path, busyTimeoutMs, maxPages }: WriterOptions = workerData;
const connection = connect(path, { busyTimeoutMs });
// Claims touch pages all over the schedule. Checkpointing four times as rarely as by default writes most of them once instead of again
// and again: with 100,000 domains a claimed check costs 25 µs of CPU instead of 32.
connection.db.exec('pragma wal_autocheckpoint = 4000; pragma cache_size = -16384');
// Zeroes deleted content where its page is written anyway: of a secret that was stored unsealed nothing remains.
connection.db.exec('pragma secure_delete = fast');
if (maxPages !== undefined) connection.db.exec(`pragma max_page_count = ${maxPages}`);
const commit = committer(connection);

port.on('message', async (request: WriterRequest) => {
  if (request === 'close') {
    connection.db.close();
    port.close();
    return;
  }
  const response: WriterResponse = (await commit(request)).map(withCode);
  port.postMessage(response);
});
port.postMessage('ready' satisfies WriterResponse);

function withCode(result: WriteResult): WriteResult & { errcode?: unknown } {
  if (!('error' in result) || !(result.error instanceof Error) || !('errcode' in result.error)) return result;
  return { ...result, errcode: result.error.errcode };
}
