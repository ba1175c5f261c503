import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runJson, start, startPlayground, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const file = (name: string) => `${directory.path}/${name}`;
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '60']);
  await run(['domains', 'delete', 'shop.customer.test', ...data]);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

const names = Array.from({ length: 250 }, (_, i) => `shop${String(i).padStart(3, '0')}.example.com`);

test('a file is tried, imported, imported again, and exported', async () => {
  const refused = ['https://x.example.com', 'x.localhost', names[7]];
  writeFileSync(file('names.csv'), ['domain', ...names, ...refused, ''].join('\n'));
  const report = file('names.report.csv');

  const dry = await run(['domains', 'import', file('names.csv'), '--dry-run', ...data]);
  expect(dry).toMatchObject({ code: 3, stderr: expect.stringContaining('Checking: 90 %') });
  expect(dry.stdout).toContain('names.csv: 250 would be added, 0 already there, 3 refused.');
  expect(dry.stdout).toMatch(/ 252 {3}https:\/\/x\.example\.com {2}must be a name without a scheme/);
  expect(existsSync(report)).toBe(false);
  const trial = await run(['domains', 'import', file('names.csv'), '--dry-run', '--json', ...data]);
  expect(JSON.parse(trial.stdout)).toMatchObject({ new: 250, refused: 3, refusals: [{ line: 252 }, {}, {}] });
  expect(await runJson(['domains', 'export', ...data])).toEqual([]);

  const imported = await run(['domains', 'import', file('names.csv'), '--json', ...data]);
  expect(imported.code).toBe(3);
  expect(JSON.parse(imported.stdout)).toEqual({ created: 250, existing: 0, refused: 3, report });
  expect(readFileSync(report, 'utf8').split('\n')).toEqual([
    'line,domain,status,reason',
    expect.stringMatching(/^252,https:\/\/x\.example\.com,400,.*use ""x\.example\.com""/),
    expect.stringMatching(/^253,x\.localhost,403,"The domain must not be a special-use name/),
    '254,shop007.example.com,,The name is in line 9 already.',
    '',
  ]);

  const elsewhere = ['--report', file('again.csv')];
  const again = await run(['domains', 'import', file('names.csv'), '--json', ...elsewhere, ...data]);
  expect(JSON.parse(again.stdout)).toEqual({ created: 0, existing: 250, refused: 3, report: file('again.csv') });
  expect(readFileSync(file('again.csv'), 'utf8')).toBe(readFileSync(report, 'utf8'));

  expect(await run(['domains', 'export', '--output', file('all.csv'), ...data])).toMatchObject({ code: 0, stdout: '' });
  const { stdout } = await run(['domains', 'export', ...data]);
  // They are being checked.
  const unchecked = (text: string) => text.replaceAll(',verifying,', ',pending,');
  expect(unchecked(stdout)).toBe(unchecked(readFileSync(file('all.csv'), 'utf8')));
  expect(
    stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]),
  ).toEqual(names);
  const whole = await run(['domains', 'import', file('all.csv'), '--json', ...data]);
  expect(whole.code).toBe(0);
  expect(JSON.parse(whole.stdout)).toMatchObject({ created: 0, existing: 250, refused: 0 });
});

test('an export is narrowed by status, certificate and search', async () => {
  const { stdout } = await run(['domains', 'export', '--search', 'SHOP00', ...data]);
  expect(stdout.split('\n')).toHaveLength(12);
  for (const none of [
    ['--status', 'verified'],
    ['--certificate', 'issued'],
    ['--search', 'nothing'],
  ]) {
    expect((await run(['domains', 'export', ...none, ...data])).stdout).toMatch(/^domain,project[^\n]*\n$/);
  }
  expect(await run(['domains', 'export', '--status', 'unknown', ...data])).toMatchObject({ code: 2 });
});

test('an export ends when its reader has gone', async () => {
  const { ready } = playground;
  const env = { NAMEPLATE_URL: ready.api, NAMEPLATE_ROOT_KEY: ready.rootKey };
  const program = start(['domains', 'export'], { env });
  program.child.stdout?.destroy();
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
});

