import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { CLONE, run, start, temporaryDirectory, type } from '../support/command.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

test.concurrent('no command at all is bad usage, and prints the commands', async () => {
  expect(await start([]).ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Commands:') });
});

test.concurrent('--help and --version print to standard output', async () => {
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

test.concurrent('a pipe that is closed early is not an error', async () => {
  expect(await type('sh -c "./bin/nameplate --help | true"')).toMatchObject({ code: 0, stderr: '' });
});

test.concurrent('an unknown variable is an error for every command, which names the most similar one', async () => {
  for (const args of [['domains', 'list'], ['keys', 'list'], ['dev'], ['demo'], ['serve']]) {
    const { code, stdout, stderr } = await run(args, { env: { NAMEPLATE_ROOTKEY: 'np_secret' } });
    expect({ args, code }).toEqual({ args, code: 1 });
    // The server says it in its log.
    expect(args[0] === 'serve' ? stdout : stderr).toContain(
      'NAMEPLATE_ROOTKEY is not a variable of Nameplate. Did you mean NAMEPLATE_ROOT_KEY?',
    );
    expect(stdout + stderr).not.toContain('np_secret');
  }
});

test.concurrent('no colours without a terminal', async () => {
  const { stdout } = await start(['doctor'], { env: { NAMEPLATE_CNAME_ZONE: 'x' } }).ended;
  expect(stdout).not.toContain('\u001b');
});

test.concurrent('the launcher works through a symbolic link, and takes the Node of the clone', async () => {
  symlinkSync(`${CLONE}/bin/nameplate`, `${directory.path}/nameplate`);
  expect(await type(`env PATH=/usr/bin:/bin ${directory.path}/nameplate --version`)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

test.concurrent('the launcher says how to install the packages, if they are not installed', async () => {
  mkdirSync(`${directory.path}/clone/bin`, { recursive: true });
  copyFileSync(`${CLONE}/bin/nameplate`, `${directory.path}/clone/bin/nameplate`);
  expect(await type(`${directory.path}/clone/bin/nameplate --version`)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Run "npm ci" in '),
  });
});

test.concurrent('on an older Node, one line says which one is needed', async () => {
  const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"22.1.0"}})';
  expect(await type(`${process.execPath} --import '${older}' bin/start.mjs --version`)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'nameplate: needs Node 24 or newer, but this is Node 22.1.0. Install a newer one, or start it with npx.\n',
  });
});
