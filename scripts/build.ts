// npm run build, and npm ci: bundles the program into dist/, with its documents, unless what is there is current.
// docs/internals/decisions/0026-bundle.md
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBundled } from '../bin/bundle.mjs';
import { bundle } from './bundle.ts';
import { buildSite, isSiteBuilt } from './site.ts';

const root = dirname(import.meta.dirname);
if (!isBundled(root)) {
  const started = performance.now();
  await bundle(root);
  console.log(`nameplate: bundled into dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

const site = join(root, 'dist/docs');
if (!isSiteBuilt(root, site)) {
  const next = `${site}.${process.pid}`;
  await buildSite(root, next);
  rmSync(site, { recursive: true, force: true });
  renameSync(next, site);
}
