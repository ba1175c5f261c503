import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addKey, keyFile } from './key-file.ts';
import { createKey, createKeyring, SealingError } from './keyring.ts';

let directory: string;
let path: string;
const place = { kind: 'account', id: 'internal' } as const;
const secret = new Uint8Array([1, 2, 3]);
const lines = () => readFileSync(path, 'utf8').split('\n');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'nameplate-keyfile-'));
  path = join(directory, 'encryption.key');
});
afterEach(() => rmSync(directory, { recursive: true }));

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SealingError);
    expect((error as Error).message).toContain(path);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

describe('a key file', () => {
  it('is created when the first secret is sealed, readable by its owner alone, and nothing is left beside it', () => {
    const keyring = createKeyring(keyFile(path));
    const sealed = createKeyring({ name: 'another', keys: () => [Buffer.alloc(32, 'x')] }).seal(secret, place);
    expect(() => keyring.unseal(sealed, place)).toThrow(`which ${path} does not have`);
    expect(readdirSync(directory)).toEqual([]);
    expect(keyring.unseal(keyring.seal(secret, place), place)).toEqual(secret);
    expect(readdirSync(directory)).toEqual(['encryption.key']);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
    expect(lines()).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/), '']);
  });

  it('that is gone is not created again: nothing is sealed until it is back, and known secrets can be unsealed', () => {
    const keyring = createKeyring(keyFile(path));
    const sealed = keyring.seal(secret, place);
    const later = createKeyring(keyFile(path));
    const [key] = lines();
    rmSync(path);
    for (const running of [keyring, later]) {
      expect(refusal(() => running.seal(secret, place))).toMatch(/is gone: restore the file from your copy/);
    }
    const other = createKeyring({ name: 'another', keys: () => [Buffer.alloc(32, 'x')] }).seal(secret, place);
    expect(refusal(() => keyring.unseal(other, place))).toContain(`which ${path} does not have`);
    expect(keyring.unseal(sealed, place)).toEqual(secret);
    expect(readdirSync(directory)).toEqual([]);
    writeFileSync(path, `${key}\n`, { mode: 0o600 });
    expect(later.unseal(keyring.seal(secret, place), place)).toEqual(secret);
  });

  it('is the same for all processes that create it at once', async () => {
    const program = `import { keyFile } from ${JSON.stringify(join(import.meta.dirname, 'key-file.ts'))};
      import { createKeyring } from ${JSON.stringify(join(import.meta.dirname, 'keyring.ts'))};
      process.stdout.write(Buffer.from(createKeyring(keyFile(${JSON.stringify(path)})).prefix()).toString('hex'));`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    const said = await Promise.all(Array.from({ length: 6 }, run));
    expect(new Set(said.map(({ stdout }) => stdout)).size).toBe(1);
    expect(lines()).toHaveLength(2);
    expect(readdirSync(directory)).toEqual(['encryption.key']);
  });

  it('gets a new first key, which running servers use; what was sealed before can still be unsealed', () => {
    const running = createKeyring(keyFile(path));
    const before = running.seal(secret, place);
    addKey(path);
    const after = createKeyring(keyFile(path)).seal(secret, place);
    expect(running.unseal(after, place)).toEqual(secret);
    expect(running.unseal(before, place)).toEqual(secret);
    expect(running.seal(secret, place).subarray(0, 9)).toEqual(after.subarray(0, 9));
    expect(after.subarray(0, 9)).not.toEqual(before.subarray(0, 9));
    expect(lines()).toHaveLength(3);
    expect(readdirSync(directory)).toEqual(['encryption.key']);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  it('is created when a key is added, where there was none', () => {
    addKey(path);
    expect(lines()).toHaveLength(3);
  });

  it('gets no key while another process adds one, so that none is lost', () => {
    createKeyring(keyFile(path)).prefix();
    const before = lines();
    writeFileSync(`${path}.new`, '');
    expect(refusal(() => addKey(path))).toMatch(/another process is adding a key/);
    expect(lines()).toEqual(before);
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('');
  });

  it.each([0o640, 0o604, 0o660, 0o644])('that others may read or write is rejected (%o)', (mode) => {
    writeFileSync(path, createKey());
    chmodSync(path, mode);
    expect(refusal(() => keyFile(path).keys('unseal'))).toContain(`chmod 600 ${path}`);
  });

  it.each(['', '\n\n'])('that is empty is rejected, and left as it is (%j)', (text) => {
    writeFileSync(path, text, { mode: 0o600 });
    expect(refusal(() => createKeyring(keyFile(path)).seal(secret, place))).toMatch(/has no key: restore the file/);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('with anything else in it is rejected, without being shown', () => {
    writeFileSync(path, 'correct horse battery staple', { mode: 0o600 });
    expect(refusal(() => keyFile(path).keys('seal'))).not.toContain('horse');
  });

  it.each(['no/such/directory', 'file/encryption.key'])('cannot be created at %s: the error says so', (name) => {
    writeFileSync(join(directory, 'file'), '');
    path = join(directory, name);
    expect(refusal(() => createKeyring(keyFile(path)).seal(secret, place))).toMatch(/ENOENT|ENOTDIR/);
  });
});
