import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { caddyNames } from '../../server/src/cli/move/caddy-names.ts';
import { csvNames } from '../../server/src/cli/move/csv-names.ts';
import type { OldName } from '../../server/src/cli/move/old-name.ts';
import { closingAfterEach } from '../support/closing.ts';
import { temporaryDirectory } from '../support/command.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';

const closing = closingAfterEach();
const DAY_MS = 86_400_000;
const [FIRST, SECOND] = ['acme-v02.api.letsencrypt.org-directory', 'acme.zerossl.com-v2-dv90'];

function storage() {
  const { path, remove } = temporaryDirectory();
  closing.push(remove);
  const put = (issuer: string, name: string, files: Record<string, string>) => {
    const directory = join(path, 'certificates', issuer, name);
    mkdirSync(directory, { recursive: true });
    for (const [ending, text] of Object.entries(files)) writeFileSync(join(directory, `${name}.${ending}`), text);
    return directory;
  };
  return { path, put };
}

/** The files that certmagic writes for a name. */
function files(hostname: string, lifetimeMs = 90 * DAY_MS, now = Date.now()) {
  const { key, leaf, intermediate } = issueChain(hostname, { lifetimeMs, now });
  return { crt: leaf + intermediate, key: keyPem(key), json: JSON.stringify({ sans: [hostname] }) };
}

async function all<T>(names: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const name of names) read.push(name);
  return read;
}
const reading = async (path: string) => {
  const names = await all(caddyNames(path, Date.now()));
  return new Map(names.map((name): [string, OldName] => [name.domain, name]));
};

test('names, chains and keys are read, wildcards too, each name once with the certificate that lasts longest', async () => {
  const { path, put } = storage();
  const [short, long, wild] = [files('a.example.com', 30 * DAY_MS), files('a.example.com'), files('*.b.example.com')];
  put(FIRST, 'a.example.com', short);
  put(SECOND, 'a.example.com', long);
  put(SECOND, 'wildcard_.b.example.com', wild);
  const names = await reading(path);
  expect([...names.keys()].toSorted()).toEqual(['*.b.example.com', 'a.example.com']);
  expect(names.get('a.example.com')).toMatchObject({
    own: { metadata: { moved_from: 'caddy' } },
    certificate: { certificates: long.crt, privateKey: long.key },
    notes: [],
    problem: null,
  });
  expect(names.get('*.b.example.com')?.certificate).toEqual({ certificates: wild.crt, privateKey: wild.key });
});

test('a name whose certificate has expired is read without it', async () => {
  const { path, put } = storage();
  put(FIRST, 'old.example.com', files('old.example.com', 2 * DAY_MS, Date.now() - 5 * DAY_MS));
  put(FIRST, 'two.example.com', files('two.example.com', 2 * DAY_MS, Date.now() - 5 * DAY_MS));
  const newer = files('two.example.com');
  put(SECOND, 'two.example.com', newer);
  const names = await reading(path);
  expect(names.get('old.example.com')).toMatchObject({ problem: null, notes: [expect.stringContaining('expired')] });
  expect(names.get('old.example.com')?.certificate).toBeUndefined();
  expect(names.get('two.example.com')?.certificate?.certificates).toBe(newer.crt);
});

