import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, type Batch, committer } from './commit.ts';
import { connect } from './sqlite-connection.ts';

// What runs in the writer's thread. It alone waits for the write lock and for the disk, so that the event loop never does.

export interface ThreadOptions {
  path: string;
  busyTimeoutMs: number;
  /** Most pages the file may have: a disk of that size, for tests. */
  maxPages?: number | undefined;
}

/** To the thread: work, or the wish that it ends. */
export type Request = Batch | 'close';

/** From the thread, once at the start and then for each batch. An error carries SQLite's code, which it would lose on the way. */
export type Response = 'ready' | (Answer & { errcode?: unknown })[];

const port = parentPort;
if (port === null) throw new Error('store/sqlite/worker.ts runs as a worker thread');

const { path, busyTimeoutMs, maxPages }: ThreadOptions = workerData;
const connection = connect(path, { busyTimeoutMs });
// Claims touch pages all over the schedule. Folding the log into the file four times as rarely as by default writes most of them once
// instead of again and again: with 100,000 domains a claimed check costs 25 µs of CPU instead of 32.
connection.db.exec('pragma wal_autocheckpoint = 4000; pragma cache_size = -16384');
// What is changed or deleted is overwritten where its page is written anyway: a secret that lay in clear leaves nothing behind.
connection.db.exec('pragma secure_delete = fast');
if (maxPages !== undefined) connection.db.exec(`pragma max_page_count = ${maxPages}`);
const commit = committer(connection);

port.on('message', async (request: Request) => {
  if (request === 'close') {
    connection.db.close();
    port.close();
    return;
  }
  const response: Response = (await commit(request)).map(withCode);
  port.postMessage(response);
});
port.postMessage('ready' satisfies Response);

function withCode(answer: Answer): Answer & { errcode?: unknown } {
  if (!('error' in answer) || !(answer.error instanceof Error) || !('errcode' in answer.error)) return answer;
  return { ...answer, errcode: answer.error.errcode };
}
