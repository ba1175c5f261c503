import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

const LINES = 200;

/**
 * Returns the output of a program that writes to a pipe with `createLog`. `execFile` would give it a socket; a shell
 * gives it a pipe.
 */
function outputOf(body: string): Promise<string> {
  const script = `import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}; ${body}`;
  return new Promise((resolve) => {
    const program = [process.execPath, '--input-type=module', '--eval', script];
    execFile('sh', ['-c', '"$@" | cat', 'sh', ...program], { maxBuffer: 2 ** 26 }, (_error, stdout) => resolve(stdout));
  });
}

function linesOf(output: string): unknown[] {
  return output.split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text).line]));
}

const LOG_LINES = `
  const log = createLog('info');
  for (let line = 0; line < ${LINES}; line++) log.info({ line }, 'request');
`;
const KILL = "process.kill(process.pid, 'SIGKILL')";
const all = Array.from({ length: LINES }, (_, line) => line);

it.for([
  ['is killed in a later turn of the event loop', `setImmediate(() => setImmediate(() => ${KILL}))`],
  ['exits', 'process.exit()'],
  ['fails', "throw new Error('as it was told')"],
] as const)('every line is out, whole and in order, when the process %s', async ([, end]) => {
  expect(linesOf(await outputOf(`${LOG_LINES} ${end}`))).toEqual(all);
});

it('a warning is out, and every line before it, when the process is killed right after', async () => {
  expect(linesOf(await outputOf(`${LOG_LINES} log.warn({ line: ${LINES} }); ${KILL}`))).toEqual([...all, LINES]);
});

it('lines of several threads do not mix in a pipe, however much each of them logs in one turn', async () => {
  const writing = `import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)}).then(({ createLog }) => {
    const log = createLog('info');
    const write = (turns) => {
      for (let line = 0; line < ${LINES}; line++) log.info({ line, pad: 'x'.repeat(line) }, 'request');
      if (turns > 1) setImmediate(write, turns - 1);
    };
    write(20);
  })`;
  const output = await outputOf(`
    import { Worker } from 'node:worker_threads';
    for (let thread = 0; thread < 3; thread++) new Worker(${JSON.stringify(writing)}, { eval: true });
  `);
  expect(linesOf(output)).toHaveLength(3 * 20 * LINES);
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
