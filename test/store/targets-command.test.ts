import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/command-in-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'nameplate-targets-'));
const env = {
  NO_COLOR: '1',
  NAMEPLATE_DATABASE_URL: `sqlite:${join(directory, 'nameplate.db')}`,
  NAMEPLATE_CNAME_ZONE: 'cname.platform.net',
  NAMEPLATE_CHALLENGE_ZONE: 'acme.platform.net',
  NAMEPLATE_API_HOSTNAME: 'api.platform.net',
  // The platform's own zone, in which its shared target is.
  NAMEPLATE_RESERVED_NAMES: 'platform.net',
};
const nameplate = (...args: string[]) => runInProcess(args, env);
let workspace: string;
beforeAll(async () => {
  const { stdout } = await nameplate('workspaces', 'create', 'acme', '--json');
  workspace = JSON.parse(stdout).id;
});
afterAll(() => rmSync(directory, { recursive: true }));
const add = (host: string, ...more: string[]) => nameplate('targets', 'add', host, '--workspace', workspace, ...more);

describe('nameplate targets add', () => {
  it.each([
    ['a host in the CNAME zone', 'a.cname.platform.net', []],
    ['the CNAME zone', 'cname.platform.net', []],
    ['a host in the zone for challenges', 'a.acme.platform.net', []],
    ['the name of the API', 'api.platform.net', []],
    ['a public suffix', 'co.uk', []],
    ['a wildcard', '*.platform.net', []],
    ['what is no name', 'customers', []],
    ['a host that all customers of Vercel share', 'cname.vercel-dns.com', []],
    ['a private address', 'customers.platform.net', ['10.0.0.7']],
    ['a loopback address', 'customers.platform.net', ['::1']],
    ['an address of Cloudflare', 'customers.platform.net', ['104.21.3.4']],
    ['an address of Vercel', 'customers.platform.net', ['76.76.21.21']],
    ['what is no address', 'customers.platform.net', ['example.com']],
  ])('refuses %s', async (_, host, addresses) => {
    const refused = await add(host, ...addresses.flatMap((address) => ['--address', address]));
    expect(refused.code).toBe(2);
    expect((await nameplate('targets', 'list')).stdout).toContain('No shared targets.');
  });

  it('adds, lists and removes a host with its addresses, once each and in canonical form', async () => {
    const added = await add('Customers.Platform.net', '--address', '5.9.1.7', '--address', '5.9.1.7');
    expect(added.code).toBe(0);
    const listed = await nameplate('targets', 'list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { host: 'customers.platform.net', workspaceId: workspace, addresses: ['5.9.1.7'] },
    ]);
    expect((await nameplate('targets', 'remove', 'customers.platform.net')).code).toBe(0);
    expect(await nameplate('targets', 'remove', 'customers.platform.net')).toMatchObject({ code: 1 });
  });
});
