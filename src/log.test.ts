import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

const LINES = 200;

/** What a program writes to a pipe, whose module `log.ts` is `createLog`. */
function outputOf(body: string): Promise<string> {
  const script = `import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}; ${body}`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], (_error, stdout) => resolve(stdout));
  });
}

it('every line that was logged is out, whole and in order, when the process is killed right after', async () => {
  const output = await outputOf(`
    const log = createLog('info');
    for (let line = 0; line < ${LINES}; line++) log.info({ line }, 'request');
    process.kill(process.pid, 'SIGKILL');
  `);
  const lines = output.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: LINES }, (_, line) => line));
});

it.skipIf(process.platform !== 'linux')('a full pipe is waited for as long as it is full, and no longer', async () => {
  const output = await outputOf(`
    import { readFileSync } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    const log = createLog('info');
    new Worker('', { eval: true }).on('exit', () => log.info({ pipe: readFileSync('/proc/self/fdinfo/1', 'utf8') }));
  `);
  const flags = Number.parseInt(/flags:\s*(\d+)/.exec(JSON.parse(output).pipe)?.[1] ?? '', 8);
  const O_NONBLOCK = 0o4000;
  expect(flags & O_NONBLOCK).toBe(0);
});
