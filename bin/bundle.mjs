// Plain JavaScript, because it decides what runs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Written last into a bundle: the hash of its sources. */
export const STAMP = 'sources.sha256';

/** The folders of sources. */
const FOLDERS = ['client', 'page', 'playground', 'server', 'words'];

/** A bundle also depends on these: another entry, the packages and the build itself. */
const OTHERS = [
  'deploy/healthcheck.ts',
  'package-lock.json',
  'package.json',
  'scripts/bundle-page.ts',
  'scripts/bundle.ts',
  'scripts/compile-client.ts',
  'scripts/site.ts',
];

/**
 * Whether `dist/` below `root` exists and was built from the sources beside it. Without sources, as in an image, it
 * counts as built from them.
 * @param {string} root
 */
export function isBundled(root) {
  const stamp = join(root, 'dist', STAMP);
  if (!existsSync(stamp)) return false;
  return !existsSync(join(root, 'server')) || readFileSync(stamp, 'utf8') === hashSources(root);
}

/**
 * SHA-256, in hex, of the contents of all sources: the times of files prove nothing after a checkout or a copy.
 * @param {string} root
 */
export function hashSources(root) {
  const hash = createHash('sha256');
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^(?!dist[./]).*\.(css|html|js|svg|tsx?)$/.test(file) && !file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`),
  );
  for (const file of [...sources.sort(), ...OTHERS]) {
    const content = existsSync(join(root, file)) ? readFileSync(join(root, file)) : '';
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}
