// npm run build, and npm ci: bundles the program into dist/, unless the bundle there is current.
// docs/internals/decisions/0026-bundle.md
import { dirname } from 'node:path';
import { isBundled } from '../bin/bundle.mjs';
import { bundle } from './bundle.ts';

const root = dirname(import.meta.dirname);
if (!isBundled(root)) {
  const started = performance.now();
  await bundle(root);
  console.log(`nameplate: bundled into dist/ in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}
