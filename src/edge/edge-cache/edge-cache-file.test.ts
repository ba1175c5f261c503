import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { originLine, readEdgeCache, removeLeftovers, siteLine, writeEdgeCache } from './edge-cache-file.ts';
import type { ServedSite } from './served-sites.ts';

const NOW = 1_800_000_000_000;
const DATABASE = 'postgres://nameplate@db.example.net:5432/nameplate';

let directory: string;
let file: { path: string; database: string };
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-edge-cache-'));
  file = { path: join(directory, 'edge-cache'), database: DATABASE };
});
afterEach(() => rm(directory, { recursive: true }));

function aSite(hostname: string): ServedSite {
  const certificate = {
    chain: `leaf of ${hostname}\nabove\n`,
    privateKey: new Uint8Array([1, 2, 3]),
    notAfter: NOW,
    inherited: false,
  };
  return {
    site: {
      hostname,
      workspaceId: 'ws_1',
      suspendedStatus: null,
      domainId: 'dom_1',
      environmentId: 'env_1',
      redirect: null,
    },
    certificate,
    confirmedAt: NOW,
  };
}

const sites = ['a.example.com', 'b.example.com'].map(aSite);
const origin = { origin: { deploymentId: 'dep_1', origin: 'http://10.0.0.1' }, confirmedAt: NOW };

async function write(): Promise<number> {
  const lines = sites.map((site) => siteLine(site, NOW));
  return writeEdgeCache(file, [originLine('env_1', origin, NOW), ...lines], NOW);
}

describe('the file of the edge cache', () => {
  it('is read as it was written, and only its owner can read it', async () => {
    const bytes = await write();
    expect(await readEdgeCache(file)).toEqual({
      sites: sites.map((site) => [site.site.hostname, site]),
      origins: [['env_1', origin]],
      bytes,
      confirmedAt: NOW,
    });
    const { mode, size } = await stat(file.path);
    expect([mode & 0o777, size]).toEqual([0o600, bytes]);
    expect(await readdir(directory)).toEqual(['edge-cache']);
  });

  it('is none where there is none', async () => {
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
      await expect(readEdgeCache(file), `byte ${at}`).rejects.toThrow(/damaged|another version|another database/);
    }
  });

  it('is refused when another version, another installation or another program wrote it', async () => {
    await write();
    await expect(readEdgeCache({ ...file, database: 'sqlite:/other.db' })).rejects.toThrow(/of another database/);
    const whole = await readFile(file.path, 'utf8');
    await writeFile(file.path, whole.replace('"nameplateEdgeCache":2', '"nameplateEdgeCache":3'));
    await expect(readEdgeCache(file)).rejects.toThrow(/another version/);
    await writeFile(file.path, 'key = value\n');
    await expect(readEdgeCache(file)).rejects.toThrow(/damaged, or something else/);
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

  it('is replaced at once: a failed write leaves the old one, and nothing beside it', async () => {
    await write();
    const before = await readFile(file.path);
    function* failing() {
      yield siteLine(aSite('c.example.com'), NOW);
      throw new Error('failed');
    }
    await expect(writeEdgeCache(file, failing(), NOW)).rejects.toThrow('failed');
    expect(await readFile(file.path)).toEqual(before);
    expect(await readdir(directory)).toEqual(['edge-cache']);
  });

  it('what a killed process left behind is deleted, and what another one is writing is not', async () => {
    await write();
    for (const name of ['edge-cache.1.new', 'edge-cache.2.new', 'edge-cache.new', 'other.1.new'])
      await writeFile(join(directory, name), 'half');
    const earlier = (NOW - 3_600_000) / 1000;
    for (const name of ['edge-cache.1.new', 'edge-cache.new', 'other.1.new'])
      await utimes(join(directory, name), earlier, earlier);
    await utimes(join(directory, 'edge-cache.2.new'), NOW / 1000, NOW / 1000);
    await removeLeftovers(file.path, NOW);
    expect((await readdir(directory)).sort()).toEqual([
      'edge-cache',
      'edge-cache.2.new',
      'edge-cache.new',
      'other.1.new',
    ]);
  });
});