test('names belong to the environment that the options or the columns name', async () => {
  for (const slug of ['staging', 'preview']) {
    await runJson(['environments', 'create', slug, ...data]);
  }
  const rows = ['domain,environment', 'one.example.org,staging', 'two.example.org,preview', 'three.example.org,none'];
  writeFileSync(file('places.csv'), `${rows.join('\n')}\n`);
  const byColumn = await run(['domains', 'import', file('places.csv'), '--json', ...data]);
  expect(JSON.parse(byColumn.stdout)).toMatchObject({ created: 2, refused: 1 });
  expect(readFileSync(file('places.report.csv'), 'utf8')).toContain('4,three.example.org,404,');
  const listed = async (environment: string) =>
    (await runJson<{ domain: string }[]>(['domains', 'list', '--environment', environment, ...data])).map(
      ({ domain }) => domain,
    );
  expect(await listed('staging')).toEqual(['one.example.org']);
  expect(await listed('preview')).toEqual(['two.example.org']);

  writeFileSync(file('places.csv'), `${rows[0]}\nfour.example.org,none\n`);
  const byOption = await run(['domains', 'import', file('places.csv'), '--environment', 'staging', '--json', ...data]);
  expect(JSON.parse(byOption.stdout)).toMatchObject({ created: 1, refused: 0 });
  expect(await listed('staging')).toEqual(['one.example.org', 'four.example.org']);
});

test('an unusable row is skipped alone, and the report of an earlier import is removed', async () => {
  const rows = [
    'domain;environment',
    'five.example.org;',
    'six.example.org;x',
    'seven.example.org;staging',
    'eight;y;z',
  ];
  writeFileSync(file('mixed.csv'), `${rows.join('\n')}\n`);
  writeFileSync(file('mixed.report.csv'), 'of an earlier import');
  const imported = await run(['domains', 'import', file('mixed.csv'), '--json', ...data]);
  expect(JSON.parse(imported.stdout)).toMatchObject({ created: 1, refused: 3 });
  expect(readFileSync(file('mixed.report.csv'), 'utf8').split('\n').slice(1)).toEqual([
    '2,five.example.org,,The row has no environment.',
    '3,six.example.org,400,The environment must have at least 3 characters.',
    '5,eight,,"The row has 3 columns, and the first line 2."',
    '',
  ]);

  const broken = [
    'domain,note',
    '"nine".example.org,x',
    'ten.example.org,"x',
    `${'x'.repeat(70_000)},x`,
    `${'x'.repeat(2000)},x`,
    'nine.example.org,x',
  ];
  writeFileSync(file('mixed.csv'), broken.join('\r\n'));
  const again = await run(['domains', 'import', file('mixed.csv'), '--json', ...data]);
  expect(again.code).toBe(3);
  expect(JSON.parse(again.stdout)).toMatchObject({ created: 1, existing: 0, refused: 4 });
  expect(readFileSync(file('mixed.report.csv'), 'utf8').split('\n').slice(1)).toEqual([
    '2,,,A cell goes on after the quotation mark at its end.',
    '3,,,A quotation mark has no end.',
    '4,,,The row is longer than 64 KiB.',
    `5,${'x'.repeat(2000)},,The name is far too long.`,
    '',
  ]);
});

test('an import that waits for the rate limit says so, and ends with Ctrl-C', async () => {
  const error = { title: 'Too Many Requests', detail: 'Later.', status: 429, type: 'too-many-requests' };
  const busy = createServer((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '3600', 'ratelimit-limit': '10' });
    response.end(JSON.stringify({ meta: { requestId: 'req_1' }, error }));
  });
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const env = { NAMEPLATE_URL: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`, NAMEPLATE_ROOT_KEY: 'np_x' };
  writeFileSync(file('waits.csv'), 'domain\na.example.net\n');
  const place = ['--project', 'shop', '--app', 'web', '--environment', 'production'];
  const waiting = start(['domains', 'import', file('waits.csv'), ...place], { env });
  await waiting.says(/Waiting 1 h 0 min for the server/);
  waiting.child.kill('SIGINT');
  expect(await waiting.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Interrupted. Run the same') });
  busy.close();
});

test('unreadable rows are reported before anything is sent', async () => {
  writeFileSync(file('bad.csv'), 'name\na.example.net\n');
  expect(await run(['domains', 'import', file('bad.csv'), ...data])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must name the columns: "domain"'),
  });
  expect(await run(['domains', 'import', file('none.csv'), ...data])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Cannot read'),
  });
  const same = await run(['domains', 'import', file('bad.csv'), '--report', file('bad.csv'), ...data]);
  expect(same).toMatchObject({ code: 2 });
  const unwritable = ['--report', file('no-directory/report.csv')];
  expect(await run(['domains', 'import', file('bad.csv'), ...unwritable, ...data])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Cannot write .*report\.csv/),
  });
  writeFileSync(file('good.csv'), 'domain\na.example.net\n');
  const { api, rootKey } = playground.ready;
  const outside = ['--url', api.replace('127.0.0.1', 'localhost'), '--key', rootKey];
  const nowhere = await run(['domains', 'import', file('good.csv'), ...outside, '--data', file('no-playground')]);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--project, --app, --environment') });
  expect(existsSync(file('good.report.csv'))).toBe(false);
});
