import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANY_PORTS, run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const name = 'shop.example.com';
let playground: Started;

beforeAll(async () => {
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
  await run(['domains', 'create', name, ...data]);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

const update = async (...args: string[]) => (await run(['domains', 'update', name, ...args, ...data])).stdout;

test('settings of a domain are set, shown and removed from the command line', async () => {
  expect(await update()).toBe(`${name} has no settings of its own.\n`);
  const origin = ['--origin', 'https://own.example:8443'];
  const hsts = ['--hsts-max-age', '31536000', '--hsts-include-subdomains', '--hsts-preload'];
  expect(await update(...origin, ...hsts, '--min-tls', '1.3', '--no-https-redirect')).toBe(
    [
      `Settings of ${name}:`,
      '  origin: https://own.example:8443',
      '  HSTS: 31536000 seconds, with all names below it, preload',
      '  lowest TLS version: 1.3',
      '  HTTP: goes to the origin',
      '',
    ].join('\n'),
  );
  expect(await update('--remove', 'origin', '--remove', 'hsts', '--https-redirect')).toBe(
    `Settings of ${name}:\n  lowest TLS version: 1.3\n  HTTP: redirected to HTTPS\n`,
  );
  expect(await runJson(['domains', 'update', name, '--remove', 'min-tls', ...data])).toMatchObject({
    domain: name,
    settings: { redirectToHttps: true },
  });
  expect(await update('--remove', 'https-redirect')).toBe(`${name} has no settings of its own.\n`);
  for (const wrong of [
    ['--hsts-preload'],
    ['--hsts-max-age', '63072001'],
    ['--min-tls', '1.1'],
    ['--remove', 'everything'],
  ])
    expect(await run(['domains', 'update', name, ...wrong, ...data])).toMatchObject({ code: 2 });
});

test('both names of a site are created with one command, and the redirect between them is shown', async () => {
  const { stdout } = await run(['domains', 'create', 'pair.com', '--with-www', ...data]);
  for (const said of ['Created pair.com (dom_', '_service.www.pair.com', 'it redirects to pair.com once both are'])
    expect(stdout).toContain(said);
  const redirect = async (...args: string[]) =>
    (await run(['domains', 'redirect', 'www.pair.com', ...args, ...data])).stdout;
  expect(await redirect()).toBe('www.pair.com redirects to pair.com (308).\n');
  expect(await redirect('--remove')).toBe('www.pair.com does not redirect.\n');
  expect(await redirect()).toBe('www.pair.com does not redirect.\n');
  expect(await run(['domains', 'create', 'a.pair.com', '--with-www', ...data])).toMatchObject({ code: 1 });
});
