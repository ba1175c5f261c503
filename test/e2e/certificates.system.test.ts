import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ShownCertificate } from '../../server/src/cli/output/show-certificate.ts';
import { lifetimeWindow } from '../../server/src/domain/certificate-state.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { type Database, databaseAt, keyringFor } from '../../server/src/store/database.ts';
import { addKey } from '../../server/src/store/sealing/key-file.ts';
import { createKey, keyIdOf, parseKeys } from '../../server/src/store/sealing/keyring.ts';
import { missingKeys } from '../../server/src/store/sealing/rotation.ts';
import type { Store } from '../../server/src/store/store.ts';
import { aCaAccount, servedCertificate } from '../support/certificates.ts';
import { run, runJson, temporaryDirectory } from '../support/command.ts';
import { attach, type Planted, plant, verifiedAt } from '../support/entities.ts';
import { issueChain, keyPem, newKey } from '../support/issue-chain.ts';
import { addWebhook, aWebhookSecret } from '../support/webhooks.ts';

// Certificates and sealing from the command line, beside a program that uses the store.

let directory: ReturnType<typeof temporaryDirectory>;
let database: Database;
let store: Store;
let there: Planted;
let data: string[];

const open = async () => {
  database = await databaseAt({ engine: 'sqlite', path: `${directory.path}/nameplate.db` });
  store = await database.open({ keyring: keyringFor(database) });
};

async function begin(): Promise<void> {
  directory = temporaryDirectory();
  data = ['--data', directory.path];
  await open();
  there = await plant(store);
}

async function end(): Promise<void> {
  await store.close();
  directory.remove();
}

/** A verified domain, so that a certificate is wanted for it. */
async function wanted(name: string): Promise<Domain> {
  const now = Date.now();
  const before = await attach(store, there.environment, { name, createdAt: now, windowStartedAt: now });
  const memory = NO_MEMORY;
  await store.saveTransition({ before, after: verifiedAt(before, now), memory, now });
  return before;
}

/** Writes a file for the test, and returns its path. */
function file(name: string, text: string): string {
  const path = `${directory.path}/${name}`;
  writeFileSync(path, text);
  return path;
}

/** Imports a certificate that was issued elsewhere. */
async function imported(name: string) {
  const issued = issueChain(name);
  const chain = file(`${name}.chain`, issued.leaf + issued.intermediate);
  const key = file(`${name}.key`, keyPem(issued.key));
  const made = await run(['certificates', 'import', name, '--chain', chain, '--key', key, ...data]);
  return { ...issued, ...made };
}

