import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { CLONE, run, runJson, startCommand, startPlayground, temporaryDirectory } from '../support/command.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { CLOUDFLARE_TOKEN, customHostname, startCloudflare, ZONE } from '../support/vendors/cloudflare.ts';
import { projectDomain, startVercel, VERCEL_TOKEN } from '../support/vendors/vercel.ts';

const CADDY = '/var/lib/caddy/.local/share/caddy';
/** Commands that show the names until they are served: they have tests of their own. */
const NOT_TYPED = /^nameplate move (status|watch)$/;

const closing = closingAfterEach();
const directory = temporaryDirectory();
const data = ['--data', join(directory.path, 'data')];
let playground: Awaited<ReturnType<typeof startPlayground>>;
let workspaceId: string;

beforeAll(async () => {
  playground = await startPlayground(data[1] ?? '', ['--check-interval', '60']);
  await runJson(['projects', 'create', 'shop', ...data]);
  await runJson(['apps', 'create', 'storefront', '--project', 'shop', ...data]);
  await runJson(['environments', 'create', 'production', '--project', 'shop', '--app', 'storefront', ...data]);
  const [{ id = '' } = {}] = await runJson<{ id: string }[]>(['workspaces', 'list', ...data]);
  workspaceId = id;
});
afterAll(async () => {
  await playground?.stop();
  directory.remove();
});

/** Types the commands of a page as they are printed, on a machine where the program reads from this address. */
async function typePage(page: string, { fromUrl = '', token = '' } = {}): Promise<string[]> {
  const bin = join(directory.path, 'bin');
  mkdirSync(bin, { recursive: true });
  const reads = `case "$*" in "move from vercel"*|"move from cloudflare"*) set -- "$@" --from-url ${fromUrl};; esac`;
  const program = `#!/bin/sh\n${reads}\ncase $1 in targets|move) set -- "$@" --data ${data[1]};; esac\nexec ${CLONE}bin/nameplate "$@"\n`;
  writeFileSync(join(bin, 'nameplate'), program);
  chmodSync(join(bin, 'nameplate'), 0o755);
  const text = readFileSync(join(CLONE, 'docs/guides', page), 'utf8').replaceAll(CADDY, join(directory.path, 'caddy'));
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block.trim());
  const commands = blocks.filter((block) => !NOT_TYPED.test(block));
  expect(blocks.length - commands.length).toBe(2);
  const said: string[] = [];
  for (const command of commands) {
    const env = { PATH: `${bin}:${process.env.PATH}`, WORKSPACE_ID: workspaceId, NAMEPLATE_MOVE_TOKEN: token };
    const ended = await startCommand('sh', ['-ec', `cd ${directory.path}\n${command}`], { env }).ended;
    expect({ command, code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 0 });
    said.push(ended.stdout);
  }
  return said;
}

async function target(name: string): Promise<string> {
  const { stdout } = await run(['domains', 'get', name, '--json', ...data]);
  return JSON.parse(stdout).dnsRecords[0].value;
}

describe('the commands of the guide, typed in order as printed, move the names with their shared target:', () => {
  test('docs/guides/move-from-cloudflare.md', async () => {
    const hostnames = [1, 2].map((at) => customHostname(at, { hostname: `c${at}.example.com` }));
    const { url } = await startCloudflare(closing, hostnames);
    const [, tried, moved] = await typePage('move-from-cloudflare.md', { fromUrl: url, token: CLOUDFLARE_TOKEN });
    expect(tried).toContain(`${ZONE}: 2 would be added`);
    expect(moved).toContain(`${ZONE}: 2 added, 0 already there`);
    expect(await target('c1.example.com')).toBe('customers.example.net');
  });

  test('docs/guides/move-from-vercel.md', async () => {
    const domains = [projectDomain(1, { name: 'v1.example.com' }), projectDomain(2, { name: 'x.vercel.app' })];
    const { url } = await startVercel(closing, domains, { project: 'storefront', team: 'team_1a2b3c' });
    const [, tried, moved] = await typePage('move-from-vercel.md', { fromUrl: url, token: VERCEL_TOKEN });
    expect(tried).toContain('1 would be added, 0 already there, 0 refused, 1 left out');
    expect(moved).toContain('storefront: 1 added');
    expect(await target('v1.example.com')).toBe('customers.example.net');
  });

  test('docs/guides/move-from-caddy.md', async () => {
    const folder = join(directory.path, 'caddy/certificates/acme-v02.api.letsencrypt.org-directory/k1.example.com');
    mkdirSync(folder, { recursive: true });
    const { leaf, intermediate, key } = issueChain('k1.example.com');
    writeFileSync(join(folder, 'k1.example.com.crt'), leaf + intermediate);
    writeFileSync(join(folder, 'k1.example.com.key'), keyPem(key));
    const [, tried, moved] = await typePage('move-from-caddy.md');
    expect(tried).toContain('Certificates: 1 would be uploaded');
    expect(moved).toContain('Certificates: 1 uploaded');
    expect(await target('k1.example.com')).toBe('customers.example.net');
  });

  test('docs/guides/move-from-csv.md, whose file is as printed', async () => {
    const page = readFileSync(join(CLONE, 'docs/guides/move-from-csv.md'), 'utf8');
    const [, file = ''] = /^```csv\n([\s\S]*?)^```/m.exec(page) ?? [];
    writeFileSync(join(directory.path, 'names.csv'), file);
    mkdirSync(join(directory.path, 'pem'), { recursive: true });
    const { leaf, intermediate, key } = issueChain('shop.customer.example');
    writeFileSync(join(directory.path, 'pem/shop.crt'), leaf + intermediate);
    writeFileSync(join(directory.path, 'pem/shop.key'), keyPem(key));
    const [, tried, moved] = await typePage('move-from-csv.md');
    expect(tried).toContain('Certificates: 1 would be uploaded');
    expect(moved).toContain('names.csv: 2 added');
    expect(moved).toContain('Certificates: 1 uploaded');
    expect(await target('www.customer.example')).toBe('customers.example.net');
  });
});
