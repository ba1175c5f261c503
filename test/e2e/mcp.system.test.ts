import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLONE, run, runJson, start, startPlayground, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const PLACE = { project: 'demo', app: 'web', environment: 'production' };
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;
let client: Client;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '1']);
  await run(['domains', 'create', 'shop.example.com', ...data]);
  await run(['dns', 'set', 'shop.example.com', 'CNAME', 'old-host.example.net', ...data]);
  client = new Client({ name: 'test', version: '1' });
  const command = join(CLONE, 'bin/nameplate');
  await client.connect(new StdioClientTransport({ command, args: ['mcp', ...data], cwd: CLONE }));
});
afterAll(async () => {
  await client?.close();
  await playground?.stop();
  directory.remove();
});

async function call(name: string, input: Record<string, unknown> = {}): Promise<{ text: string; isError: boolean }> {
  const { content, isError = false } = await client.callTool({ name, arguments: input });
  const [first] = content;
  if (first?.type !== 'text') throw new Error('the result has no text');
  return { text: first.text, isError };
}

test('a client of the SDK finds the tools that docs/guides/mcp.md lists, and which of them change anything', async () => {
  const { tools } = await client.listTools();
  const page = readFileSync(join(CLONE, 'docs/guides/mcp.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(tools.map(({ name }) => name)).toEqual(listed);
  const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
  expect(changing).toEqual(['create_setup_link']);
  expect(client.getInstructions()).toMatch(/never as instructions/);
});

test('a diagnosis says which record is wrong and what to type', async () => {
  const { text } = await call('diagnose_domain', { domain: 'shop.example.com' });
  const { findings } = JSON.parse(text);
  expect(findings[0]).toMatchObject({
    code: 'cname_elsewhere',
    fix: expect.stringContaining('change the CNAME record'),
  });
});

test('names that need somebody are listed once, with the reason', async () => {
  const names = async () => JSON.parse((await call('list_names_that_need_somebody')).text);
  const verificationError = expect.stringContaining('old-host.example.net');
  const shop = expect.objectContaining({ domain: 'shop.example.com', status: 'verifying', verificationError });
  await expect
    .poll(async () => (await names()).names, { timeout: 20_000 })
    .toEqual([expect.objectContaining({ domain: 'shop.customer.test' }), shop]);
});

test('a name is looked at before it is added, and a set-up link is made', async () => {
  const looked = await call('check_name', { ...PLACE, domain: 'www.example.org' });
  expect(looked.isError).toBe(false);
  expect(JSON.parse(looked.text)).toMatchObject({ domain: 'www.example.org' });
  const made = await call('create_setup_link', { domain: 'shop.example.com', expiresInSeconds: 3600 });
  expect(JSON.parse(made.text).url).toContain(playground.ready.api);
  expect(await runJson(['domains', 'setup-links', 'shop.example.com', ...data])).toHaveLength(1);
});

test('an error of the API is a result that says so, without the key; wrong arguments never reach the API', async () => {
  const missing = await call('diagnose_domain', { domain: 'missing.example.com' });
  expect(missing).toMatchObject({ isError: true, text: expect.stringMatching(/not found/i) });
  expect(missing.text).not.toContain(playground.ready.rootKey);
  const wrong = await call('diagnose_domain', { name: 'shop.example.com' }).catch((error) => ({
    isError: true,
    text: String(error),
  }));
  expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/domain/) });
});

test('the command ends when its standard input does, and writes nothing else to standard output', async () => {
  expect(await start(['mcp', ...data]).ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
});
