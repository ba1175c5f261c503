import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShownCertificate } from '../../server/src/cli/output/show-certificate.ts';
import { ANY_PORTS, run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const name = 'shop.example.com';
let playground: Started;

beforeAll(async () => {
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
  await run(['domains', 'create', name, ...data]);
  await run(['dns', 'publish', name, ...data]);
  await run(['domains', 'wait', name, '--certificate', ...data]);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

const certificate = (...args: string[]) => ['domains', 'certificate', name, ...args, ...data];

test('a certificate from elsewhere is uploaded, shown with the managed one behind it, and removed from the command line', async () => {
  const managed = await runJson<ShownCertificate>(certificate());
  const { leaf, intermediate, key } = issueChain(name);
  const files = ['--chain', `${directory.path}/chain.pem`, '--private-key', `${directory.path}/key.pem`];
  writeFileSync(`${directory.path}/chain.pem`, intermediate + leaf);
  writeFileSync(`${directory.path}/key.pem`, keyPem(key));
  const { stdout } = await run(certificate(...files));
  expect(stdout).toMatch(
    /Issuer +imported\n.*Fallback +internal, until .*\n(.*\n)*.*Managed one .*in place of this one/,
  );
  expect(await runJson(certificate('--remove'))).toMatchObject({
    issued: { source: 'managed', fingerprint: managed.issued?.fingerprint },
  });
  writeFileSync(`${directory.path}/chain.pem`, leaf);
  const refused = await run(certificate(...files));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/lacks the intermediate certificates/)]);
  expect((await run(certificate('--remove', ...files))).code).toBe(2);
});
