import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { closingAfterEach } from '../../../../test/support/closing.ts';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { askToReload, hasServer, openControlSocket, type ReloadRequest } from './control-socket.ts';

const closing = closingAfterEach();
const REQUEST: ReloadRequest = { program: '/opt/nameplate/bin/nameplate', variables: { NAMEPLATE_SERVICE: 'acme' } };

function newPath(): string {
  const directory = temporaryDirectory();
  closing.push(directory.remove);
  return join(directory.path, 'control.sock');
}

/** A socket whose server says this to every request. */
async function open(path: string, message: string) {
  const requests: ReloadRequest[] = [];
  const control = await openControlSocket(path, async (request) => {
    requests.push(request);
    return { ok: true, message };
  });
  closing.push(() => control.close());
  return { requests, close: control.close };
}

it('a request arrives complete, and its outcome is returned', async () => {
  const path = newPath();
  const { requests } = await open(path, 'done');
  expect(await askToReload(path, REQUEST)).toEqual({ ok: true, message: 'done' });
  expect(requests).toEqual([REQUEST]);
});

it('only its owner may open the socket, from the moment on at which it is there, whatever new files are open to', async () => {
  const path = newPath();
  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const before = process.umask(0);
  try {
    const opening = openControlSocket(path, async () => ({ ok: true, message: 'done' }));
    expect(modeOf(`${path}.${process.pid}`)).toBe(0o600);
    expect(process.umask()).toBe(0);
    const control = await opening;
    closing.push(() => control.close());
    expect(modeOf(path)).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

it('the socket of the next process replaces that of the one before, which does not remove it', async () => {
  const path = newPath();
  const before = await open(path, 'old');
  await open(path, 'new');
  expect(await askToReload(path, REQUEST)).toMatchObject({ message: 'new' });
  before.close();
  expect(await askToReload(path, REQUEST)).toMatchObject({ message: 'new' });
});

it('without a server there is one line that says so, whether a file is there or not', async () => {
  const path = newPath();
  await expect(askToReload(path, REQUEST)).rejects.toThrow(`No server listens on ${path}.`);
  const { close } = await open(path, 'done');
  expect(await hasServer(path)).toBe(true);
  close();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, '');
  await expect(askToReload(path, REQUEST)).rejects.toThrow(`No server listens on ${path}.`);
  expect(await hasServer(path)).toBe(false);
});

const UNKNOWN = 'This is no request that the server understands.';

it.each([
  ['', UNKNOWN],
  ['reload', UNKNOWN],
  ['[]', UNKNOWN],
  ['null', UNKNOWN],
  ['{"status":true}', UNKNOWN],
  ['{"program":7}', UNKNOWN],
  ['{"program":"/bin/x","variables":"SECRET"}', UNKNOWN],
  ['{"program":"/bin/x","variables":["SECRET"]}', UNKNOWN],
  ['{"program":"/bin/x","variables":{"SECRET":7}}', UNKNOWN],
  [`{"program":"${'x'.repeat(3 * 1024 * 1024)}"}`, 'The request is larger than 1 MiB.'],
])('anything else (%.20s) is refused with the one request that there is, and asks for nothing', async (sent, wrong) => {
  const path = newPath();
  const { requests } = await open(path, 'done');
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, 'connect');
  socket.end(sent);
  const { ok, message } = JSON.parse(await text(socket));
  expect(ok).toBe(false);
  expect(message).toContain(wrong);
  expect(message).toContain('There is one request, to reload: {"program": "<path>"');
  expect(message).not.toContain('SECRET');
  expect(requests).toEqual([]);
});
