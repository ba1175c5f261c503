import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { closingAfterEach } from '../../../../test/support/closing.ts';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { createLog } from '../../base/log.ts';
import { createReloader } from './reloader.ts';

// Scripts stand for a successor: each writes messages to the process that started it, on descriptor 3.

const closing = closingAfterEach();
const READY = `echo '{"kind":"ready"}' >&3`;

/** `script`: what the successor does; `$go` is a pipe on which the test lets it go on. */
function startReloading(script: string, { limitMs = 60_000 } = {}) {
  const directory = temporaryDirectory();
  closing.push(directory.remove);
  const pathOf = (name: string) => join(directory.path, name);
  const [program, go, pidFile] = [pathOf('nameplate'), pathOf('go'), pathOf('pid')];
  execFileSync('mkfifo', [go]);
  writeFileSync(program, `#!/bin/sh\ngo=${go}\necho $$ > ${pidFile}\n${script}\n`, { mode: 0o755 });
  const logged: string[] = [];
  const log = createLog('info', { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  const server = {
    handOver: async () => ({ sockets: [] }),
    lifeline: null,
    control: null,
    manager: null,
  };
  const reloader = createReloader({ ...server, log, program, env: { PATH: process.env.PATH }, limitMs });
  const pid = () => Number(readFileSync(pidFile, 'utf8'));
  const runs = () => existsSync(pidFile) && isRunning(pid());
  closing.push(() => {
    if (runs()) process.kill(pid(), 'SIGKILL');
  });
  return {
    ...reloader,
    pid,
    runs,
    logged,
    started: () => vi.waitFor(() => expect(pid()).toBeGreaterThan(0)),
    go: () => writeFileSync(go, '\n'),
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('a successor that is not ready in time is ended, and the server goes on and can be reloaded again', async () => {
  const { reload, runs, logged } = startReloading('exec sleep 1000', { limitMs: 50 });
  for (let i = 0; i < 2; i += 1) {
    expect(await reload()).toEqual({
      ok: false,
      message: 'The new process was not ready within 0.05 s, and was ended.\nThe running server goes on.',
    });
    expect(runs()).toBe(false);
  }
  expect(logged.filter((message) => /failed, and changed nothing/.test(message))).toHaveLength(2);
});

it('a second reload is refused while one is under way, and once the server was replaced; the first is not concerned', async () => {
  const { reload, handedOver, pid, runs, started, go, logged } = startReloading(
    `read line < $go; ${READY}; exec sleep 1000`,
  );
  const first = reload();
  await started();
  expect(await reload()).toEqual({ ok: false, message: 'The server is being reloaded already. Wait for that.' });
  go();
  expect(await first).toMatchObject({ ok: true, message: expect.stringContaining(`Process ${pid()} serves`) });
  expect((await handedOver).pid).toBe(pid());
  expect(await reload()).toEqual({ ok: false, message: 'The server was just replaced: ask again.' });
  expect(runs()).toBe(true);
  expect(logged.filter((message) => message === 'a reload was refused')).toHaveLength(2);
});

it('a server that is stopped ends the successor that is starting, and starts no other', async () => {
  const { reload, stop, runs, started } = startReloading('exec sleep 1000');
  const reloading = reload();
  await started();
  stop();
  expect(await reloading).toEqual({ ok: false, message: 'The server is stopping.' });
  expect(runs()).toBe(false);
  expect(await reload()).toEqual({ ok: false, message: 'The server is stopping.' });
});

it.each([
  ['ABRT', 'Its log may not say why. Reload again; if that fails too, restart the server, which interrupts it.'],
  ['KILL', 'The system does that where memory runs out. Make room for two processes, and reload again.'],
])('a successor that SIG%s ends, without a word in the log, is told with what to do', async (signal, advice) => {
  const { reload } = startReloading(`kill -${signal} $$`);
  const what = `The new process was ended by SIG${signal} before it was ready. ${advice}`;
  expect(await reload()).toEqual({ ok: false, message: `${what}\nThe running server goes on.` });
});
