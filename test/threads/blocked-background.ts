import { existsSync, writeFileSync } from 'node:fs';
import { threadName } from 'node:worker_threads';

// Loaded first in every thread of a server: the event loop of checks and certificates stands still from the moment that the file `begin` exists
// until the file `end` does. The file `blocked` says that it does.

const directory = process.env.BLOCKED_DIRECTORY;
if (threadName === 'background' && directory !== undefined) {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => {
    if (!existsSync(`${directory}/begin`)) return;
    clearInterval(timer);
    writeFileSync(`${directory}/blocked`, '');
    while (!existsSync(`${directory}/end`)) Atomics.wait(waiting, 0, 0, 10);
  }, 10);
}
