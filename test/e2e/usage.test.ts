import { expect, test } from 'vitest';
import { run, start, type } from '../support/program.ts';

// What a shell sees of the program is tried in processes of its own.

test.concurrent.each([
  [['domain', 'list'], 'domains'],
  [['domains', 'lst'], 'list'],
  [['domains', 'list', '--jsno'], '--json'],
])('%j is bad usage: exit code 2, and the nearest', async (args, nearest) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`Did you mean ${nearest}?`);
});

test.concurrent('no command at all is bad usage, and shows what there is', async () => {
  expect(await start([]).ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Commands:') });
});

test.concurrent('--help and --version are answered', async () => {
  expect(await start(['--help']).ended).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nameplate dev'),
    stderr: '',
  });
  expect(await start(['--version']).ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
});

test.concurrent('a reader that has seen enough is no failure', async () => {
  expect(await type('sh -c "./bin/nameplate --help | true"')).toMatchObject({ code: 0, stderr: '' });
});

test.concurrent('an unknown variable is an error for every command, and names the nearest', async () => {
  for (const args of [['domains', 'list'], ['keys', 'list'], ['dev'], ['demo'], ['serve']]) {
    const { code, stderr } = await run(args, { env: { NAMEPLATE_ROOTKEY: 'np_secret' } });
    expect({ args, code }).toEqual({ args, code: 1 });
    expect(stderr).toContain('NAMEPLATE_ROOTKEY is not a variable of Nameplate. Did you mean NAMEPLATE_ROOT_KEY?');
    expect(stderr).not.toContain('np_secret');
  }
});

test.concurrent('no colours where standard output is no terminal', async () => {
  const { stdout } = await start(['doctor'], { env: { NAMEPLATE_CNAME_ZONE: 'x' } }).ended;
  expect(stdout).not.toContain('\u001b');
});