describe('certificates', () => {
  beforeAll(begin);
  afterAll(end);

  test('are listed by name, or only those of one state, with their blockers', async () => {
    expect(await run(['certificates', 'list', ...data])).toMatchObject({ stdout: 'No certificates found.\n' });
    await wanted('b.example.com');
    await wanted('a.example.com');
    const now = Date.now();
    const [due] = await store.claimCertificates({ now, limit: 1, leaseMs: 60_000, newNames: true });
    if (due === undefined) throw new Error('two are due');
    const { hostname } = due.certificate;
    const problem = { reason: 'no_address', message: 'It has no address.', at: now } as const;
    const later = { nextTryAt: now + 3_600_000, failures: 1, selfCheck: null, now };
    await store.saveCertificate({ hostname, lease: due.lease, state: 'waiting_for_routing', problem, ...later });

    const all = await runJson<ShownCertificate[]>(['certificates', 'list', ...data]);
    expect(all.map(({ domain }) => domain)).toEqual(['a.example.com', 'b.example.com']);
    const waiting = ['certificates', 'list', '--state', 'waiting_for_routing', ...data];
    expect(await runJson(waiting)).toEqual([expect.objectContaining({ domain: hostname, problem, failures: 1 })]);
    const { stdout } = await run(waiting);
    expect(stdout).toMatch(new RegExp(`^ +${hostname} +waiting_for_routing .* no_address$`, 'm'));
    expect((await run(['certificates', 'show', hostname, ...data])).stdout).toContain('It has no address.');
  });

  test('are imported after a look at them, and then served, sealed in the store, and shown as the API shows them', async () => {
    const { id } = await wanted('shop.example.com');
    const { code, stdout, stderr, key, leaf, notAfter } = await imported('shop.example.com');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/in use for shop\.example\.com.*expires in (89 d 23|90 d 0) h/);
    const served = await servedCertificate(store, 'shop.example.com');
    expect(served?.chain.startsWith(leaf)).toBe(true);
    const der = key.export({ type: 'pkcs8', format: 'der' });
    expect(served && Buffer.from(served.privateKey).equals(der)).toBe(true);
    const body = der.subarray(-40);
    for (const name of ['nameplate.db', 'nameplate.db-wal'])
      expect(readFileSync(`${directory.path}/${name}`).includes(body)).toBe(false);

    const shown = await runJson<ShownCertificate>(['certificates', 'show', 'SHOP.example.com', ...data]);
    expect(shown).toMatchObject({ domainId: id, domain: 'shop.example.com', state: 'issued' });
    expect(shown.issued).toMatchObject({ issuer: 'imported', notAfter: notAfter - (notAfter % 1000) });
    const words = await run(['certificates', 'show', 'shop.example.com', ...data]);
    expect(words.stdout).toContain(shown.issued?.fingerprint);
    for (const output of [stdout, JSON.stringify(shown), words.stdout]) {
      expect(output).not.toContain(der.toString('base64').slice(-40));
      expect(output).not.toContain('PRIVATE');
    }
  });

  test('that cannot be served are rejected with all problems, and nothing is changed', async () => {
    await wanted('wrong.example.com');
    const { leaf, intermediate } = issueChain('other.example.com');
    const files = ['--chain', file('wrong.chain', leaf + intermediate), '--key', file('wrong.key', keyPem(newKey()))];
    const refused = await run(['certificates', 'import', 'wrong.example.com', ...files, ...data]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /nothing was changed:\n.*does not belong to any.*\n.*for "other\.example\.com", not for wrong/,
    );
    expect(await servedCertificate(store, 'wrong.example.com')).toBeNull();
    const missing = ['--chain', `${directory.path}/none`, '--key', `${directory.path}/none`];
    expect(await run(['certificates', 'import', 'wrong.example.com', ...missing, ...data])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Cannot read .*none: /),
    });
  });

  test('that wait for a CA which refuses the account are shown with the reason and its time, until the CA is resumed', async () => {
    const { name } = await wanted('held.example.com');
    const at = Date.now() - 60_000;
    const problem = { reason: 'ca_account', message: 'ca.test answered: "blocked".', at } as const;
    const issuer = 'https://ca.test/directory';
    const pausedUntil = at + 3_600_000;
    await store.createCaAccount(aCaAccount({ issuer, pausedUntil, problem }));
    const said =
      /ca\.test has refused our account since 20.*: ca\.test answered: "blocked"\.\nNothing is ordered there until .*"nameplate certificates resume"/;
    const [shown, renewed] = [
      await run(['certificates', 'show', name, ...data]),
      await run(['certificates', 'renew', name, ...data]),
    ];
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(said) });
    expect(renewed).toMatchObject({ code: 3, stdout: expect.stringMatching(said) });
    expect(renewed.stdout).not.toContain('starts within a second');
    expect(await runJson(['certificates', 'show', name, ...data])).toMatchObject({
      heldCas: [{ issuer, pausedUntil, problem }],
    });

    expect((await run(['certificates', 'resume', ...data])).stdout).toBe('Ordering at ca.test again.\n');
    expect((await run(['certificates', 'resume', ...data])).stdout).toContain('nothing was changed');
    const again = await run(['certificates', 'renew', name, ...data]);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('starts within a second') });
    expect((await run(['certificates', 'show', name, ...data])).stdout).not.toContain('refused');
    const entries = await runJson<{ entries: object[] }>(['audit', '--action', 'certificates resume', ...data]);
    expect(entries.entries).toMatchObject([{ target: issuer }]);
  });

  test('are renewed at once on demand, unless one is already being processed', async () => {
    await wanted('renew.example.com');
    await imported('renew.example.com');
    const claim = () => store.claimCertificates({ now: Date.now(), limit: 100, leaseMs: 600_000, newNames: false });
    const before = await store.findCertificate('renew.example.com');
    expect(before?.issued?.renewal.renewAt).toBeGreaterThan(Date.now());
    expect(await runJson(['certificates', 'renew', 'renew.example.com', ...data])).toEqual({
      name: 'renew.example.com',
      renewal: 'accepted',
    });
    const due = (await claim()).find(({ certificate }) => certificate.hostname === 'renew.example.com');
    expect(due?.certificate.issued?.renewal.renewAt).toBeLessThanOrEqual(Date.now());
    const again = await run(['certificates', 'renew', 'renew.example.com', ...data]);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/renew\.example\.com is already being processed/),
    });
  });

  test('of names without a domain do not exist, and an invalid name is bad usage', async () => {
    const chain = file('x.chain', issueChain('none.example.com').leaf);
    for (const args of [
      ['show', 'none.example.com'],
      ['renew', 'none.example.com'],
    ]) {
      expect(await run(['certificates', ...args, ...data])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/no certificate for none\.example\.com.*certificates list/),
      });
    }
    expect(await run(['certificates', 'show', 'no name', ...data])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['certificates', 'import', 'x.example.com', '--chain', chain, ...data])).toMatchObject({
      code: 2,
    });
  });
});