test('encrypted keys, alien files, links out of the directory, large files and devices are refused, with the reason', async () => {
  const { path, put } = storage();
  const outside = storage();
  const good = files('good.example.com');
  put(FIRST, 'good.example.com', good);
  const locked = good.key.replaceAll('BEGIN PRIVATE', 'BEGIN ENCRYPTED PRIVATE');
  put(FIRST, 'encrypted.example.com', { ...files('encrypted.example.com'), key: locked });
  put(FIRST, 'alien.example.com', { crt: 'GIF89a', key: good.key });
  put(FIRST, 'other.example.com', good);
  put(FIRST, 'stranger.example.com', { ...files('stranger.example.com'), key: good.key });
  put(FIRST, 'nothing.example.com', {});
  put(FIRST, 'large.example.com', { ...good, crt: good.crt + '\n'.repeat(70_000) });
  const linked = put(FIRST, 'linked.example.com', files('linked.example.com'));
  rmSync(join(linked, 'linked.example.com.key'));
  symlinkSync(outside.put(FIRST, 'x', { key: good.key }), join(linked, 'there'));
  symlinkSync(join(linked, 'there', 'x.key'), join(linked, 'linked.example.com.key'));
  symlinkSync(
    outside.put(FIRST, 'whole.example.com', files('whole.example.com')),
    join(path, 'certificates', FIRST, 'whole.example.com'),
  );
  const fifo = put(FIRST, 'fifo.example.com', { key: good.key });
  execFileSync('mkfifo', [join(fifo, 'fifo.example.com.crt')]);
  writeFileSync(join(path, 'certificates', FIRST, '.DS_Store'), 'x');

  const names = await reading(path);
  const reason = (name: string) => names.get(name)?.problem;
  expect(reason('good.example.com')).toBeNull();
  expect(reason('encrypted.example.com')).toMatch(/private key.*is encrypted|is encrypted/i);
  expect(reason('alien.example.com')).toMatch(/has no certificate in PEM/);
  expect(reason('other.example.com')).toMatch(/is for "good\.example\.com", not for other\.example\.com/);
  expect(reason('stranger.example.com')).toMatch(/does not belong to any of the certificates/);
  expect(reason('nothing.example.com')).toMatch(/^The certificate cannot be read: ENOENT/);
  expect(reason('large.example.com')).toBe('The certificate cannot be read: it is larger than 64 KiB.');
  expect(reason('linked.example.com')).toBe('The key cannot be read: it is a link to a file outside of the directory.');
  expect(reason('whole.example.com')).toBe(
    'The certificate cannot be read: it is a link to a file outside of the directory.',
  );
  expect(reason('fifo.example.com')).toBe('The certificate cannot be read: it is not a regular file.');
  expect(reason('.DS_Store')).toMatch(/cannot be read/);
  for (const { certificate, domain } of names.values())
    expect(certificate !== undefined).toBe(domain === 'good.example.com');
  for (const { problem } of names.values()) expect(problem ?? '').not.toContain('PRIVATE KEY-----');
});

test('a directory that is no storage of Caddy is refused', async () => {
  const { path } = storage();
  await expect(all(caddyNames(path, Date.now()))).rejects.toThrow(
    /^Cannot read the storage of Caddy in .*"certificates"/,
  );
  await expect(all(caddyNames(join(path, 'none'), Date.now()))).rejects.toThrow(/ENOENT/);
});

test('a CSV file names PEM files from its own directory on, and a name without a usable one is read without', async () => {
  const { path, remove } = temporaryDirectory();
  closing.push(remove);
  const good = files('a.example.com');
  writeFileSync(join(path, 'a.crt'), good.crt);
  writeFileSync(join(path, 'a.key'), good.key);
  const rows = [
    'domain,externalId,metadata,certificate,key,environment',
    'a.example.com,c1,"{""plan"":""pro""}",a.crt,a.key,live',
    'b.example.com,,,a.crt,a.key,live',
    'c.example.com,,,a.crt,,live',
    'd.example.com,,,,,live',
    'e.example.com,,7,,,live',
  ];
  writeFileSync(join(path, 'names.csv'), rows.join('\n'));
  const [a, b, c, d, e] = await all(csvNames(join(path, 'names.csv'), Date.now()));
  expect(a).toMatchObject({
    line: 2,
    own: { externalId: 'c1', metadata: { moved_from: 'csv', plan: 'pro' } },
    certificate: { certificates: good.crt, privateKey: good.key },
    path: { environment: 'live' },
  });
  expect(b).toMatchObject({ problem: null, notes: [expect.stringMatching(/^Without its certificate: .*not for b\./)] });
  expect(b?.certificate).toBeUndefined();
  expect(c?.notes).toEqual(['Without a certificate: it needs both "certificate" and "key".']);
  expect(d).toMatchObject({ notes: [], problem: null });
  expect(e?.problem).toBe('The metadata must be a JSON object of texts.');
});

test('a dangling link in place of a name is refused, not passed over', async () => {
  const { path, put } = storage();
  put(FIRST, 'a.example.com', files('a.example.com'));
  symlinkSync(join(path, 'nowhere'), join(path, 'certificates', FIRST, 'gone.example.com'));
  const names = await reading(path);
  expect(names.get('gone.example.com')?.problem).toMatch(/^The certificate cannot be read: ENOENT/);
  expect(names.get('a.example.com')?.problem).toBeNull();
});
