import { readdirSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { run, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];

afterAll(() => directory.remove());

test('the demo succeeds, shows every step, and leaves no files', async () => {
  const { code, stdout, stderr } = await run(['demo', ...data]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const story = [
    'POST /v2/domains.createDomain',
    '"status": "verifying"',
    'shop.example.com.example.com. CNAME',
    '"verificationError": "',
    './bin/nameplate domains diagnose shop.example.com',
    'Problem name_doubled',
    'Fix: ',
    'The customer does what it says:',
    '"status": "verified"',
    'POST /v2/domains.getCertificate',
    '"state": "issued"',
    'GET https://shop.example.com/',
    'Hello from the playground. You requested shop.example.com.',
    'POST /v2/webhooks.createWebhook',
    'POST /v2/domains.deleteDomain',
    'webhook-signature: v1,',
    '"type": "domain.deleted"',
    'the library would say "No matching signature found"',
    '204 No Content',
    'It all worked',
  ];
  expect(story.map((part) => stdout.indexOf(part))).toEqual(
    story.map((part) => stdout.indexOf(part)).toSorted((a, b) => a - b),
  );
  for (const part of story) expect(stdout).toContain(part);
  expect(readdirSync(directory.path)).toEqual([]);
});

test('a demo that is stopped half-way fails, and leaves no files; with --json it prints only JSON', async () => {
  const demo = start(['demo', '--json', ...data]);
  await demo.says(/createDomain/);
  const { code, stdout, stderr } = await demo.stop();
  expect(code).toBe(1);
  expect(stderr).toContain('stopped by SIGTERM');
  for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  expect(readdirSync(directory.path)).toEqual([]);
});
