import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StoreUnavailable } from '../../store.ts';
import { lockRoles } from './role-lock.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-lock-'));
  path = join(directory, 'nameplate.db');
});
afterEach(() => rm(directory, { recursive: true }));

/** Another process that owns the roles, once it has said so. */
async function owner(...roles: string[]): Promise<ChildProcess> {
  const program = `
    import { lockRoles } from ${JSON.stringify(new URL('./role-lock.ts', import.meta.url).href)};
    await lockRoles(${JSON.stringify(path)}, ${JSON.stringify(roles)});
    console.log('owned');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('rejects a second owner in one line that names the first, until that one is killed', async () => {
  const first = await owner('verifier');
  const refused = await lockRoles(path, ['verifier']).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect(String(refused)).toContain(`another process (${first.pid}) already runs the verifier of ${path}`);
  expect(String(refused)).not.toContain('\n');
  await end(first);
  const release = await lockRoles(path, ['verifier']);
  release();
});

it('rejects a second owner in the same process, until the first releases it', async () => {
  const release = await lockRoles(path, ['verifier']);
  await expect(lockRoles(path, ['verifier'])).rejects.toThrow(`(${process.pid})`);
  release();
  const again = await lockRoles(path, ['verifier']);
  // Letting go twice is harmless to whoever came after.
  release();
  await expect(lockRoles(path, ['verifier'])).rejects.toThrow(StoreUnavailable);
  again();
});

it('locks none of the roles when one of them is locked', async () => {
  const first = await owner('certificates');
  await expect(lockRoles(path, ['verifier', 'certificates'])).rejects.toThrow(/certificates/);
  const release = await lockRoles(path, ['verifier']);
  release();
  await end(first);
});

it('gives a role to one of many that lock it at once', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => lockRoles(path, ['verifier'])));
  const owners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(owners).toHaveLength(1);
  for (const { value: release } of owners) release();
});
