import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf, type Harness, startApi } from '../support/api-harness.ts';

// Runs the code that docs/guides/embed.md gives platforms for their servers, unchanged, in a project of its own that has the
// package.

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'nameplate-embed-'));
const file = join(project, 'nameplate.ts');
let api: Harness;

beforeAll(async () => {
  const [, code] =
    /^```ts\n(\/\/ nameplate\.ts\n.*?)^```/ms.exec(readFileSync(join(root, 'docs/guides/embed.md'), 'utf8')) ?? [];
  if (code === undefined) throw new Error('docs/guides/embed.md has no nameplate.ts');
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  mkdirSync(join(project, 'node_modules/@nameplate'));
  symlinkSync(join(root, 'client'), join(project, 'node_modules/@nameplate/client'));
  symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(file, code);
  api = await startApi();
});
afterAll(async () => {
  await api?.close();
  rmSync(project, { recursive: true });
});

it('the server code of docs/guides/embed.md has no type errors', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const checked = run(process.execPath, [tsc, ...options, '--skipLibCheck', file], { cwd: project });
  await expect(checked.then(({ stdout }) => stdout)).resolves.toBe('');
});

it('it makes one link a day for a domain, in whichever process, with a key that may do nothing else; its token opens a session', async () => {
  const domain = await api.createDomain(await api.createTree(), 'shop.acme.com');
  const { key } = await api.createKey({ permissions: ['environment.*.create_setup_link'] });
  const ask = "import('./nameplate.ts').then(({ setupToken }) => setupToken(process.argv[1])).then(console.log)";
  const env = { ...process.env, NAMEPLATE_URL: api.url, NAMEPLATE_ROOT_KEY: key };
  const token = async () => (await run(process.execPath, ['-e', ask, domain.id], { cwd: project, env })).stdout.trim();
  const first = await token();
  expect(await token()).toBe(first);
  expect(first).toMatch(/^nps_[\w-]+$/);
  const opened = await api.call('setup.openSession', { token: first }, { key: null });
  expect(dataOf(opened)).toMatchObject({ domain: { domain: 'shop.acme.com' } });
  const links = dataOf<unknown[]>(await api.call('domains.listSetupLinks', { domain: domain.id }));
  expect(links).toHaveLength(1);
});
