import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShownDiagnosis } from '../../server/src/cli/output/show-diagnosis.ts';
import { run, type Started, startPlayground, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', `${directory.path}/playground`];
let playground: Started;

beforeAll(async () => {
  // No check but the first, unless one is asked for.
  playground = await startPlayground(`${directory.path}/playground`, ['--check-interval', '600']);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

const nameplate = (...args: string[]) => run([...args, ...data]);
const json = async <T>(...args: string[]) => JSON.parse((await nameplate(...args, '--json')).stdout) as T;
const codes = ({ findings }: ShownDiagnosis) => findings.map(({ code }) => code);

describe('domains diagnose', () => {
  test('asks now: it shows a wrong record, exits with 3, and with 0 once that is right', async () => {
    await nameplate('domains', 'create', 'shop.example.com');
    await nameplate('dns', 'set', 'shop.example.com', 'CNAME', 'old.example.net');
    const wrong = await nameplate('domains', 'diagnose', 'shop.example.com');
    expect(wrong).toMatchObject({ code: 3, stderr: '' });
    expect(wrong.stdout).toMatch(/Problem cname_elsewhere[\s\S]*Fix: /);
    expect(wrong.stdout).toMatch(/Expected +\S+\.cname\.[\s\S]*Found +CNAME "old\.example\.net"/);

    await nameplate('dns', 'publish', 'shop.example.com');
    // Looks within 5 s share a result; another name does not.
    await nameplate('domains', 'create', 'right.example.com');
    await nameplate('dns', 'publish', 'right.example.com');
    const right = await nameplate('domains', 'diagnose', 'right.example.com');
    expect(right).toMatchObject({ code: 0, stderr: '' });
    expect(right.stdout).toMatch(/Found +as expected/);
  });

  test('--json prints the response of the API alone, with the same exit code', async () => {
    await nameplate('domains', 'create', 'json.example.com');
    await nameplate('dns', 'set', 'json.example.com', 'CNAME', 'old.example.net');
    const { code, stdout } = await nameplate('domains', 'diagnose', 'json.example.com', '--json');
    expect(code).toBe(3);
    expect(stdout.trimEnd()).not.toContain('\n');
    const diagnosis = JSON.parse(stdout) as ShownDiagnosis;
    expect(codes(diagnosis)).toContain('cname_elsewhere');
    expect(diagnosis.records[0]).toMatchObject({ seen: [{ outcome: 'other', values: ['old.example.net'] }] });
  });

  test('hostile text of a record reaches the terminal escaped', async () => {
    await nameplate('domains', 'create', 'evil.example.com');
    await nameplate('dns', 'set', '_service.evil.example.com', 'TXT', '\u001b[2Jsafe\u202e');
    const { stdout } = await nameplate('domains', 'diagnose', 'evil.example.com');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    expect(stdout).toContain('\\u{1b}[2Jsafe');
  });

  test('a name that is not there is an error, not a diagnosis', async () => {
    const missing = await nameplate('domains', 'diagnose', 'missing.example.com');
    expect(missing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Not Found') });
  });
});

describe('domains check', () => {
  test('shows the records that are in the way of a name, without adding it', async () => {
    await nameplate('dns', 'set', 'busy.example.com', 'A', '192.0.2.7');
    const { code, stdout } = await nameplate('domains', 'check', 'busy.example.com');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /busy\.example\.com can be added[\s\S]*replace\s+them[\s\S]*A +busy\.example\.com[\s\S]*192\.0\.2\.7/,
    );
    expect(await nameplate('domains', 'get', 'busy.example.com')).toMatchObject({ code: 1 });
  });

  test('exits with 3 for a name that is not valid, or that the workspace has', async () => {
    const invalid = await nameplate('domains', 'check', 'https://shop.example.com/');
    expect(invalid).toMatchObject({ code: 3, stdout: expect.stringContaining('Fix: use "shop.example.com"') });
    await nameplate('domains', 'create', 'held.example.com');
    const held = await nameplate('domains', 'check', 'held.example.com');
    expect(held).toMatchObject({ code: 3, stdout: expect.stringContaining('already') });
  });
});

describe('domains events', () => {
  test('shows what happened, the newest last, and who did it', async () => {
    await nameplate('domains', 'create', 'story.example.com');
    await nameplate('dns', 'publish', 'story.example.com');
    await nameplate('domains', 'verify', 'story.example.com');
    expect(await nameplate('domains', 'wait', 'story.example.com')).toMatchObject({ code: 0 });
    const { stdout } = await nameplate('domains', 'events', 'story.example.com');
    const types = [...stdout.matchAll(/^[-\d]+ [:\d]+ {2}(\S+)/gm)].map(([, type]) => type);
    expect(types[0]).toBe('domain.created');
    expect(types).toContain('domain.verified');
    expect(stdout).toMatch(/domain\.created by key_/);
    const newest = await json<{ type: string }[]>('domains', 'events', 'story.example.com', '--limit', '1');
    expect(newest.map(({ type }) => type)).not.toContain('domain.created');
    expect(newest).toHaveLength(1);
  });
});

test('domains wait prints what the last check found', async () => {
  await nameplate('domains', 'create', 'waits.example.com');
  await nameplate('dns', 'set', 'waits.example.com', 'CNAME', 'old.example.net');
  await nameplate('domains', 'verify', 'waits.example.com');
  const waited = await nameplate('domains', 'wait', 'waits.example.com', '--timeout', '3');
  expect(waited.code).toBe(3);
  expect(waited.stdout).toMatch(/Problem cname_elsewhere[\s\S]*Fix: /);
});
