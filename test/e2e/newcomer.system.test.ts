import { readFileSync, statSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { ControlResults } from '../../playground/control.ts';
import { visit } from '../../playground/visit.ts';
import type { ShownDomain } from '../../server/src/cli/output/show-domain.ts';
import { ANY_PORTS, CLONE, run, runJson, type Started, start, temporaryDirectory, type } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Started | undefined;
let started = { api: '', rootKey: '', httpsPort: '' };

afterAll(async () => {
  await playground?.stop();
  directory.remove();
});

async function npmStart(): Promise<{ commands: string[]; curl: string; rootKey: string; api: string }> {
  const flags = [...ANY_PORTS, '--check-interval', '1'];
  playground = start(['dev', ...data, ...flags]);
  const [text] = await playground.says(/[\s\S]*Ctrl-C stops it.*\n/);
  const commands = [...text.matchAll(/^ +(\.\/bin\/nameplate .+)$/gm)].map(([, command = '']) => command);
  const curl = /^ +(curl .+)$/m.exec(text)?.[1] ?? '';
  const api = /http:\/\/(127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? '';
  return { commands, curl, rootKey: /np_\w+/.exec(text)?.[0] ?? '', api };
}

test('the commands that a playground prints take a domain to verified and served over HTTPS, and diagnose it', async () => {
  const { commands, curl, api, rootKey } = await npmStart();
  const printed: string[] = [];
  for (const command of commands) {
    const { code, stdout, stderr } = await type(command);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    printed.push(stdout);
  }
  const [, , waited, diagnosed, ...others] = printed;
  expect(waited).toContain('https://shop.example.com is served.');
  expect(waited).toContain(curl);
  expect(diagnosed).toContain('shop.example.com is verified, and nothing is wrong.');
  expect(others).toEqual([]);
  const [, name = '', port, address, ca = '', asked] =
    /^curl --resolve (\S+):(\d+):(\S+) --cacert (\S+) https:\/\/(\S+)\/$/.exec(curl) ?? [];
  started = { api, rootKey, httpsPort: port ?? '' };
  expect(asked).toBe(`${name}:${port}`);
  const { status, body } = await visit({ https: `${address}:${port}`, ca }, name);
  expect({ status, body }).toEqual({ status: 200, body: expect.stringContaining(`You requested ${name}`) });
  const domain = await runJson<ShownDomain>(['domains', 'get', 'shop.example.com', ...data]);
  expect(domain.status).toBe('verified');
  await playground?.says(/shop\.example\.com is verified/);
  await playground?.says(/shop\.example\.com: certificate issued/);
});

test('docs/guides/try-it.md, typed as printed, shows the error and ends with the response it prints', async () => {
  const { api, rootKey, httpsPort } = started;
  const quickStart = readFileSync(`${CLONE}/docs/guides/try-it.md`, 'utf8');
  const blocks = (language: string) =>
    [...quickStart.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
      .filter(([, of]) => of === language)
      .map(([, , text = '']) => text);
  const [, ...typed] = blocks('sh');
  const here = (text: string) =>
    text
      .replaceAll('127.0.0.1:7070', api)
      .replaceAll('7443', httpsPort)
      .replace('np_…', rootKey)
      .replace('.nameplate/', `${directory.path}/`)
      .replace(/^\.\/bin\/nameplate .*$/gm, `$& ${data.join(' ')}`)
      // It exits with 3 where something has to be fixed.
      .replace(/^\.\/bin\/nameplate domains diagnose .*$/gm, '$& || test $? = 3')
      // The next check, whenever that is, in place of a wait.
      .replace(
        'sleep 6',
        `until ./bin/nameplate domains get docs.example.com ${data.join(' ')} | grep old-host; do :; done`,
      );
  const script = typed.map(here).join('');

  const { code, stdout } = await type(`sh -ec '${script.replaceAll("'", `'\\''`)}'`);

  expect(code).toBe(0);
  expect(stdout).toContain('"name":"_service.docs.example.com"');
  expect(stdout).toMatch(
    /"verificationError":"docs\.example\.com is a CNAME to \\"old-host\.example\.net\\"\. That host does not exist\. It has to lead to /,
  );
  expect(stdout).toMatch(/Problem cname_elsewhere\n[\s\S]*Fix: /);
  for (const response of blocks('text')) expect(stdout).toContain(here(response).trim());
});

test('a second start restores keys, domains, records, faults and an origin of your own, and suggests a new name', async () => {
  await run(['dns', 'set', 'www.example.org', 'TXT', 'kept', 'kept too', ...data]);
  await run(['dns', 'fail', 'www.example.org', 'servfail', ...data]);
  const before = await runJson<ControlResults['list']>(['dns', 'list', ...data]);
  const domain = await runJson<ShownDomain>(['domains', 'get', 'shop.example.com', ...data]);
  const key = await type(`cat ${directory.path}/dev.json`);
  await run(['deployments', 'create', 'http://127.0.0.1:9', ...data]);

  expect(await playground?.stop()).toMatchObject({ code: 0 });
  const { commands, rootKey } = await npmStart();

  expect(key.stdout).toContain(rootKey);
  const deployments = await runJson<{ origin: string }[]>(['deployments', 'list', ...data]);
  expect(deployments.at(-1)?.origin).toBe('http://127.0.0.1:9');
  expect(await runJson(['dns', 'list', ...data])).toEqual(before);
  expect(before.records).toContainEqual({
    name: 'www.example.org',
    type: 'TXT',
    values: ['kept', 'kept too'],
    ttl: 60,
  });
  expect(before.faults).toEqual([{ name: 'www.example.org', fault: 'servfail', delayMs: 0 }]);
  expect(await runJson(['domains', 'get', 'shop.example.com', ...data])).toEqual(domain);
  for (const command of commands) expect(command).toContain('shop2.example.com');
});

test('files with secrets can be read only by their owner', () => {
  for (const file of ['dev.json', 'dns.json', 'nameplate.db']) {
    expect(statSync(`${directory.path}/${file}`).mode & 0o777).toBe(0o600);
  }
});
