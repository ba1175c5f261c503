import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { threadName } from 'node:worker_threads';

// Loaded first in every thread of a server: a thread that is called `x` throws once the file `crash-x` exists, and
// stops its event loop from the moment that `block-x` exists until `release-x` does, saying so in `blocked-x`.

const directory = process.env.FAULTS_DIRECTORY;
if (threadName && directory !== undefined) {
  const fileOf = (fault: string) => `${directory}/${fault}-${threadName}`;
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  const watching = setInterval(() => {
    if (existsSync(fileOf('crash'))) {
      rmSync(fileOf('crash'));
      throw new Error('as it was told');
    }
    if (!existsSync(fileOf('block'))) return;
    clearInterval(watching);
    writeFileSync(fileOf('blocked'), '');
    while (!existsSync(fileOf('release'))) Atomics.wait(waiting, 0, 0, 10);
  }, 10).unref();
}
