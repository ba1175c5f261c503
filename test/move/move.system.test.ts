import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { run, runJson, startPlayground, temporaryDirectory } from '../support/command.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { CLOUDFLARE_TOKEN, customHostname, startCloudflare, ZONE } from '../support/vendors/cloudflare.ts';
import { PROJECT, projectDomain, startVercel, VERCEL_TOKEN } from '../support/vendors/vercel.ts';

const closing = closingAfterEach();
const directory = temporaryDirectory();
const data = ['--data', directory.path];
const file = (name: string) => join(directory.path, name);
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '60']);
});
afterAll(async () => {
  await playground?.stop();
  directory.remove();
});

interface Site {
  domain: { domain: string; dnsRecords: { type: string; value: string }[] };
  externalId?: string;
  metadata?: Record<string, string>;
}
const site = (domain: string) =>
  run(['domains', 'get', domain, '--json', ...data]).then(({ stdout }) => JSON.parse(stdout) as Site & Site['domain']);
const none = { uploaded: 0, existing: 0, refused: 0 };
const unset = { set: 0, refused: 0 };

test('a zone of Cloudflare is tried, moved with its metadata, and moved again without a change', async () => {
  const hostnames = Array.from({ length: 120 }, (_, at) =>
    customHostname(at, { hostname: `shop${at}.cf.example.com`, custom_metadata: { customer: `${at}` } }),
  );
  const refused = [
    customHostname(200, { hostname: '192.168.0.1' }),
    customHostname(201, { hostname: 'x.localhost' }),
    customHostname(202, { hostname: 'SHOP7.cf.example.com' }),
    customHostname(203, { hostname: '' }),
    customHostname(204, { hostname: '\u202eevil.example.com' }),
  ];
  const { url } = await startCloudflare(closing, [...hostnames, ...refused]);
  const report = file('cf.csv');
  const command = ['move', 'from', 'cloudflare', ZONE, '--from-url', url, ...data];
  const env = { NAMEPLATE_MOVE_TOKEN: CLOUDFLARE_TOKEN };

  const dry = await run([...command, '--dry-run'], { env });
  expect(dry).toMatchObject({ code: 3, stderr: expect.stringContaining('Checking') });
  expect(dry.stdout).toContain(`${ZONE}: 120 would be added, 0 already there, 5 refused, 0 left out.`);
  expect(dry.stdout).toContain('Next: the same command without --dry-run');
  expect((await run(['domains', 'get', 'shop0.cf.example.com', ...data])).code).toBe(1);

  const moved = await run([...command, '--report', report, '--json'], { env });
  expect(moved.code).toBe(3);
  const counts = { refused: 5, leftOut: 0, certificates: none, redirects: unset, report };
  expect(JSON.parse(moved.stdout)).toEqual({ created: 120, existing: 0, ...counts });
  expect(await site('shop7.cf.example.com')).toMatchObject({
    externalId: hostnames[7]?.id,
    metadata: { customer: '7', moved_from: 'cloudflare' },
  });
  const lines = readFileSync(report, 'utf8').split('\n');
  expect(lines[0]).toBe('line,domain,status,reason');
  expect(
    lines
      .slice(1, -1)
      .map((line) => line.split(',').slice(0, 2).join(' '))
      .toSorted(),
  ).toEqual([
    '121 192.168.0.1',
    '122 x.localhost',
    '123 SHOP7.cf.example.com',
    '124 ',
    '125 \\u{202e}evil.example.com',
  ]);
  expect(existsSync(`${report}.part`)).toBe(false);

  const again = await run([...command, '--report', report], { env });
  expect(again.stdout).toContain('0 added, 120 already there, 5 refused, 0 left out.');
  expect(again.stdout).toMatch(/Next: .*nameplate move status/);
  expect([dry, moved, again].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(CLOUDFLARE_TOKEN);
});

test('names have the shared target that the command names, and none is added for a target of others', async () => {
  const { workspaceId } = await ownKey();
  const { url } = await startCloudflare(closing, [customHostname(1, { hostname: 'shared.example.com' })]);
  const command = ['move', 'from', 'cloudflare', ZONE, '--from-url', url, '--report', file('target.csv'), ...data];
  const env = { NAMEPLATE_MOVE_TOKEN: CLOUDFLARE_TOKEN };
  const target = ['--target', 'customers.example.net'];
  const before = await run([...command, ...target, '--json'], { env });
  expect(JSON.parse(before.stdout)).toMatchObject({ created: 0, refused: 1, report: file('target.csv') });
  await run(['targets', 'add', 'customers.example.net', '--workspace', workspaceId, ...data]);
  const moved = await run([...command, ...target, '--json'], { env });
  expect(JSON.parse(moved.stdout)).toMatchObject({ created: 1, refused: 0 });
  // There is nothing to report.
  expect([JSON.parse(moved.stdout).report, existsSync(file('target.csv'))]).toEqual([undefined, false]);
  expect(await site('shared.example.com')).toMatchObject({ dnsRecords: [{ value: 'customers.example.net' }, {}] });
});

/** The workspace of the playground. */
async function ownKey(): Promise<{ workspaceId: string }> {
  const [{ id = '' } = {}] = await runJson<{ id: string }[]>(['workspaces', 'list', ...data]);
  return { workspaceId: id };
}

test('a project of Vercel is moved, and its redirects are set or said', async () => {
  const domains = [
    projectDomain(1, { name: 'vc.example.com' }),
    projectDomain(2, { name: 'www.vc.example.com', redirect: 'vc.example.com', redirectStatusCode: 308 }),
    projectDomain(3, { name: 'a.vc.example.com', redirect: 'b.vc.example.com', redirectStatusCode: 308 }),
    projectDomain(4, { name: 'b.vc.example.com', redirect: 'a.vc.example.com', redirectStatusCode: 308 }),
    projectDomain(5, { name: 'c.vc.example.com', redirect: 'elsewhere.example.org', redirectStatusCode: 301 }),
    projectDomain(6, { name: 'd.vc.example.com', redirect: 'vc.example.com', redirectStatusCode: 307 }),
    projectDomain(7, { name: 'vc.vercel.app' }),
  ];
  const { url } = await startVercel(closing, domains);
  const report = file('vc.csv');
  const command = ['move', 'from', 'vercel', PROJECT, '--from-url', url, '--report', report, ...data];
  const moved = await run([...command, '--json'], { env: { NAMEPLATE_MOVE_TOKEN: VERCEL_TOKEN } });
  expect(JSON.parse(moved.stdout)).toEqual({
    ...{ created: 6, existing: 0, refused: 0, leftOut: 1, certificates: none, report },
    redirects: { set: 0, refused: 5 },
  });
  const text = readFileSync(report, 'utf8');
  expect(text).toMatch(/www\.vc\.example\.com,412,.*Run the same command again then\./);
  expect(text).toMatch(/a\.vc\.example\.com,,.*It leads in a circle, back to the name\./);
  expect(text).toMatch(/c\.vc\.example\.com,404,/);
  expect(text).toMatch(/d\.vc\.example\.com,,.*Its status is 307, and redirects have 301 or 308\./);
  expect(text).toMatch(/vc\.vercel\.app,,Left out: The name is one of Vercel's own\./);
});

test('a command without a token, or with a wrong one, ends before it has changed anything', async () => {
  const { url } = await startCloudflare(closing, [customHostname(1, { hostname: 'never.example.com' })]);
  const report = file('never.csv');
  const command = ['move', 'from', 'cloudflare', ZONE, '--from-url', url, '--report', report, ...data];
  const missing = await run(command, { env: { NAMEPLATE_MOVE_TOKEN: '' } });
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('NAMEPLATE_MOVE_TOKEN is not set.') });
  const wrong = await run(command, { env: { NAMEPLATE_MOVE_TOKEN: 'wrong-token' } });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Invalid access token') });
  expect(wrong.stderr).not.toContain('wrong-token');
  expect(await run(['move', 'from', 'cloudflare', '../x', '--report', report, ...data])).toMatchObject({ code: 2 });
  expect(existsSync(report) || existsSync(`${report}.part`)).toBe(false);
});

