import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import { newPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { type Database, databaseAt, keyringFor } from '../../server/src/store/database.ts';
import type { Store } from '../../server/src/store/store.ts';
import { type Site, startSite } from '../certificates/site.ts';
import { run, runJson, start, temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { unique } from '../support/entities.ts';
import { type FakeCa, startFakeCa } from '../support/fake-ca/fake-ca.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';

// `certificates account rotate-key` against a real CA, and against one that lets it be killed at the worst moment.

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const env = { NAMEPLATE_ACME_CA_FILE: `${directory.path}/roots.pem` };
const answers = new Map<string, string>();
let store: Store;
let site: Site;
let pebble: Pebble;
let fake: FakeCa;

beforeAll(async () => {
  const database: Database = await databaseAt({ engine: 'sqlite', path: `${directory.path}/nameplate.db` });
  store = await database.open({ keyring: keyringFor(database) });
  site = await startSite();
  pebble = await startPebble({ dns: site.dns, httpPort: site.port, env: { PEBBLE_VA_NOSLEEP: '1' } });
  const fetchChallenge = async (hostname: string, token: string) => answers.get(`${hostname} ${token}`) ?? '';
  fake = await startFakeCa({ clock: systemClock, limits: [], fetchChallenge });
  writeFileSync(env.NAMEPLATE_ACME_CA_FILE, pebble.trustRoots);
}, START_LIMIT_MS);
afterAll(async () => {
  await fake.close();
  await pebble.close();
  await site.close();
  await store.close();
  directory.remove();
});

/** A server that runs all the time. */
function server({ directoryUrl }: { directoryUrl: string }): () => Promise<string> {
  const about = { email: null, externalAccount: null, trustRoots: pebble.trustRoots, clock: systemClock, pollMs: 50 };
  const ca = acmeIssuer({ ...about, directoryUrl, store, log: createLog('silent') });
  return async () => {
    const hostname = `${unique('shop')}.example.com`;
    site.add(hostname);
    const { chain } = await ca.issue({
      hostname,
      privateKey: newPrivateKey(),
      orderUrl: null,
      replaces: null,
      challenge: 'http-01',
      signal: new AbortController().signal,
      onOrder: async () => {},
      async present({ token, keyAuthorization }) {
        site.present(hostname, token, keyAuthorization);
        answers.set(`${hostname} ${token}`, keyAuthorization);
      },
      ensureLease: async () => {},
    });
    return chain;
  };
}

const keyOf = async ({ directoryUrl }: { directoryUrl: string }) =>
  Buffer.from((await store.findCaAccount(directoryUrl))?.privateKey ?? []).toString('hex');

test('the key at a real CA is replaced while a server runs, which uses the new one at once; the audit log has it', async () => {
  const issue = server(pebble);
  await issue();
  const [account, key] = [await store.findCaAccount(pebble.directoryUrl), await keyOf(pebble)];
  const host = new URL(pebble.directoryUrl).host;
  const done = await run(['certificates', 'account', 'rotate-key', host, ...data], { env });
  expect(done).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`at ${host} has a new key`) });
  expect(await keyOf(pebble)).not.toBe(key);
  expect(await issue()).toContain('BEGIN CERTIFICATE');
  expect(await store.findCaAccount(pebble.directoryUrl)).toMatchObject({ url: account?.url });
  const { entries } = await runJson<{ entries: object[] }>(['audit', '--target', pebble.directoryUrl, ...data]);
  expect(entries).toMatchObject([{ action: 'certificates account rotate-key', kind: 'command' }]);
  expect(JSON.stringify(entries)).not.toContain('privateKey');
});

test('the command that is killed between the answer of the CA and the store leaves an account that servers use', async () => {
  const issue = server(fake);
  await issue();
  const key = await keyOf(fake);
  const end = fake.fault({ at: ['keyChange'], afterwards: true, answer: 'hang' });
  const command = start(['certificates', 'account', 'rotate-key', fake.directoryUrl, ...data], { env });
  await expect.poll(() => fake.requests.keyChange, { timeout: 30_000 }).toBe(1);
  command.child.kill('SIGKILL');
  await command.ended;
  end();
  expect(await keyOf(fake)).toBe(key);
  await expect.poll(() => issue().then(() => keyOf(fake)), { timeout: 30_000 }).not.toBe(key);
  expect(fake.accounts()).toHaveLength(1);
  const after = await keyOf(fake);
  expect(await run(['certificates', 'account', 'rotate-key', ...data], { env })).toMatchObject({ code: 0 });
  expect(await keyOf(fake)).not.toBe(after);
  expect(await issue()).toContain('BEGIN CERTIFICATE');
});

test('a CA without an account is named as such', async () => {
  const { code, stderr } = await run(['certificates', 'account', 'rotate-key', 'ca.example', ...data], { env });
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no account at ca\.example.*accounts at: /),
  });
});
