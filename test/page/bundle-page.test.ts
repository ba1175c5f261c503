import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bundlePage } from '../../scripts/bundle-page.ts';

const root = mkdtempSync(join(tmpdir(), 'nameplate-bundle-'));
afterAll(() => rmSync(root, { recursive: true }));

// A server that runs during a build serves the files once the page is there (`server/src/api/page-files.ts`).
it.each(['nameplate-domain.js', 'nameplate-domain.js.br', 'nameplate-domain.js.gz'])(
  'the page is written after all other files: without %s there is none',
  async (file) => {
    const directory = join(root, file);
    // In its way.
    mkdirSync(join(directory, file), { recursive: true });
    await expect(bundlePage(join(import.meta.dirname, '../..'), directory)).rejects.toThrow('EISDIR');
    expect(existsSync(join(directory, 'index.html'))).toBe(false);
  },
);
