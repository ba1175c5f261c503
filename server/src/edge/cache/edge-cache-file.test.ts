import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKey, createKeyring, parseKeys } from '../../store/sealing/keyring.ts';
import { type EdgeCacheFile, readEdgeCache, writeEdgeCache } from './edge-cache-file.ts';

const NOW = 1_800_000_000_000;
const DATABASE = 'postgres://nameplate@db.example.net:5432/nameplate';

let directory: string;
let file: EdgeCacheFile;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-edge-cache-'));
  const key = createKey();
  const keyring = createKeyring({ name: 'the keys', keys: () => parseKeys(key) });
  file = { path: join(directory, 'edge-cache'), database: DATABASE, keyring };
});
afterEach(() => rm(directory, { recursive: true }));

const entries = ['a.example.com', 'b.example.com'].map((hostname) => ({
  hostname,
  privateKey: new Uint8Array([1, 2]),
}));

function write(): Promise<number> {
  return writeEdgeCache(file, { confirmedAt: NOW, entries });
}

describe('the file of the edge cache', () => {
  it('is read as it was written, and only its owner can read it', async () => {
    const bytes = await write();
    expect(await readEdgeCache(file)).toEqual({ entries, bytes, confirmedAt: NOW });
    const { mode, size } = await stat(file.path);
    expect([mode & 0o777, size]).toEqual([0o600, bytes]);
    expect(await readdir(directory)).toEqual(['edge-cache']);
  });

  it('is empty without a file', async () => {
    expect(await readEdgeCache(file)).toBe(null);
  });

  it('is refused whole, wherever it was cut off', async () => {
    const bytes = await write();
    const whole = await readFile(file.path);
    for (let length = 0; length < bytes; length += 1) {
      await writeFile(file.path, whole);
      await truncate(file.path, length);
      await expect(readEdgeCache(file), `${length} bytes`).rejects.toThrow(/damaged/);
    }
  });

  it('is refused with any byte changed', async () => {
    const bytes = await write();
    const whole = await readFile(file.path);
    for (let at = 0; at < bytes; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file.path, changed);
      await expect(readEdgeCache(file), `byte ${at}`).rejects.toThrow(/damaged/);
    }
  });

  it('is refused when it is of another database, sealed under another key, or not sealed', async () => {
    await write();
    await expect(readEdgeCache({ ...file, database: 'sqlite:/other.db' })).rejects.toThrow(/of another database/);
    const other = createKey();
    const keyring = createKeyring({ name: 'the keys', keys: () => parseKeys(other) });
    await expect(readEdgeCache({ ...file, keyring })).rejects.toThrow(/sealed under a key that is missing/);
    // It begins as a private key in plaintext does, which the keyring would take.
    await writeFile(file.path, Buffer.concat([Buffer.of(0, 0, 0, 2, 0x30), serialize('').subarray(0, 1)]), {
      mode: 0o600,
    });
    await expect(readEdgeCache(file)).rejects.toThrow(/damaged/);
  });

  it('is refused when others may read or change it', async () => {
    await write();
    for (const mode of [0o640, 0o602]) {
      await chmod(file.path, mode);
      await expect(readEdgeCache(file)).rejects.toThrow(/chmod 600/);
    }
  });

  it('is refused when it is a link, no regular file, or of another user', async () => {
    await write();
    const elsewhere = `${file.path}-elsewhere`;
    await rename(file.path, elsewhere);
    await symlink(elsewhere, file.path);
    await expect(readEdgeCache(file)).rejects.toThrow(/it is a link, which is not followed/);
    await rm(file.path);
    execFileSync('mkfifo', ['-m', '600', file.path]);
    await expect(readEdgeCache(file)).rejects.toThrow(/it is not a regular file/);
    await rm(file.path);
    await rename(elsewhere, file.path);
    const stranger = vi.spyOn(process, 'geteuid').mockReturnValue(54_321);
    await expect(readEdgeCache(file)).rejects.toThrow(/it belongs to another user/);
    stranger.mockRestore();
    expect(await readEdgeCache(file)).not.toBe(null);
  });

  it('is replaced atomically: a failed write leaves the old one, and the remains of a killed process block no write', async () => {
    await write();
    const before = await readFile(file.path);
    const failing = [...entries, () => 'which cannot be written'];
    await expect(writeEdgeCache(file, { confirmedAt: NOW, entries: failing })).rejects.toThrow(/could not be cloned/);
    expect(await readFile(file.path)).toEqual(before);
    await write();
    expect(await readdir(directory)).toEqual(['edge-cache']);
  });
});