test("names of Caddy's storage come with their certificates, which are uploaded once", async () => {
  const root = file('caddy');
  const put = (name: string, chain: string, key: string) => {
    const folder = join(root, 'certificates/acme-v02.api.letsencrypt.org-directory', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.crt`), chain);
    writeFileSync(join(folder, `${name}.key`), key);
  };
  for (const name of ['one.caddy.example.com', 'two.caddy.example.com']) {
    const { leaf, intermediate, key } = issueChain(name);
    put(name, leaf + intermediate, keyPem(key));
  }
  put('alien.caddy.example.com', 'GIF89a', '');
  const command = ['move', 'from', 'caddy', root, '--report', file('caddy.csv'), ...data];
  const dry = await run([...command, '--dry-run']);
  expect(dry.stdout).toContain('2 would be added, 0 already there, 1 refused, 0 left out.');
  expect(dry.stdout).toContain('Certificates: 2 would be uploaded');
  const moved = JSON.parse((await run([...command, '--json'])).stdout);
  expect(moved).toMatchObject({ created: 2, existing: 0, refused: 1, certificates: { uploaded: 2, refused: 0 } });
  const again = JSON.parse((await run([...command, '--json'])).stdout);
  expect(again).toMatchObject({
    ...{ created: 0, existing: 2, refused: 1 },
    certificates: { uploaded: 0, existing: 2, refused: 0 },
  });
  expect(await runJson(['domains', 'certificate', 'one.caddy.example.com', ...data])).toMatchObject({
    staged: { notAfter: expect.any(Number) },
  });
});

test('a service whose name is mistyped is no empty move', async () => {
  const status = await run(['move', 'status', '--from', 'cloudfare', ...data]);
  expect(status).toMatchObject({ code: 2, stderr: expect.stringContaining('cloudflare, vercel, caddy, csv') });
});
