import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from '../support/command.ts';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import type { Typed } from './fresh-machine.ts';

const GREETING = 'hello from the origin';
const MACHINE = join(import.meta.dirname, 'fresh-machine.ts');
/** Nothing that it starts outlives it. */
const TOGETHER = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const START = 'ip link set lo up && mount -t tmpfs nameplate /var/lib && exec "$0" "$@"';

test('docs/guides/first-name.md, typed as printed on a machine with real nameservers and a real CA, ends with the response of the origin', {
  timeout: START_LIMIT_MS,
}, async () => {
  // There is no network inside to fetch them.
  await findPrograms('dns', ['knot', 'unbound']);
  await findPrograms('pebble', ['pebble']);
  const words = [
    '--map-root-user',
    '--net',
    '--mount',
    ...TOGETHER,
    'sh',
    '-c',
    START,
    process.execPath,
    MACHINE,
    GREETING,
  ];
  const { code, stdout, stderr } = await startCommand('unshare', words, {}).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const typed: Typed[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const each of typed) expect(each).toMatchObject({ code: 0 });
  const commands = typed.map(({ line }) =>
    line
      .replace(/^\.\/bin\/nameplate |\s+#.*/g, '')
      .split(' ', 2)
      .join(' '),
  );
  expect(commands).toEqual([
    'doctor',
    'init "My',
    'deployments create',
    'domains create',
    'domains wait',
    'curl https://docs.customer.com/',
    'SIGTERM',
  ]);
  expect(typed.find(({ line }) => line.startsWith('curl '))?.stdout).toBe(GREETING);
});
