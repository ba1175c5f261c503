import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { IMAGE } from '../../../scripts/image.ts';
import { closingAfterEach } from '../../support/closing.ts';
import { CLONE, startCommand, temporaryDirectory } from '../../support/command.ts';
import { findPrograms } from '../../support/debian.ts';

const closing = closingAfterEach();
const RELOADS = 3;

// As in a container: process 1 inherits the processes whose parents have ended. Needs the right to make such a
// namespace.
const IN_NAMESPACE = ['--pid', '--fork', '--kill-child', '--mount-proc'];

test('the init of the image leaves nothing of ended processes behind, passes signals on, and ends as the server does', async () => {
  const { path } = await findPrograms('tini', ['tini']);
  const [init = '', end = '', program = ''] = IMAGE.Entrypoint;
  const command = [path(basename(init)), end, join(CLONE, 'bin', basename(program))];
  const directory = temporaryDirectory();
  const env = {
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ROLES: 'api',
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
  };
  const container = startCommand('unshare', [...IN_NAMESPACE, ...command, 'serve'], { env });
  closing.push(async () => {
    container.child.kill('SIGKILL');
    await container.ended;
    directory.remove();
  });
  await container.says(/"msg":"ready"/);
  for (let i = 1; i <= RELOADS; i += 1) {
    expect(await startCommand('./bin/nameplate', ['reload'], { env }).ended).toMatchObject({ code: 0 });
    await container.says(new RegExp(`(?:"msg":"drained[^]*){${i}}`));
  }
  const [one] = childrenOf(container.child.pid ?? 0);
  // The first process, which waits, and the one that serves.
  await vi.waitFor(() => expect(childrenOf(one?.pid ?? 0).map(({ state }) => state)).toEqual(['S', 'S']), 10_000);
  process.kill(one?.pid ?? 0, 'SIGTERM');
  expect((await container.ended).code).toBe(0);
});

/** `state`: as in proc_pid_stat(5); Z is an ended process that nobody has waited for. */
function childrenOf(parent: number): { pid: number; state: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, state = '', of] = /^\d+ \(.*\) (\w) (\d+) /s.exec(statOf(pid)) ?? [];
      return Number(of) === parent ? [{ pid: Number(pid), state }] : [];
    });
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
