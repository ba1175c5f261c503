import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

const LINES = 200;

it('every line that was logged is out, whole and in order, when the process is killed right after', async () => {
  const script = `
    import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
    const log = createLog('info');
    for (let line = 0; line < ${LINES}; line++) log.info({ line }, 'request');
    process.kill(process.pid, 'SIGKILL');
  `;
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], (_error, stdout) => resolve(stdout));
  });
  const lines = output.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).line)).toEqual(Array.from({ length: LINES }, (_, line) => line));
});