describe('sealing', () => {
  beforeEach(begin);
  afterEach(end);

  const keyIds = async () => (await store.listSecretPrefixes()).map(keyIdOf);
  const keysIn = () => parseKeys(readFileSync(`${directory.path}/encryption.key`, 'utf8'), 'the file');

  async function withSecrets(): Promise<Map<string, string>> {
    const digests = new Map<string, string>();
    for (const name of ['one.example.com', 'two.example.com', 'three.example.com']) {
      await wanted(name);
      const now = Date.now();
      const { leaf: chain, key, notBefore, notAfter } = issueChain(name);
      const privateKey = key.export({ type: 'pkcs8', format: 'der' });
      const renewal = lifetimeWindow({ notBefore, notAfter }, now, 0, false);
      const issued = { issuer: 'imported', chain, notBefore, notAfter, issuedAt: now, renewal, privateKey };
      await store.importCertificate(name, issued, now);
      digests.set(name, digestOf(privateKey));
    }
    return digests;
  }

  async function expectOpen(digests: Map<string, string>, from: Store): Promise<void> {
    for (const [name, digest] of digests) {
      const served = await servedCertificate(from, name);
      expect(served && digestOf(served.privateKey)).toBe(digest);
    }
  }

  test('rotate makes a new key in the key file, seals everything under it, and keeps the old one for backups', async () => {
    const digests = await withSecrets();
    const before = keysIn();
    const [older] = await keyIds();
    const { code, stdout, stderr } = await run(['sealing', 'rotate', ...data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Added a new first key to .*\nEncrypted 3 secrets of /);
    expect(stderr).toContain('Encrypting secrets');
    expect(keysIn().slice(1)).toEqual(before);
    expect(statSync(`${directory.path}/encryption.key`).mode & 0o777).toBe(0o600);
    expect(await keyIds()).toEqual([expect.not.stringContaining(String(older))]);
    await expectOpen(digests, store);
    for (const key of keysIn()) expect(stdout + stderr).not.toContain(Buffer.from(key).toString('base64'));
  });

  test('rotate goes on where one ended that was interrupted, under the key that was made for it', async () => {
    const digests = await withSecrets();
    addKey(`${directory.path}/encryption.key`);
    const keys = keysIn();
    expect(await runJson(['sealing', 'rotate', ...data])).toMatchObject({ sealed: 3, madeKey: false });
    expect(keysIn()).toEqual(keys);
    expect(await keyIds()).toHaveLength(1);
    await expectOpen(digests, store);
    expect(await runJson(['sealing', 'rotate', ...data])).toMatchObject({ sealed: 3, madeKey: true });
    expect(keysIn().slice(1)).toEqual(keys);
  });

  test('rotate seals under the first key of the variable, where that is set, and says how several nodes change to another', async () => {
    const digests = await withSecrets();
    const [fileKey = new Uint8Array()] = keysIn();
    const first = createKey();
    const { stdout: printed } = await run(['sealing', 'key']);
    expect(parseKeys(printed, 'what was printed')).toHaveLength(1);

    const env = { NAMEPLATE_ENCRYPTION_KEY: `${first},${Buffer.from(fileKey).toString('base64')}` };
    expect(await runJson(['sealing', 'rotate', ...data], { env })).toMatchObject({
      sealed: 3,
      keys: 'NAMEPLATE_ENCRYPTION_KEY',
      madeKey: false,
    });
    const keyring = keyringFor(database, parseKeys(first, 'the test'));
    const other = await database.open({ keyring });
    await expectOpen(digests, other);
    await other.close();
    const alone = await run(['sealing', 'rotate', ...data], { env: { NAMEPLATE_ENCRYPTION_KEY: first } });
    expect(alone).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Encrypted 0 secrets[\s\S]*on every node[\s\S]*=OLD,NEW/),
    });
  });

  test('forget lists the secrets that are lost with a key, and deletes them once the key is named: every certificate is wanted, and webhooks take new secrets', async () => {
    await withSecrets();
    const webhook = await addWebhook(store, { workspaceId: there.workspace.id });
    const [keyId = ''] = (await keyIds()).map(String);
    expect(await runJson(['sealing', 'forget', ...data])).toEqual([]);
    const early = await run(['sealing', 'forget', keyId, ...data]);
    expect(early).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('nothing was deleted') });
    rmSync(`${directory.path}/encryption.key`);
    const { stdout } = await run(['sealing', 'forget', ...data]);
    for (const said of [`lacks the key ${keyId}`, '3 certificates: each is ordered again', `sealing forget ${keyId} `])
      expect(stdout).toContain(said);
    expect(await keyIds()).toEqual([keyId]);
    const secrets = { certificate: 3, webhook_secret: 1 };
    expect(await runJson(['sealing', 'forget', keyId, ...data])).toEqual({ keyId, secrets });
    expect(await missingKeys(store, keyringFor(database))).toEqual([]);
    const claim = { now: Date.now(), limit: 10, leaseMs: 1000, newNames: true };
    const due = await store.claimCertificates(claim);
    expect(due.map(({ certificate: { state, issued } }) => ({ state, issued }))).toEqual(
      Array.from({ length: 3 }, () => ({ state: 'wanted', issued: null })),
    );
    // A server that runs makes no key in the place of one that was there; one that starts does.
    const started = await database.open({ keyring: keyringFor(database) });
    const rotated = await started.rotateWebhookSecret(webhook.workspaceId, webhook.id, aWebhookSecret(), claim.now);
    expect(rotated).toBe('rotated');
    await started.close();
  });

  test('rotate makes no key in the place of one that is lost', async () => {
    await withSecrets();
    const [id] = await keyIds();
    rmSync(`${directory.path}/encryption.key`);
    const { code, stderr } = await run(['sealing', 'rotate', ...data]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`under the key ${id}`) });
    expect(existsSync(`${directory.path}/encryption.key`)).toBe(false);
  });

  test('rotate names the missing key, and loses nothing', async () => {
    const digests = await withSecrets();
    const [id] = await keyIds();
    const { code, stderr } = await run(['sealing', 'rotate', ...data], {
      env: { NAMEPLATE_ENCRYPTION_KEY: createKey() },
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`under the key ${id}`) });
    await expectOpen(digests, store);
  });
});

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
