#!/usr/bin/node
// Plain JavaScript, because an older Node cannot run the TypeScript of the program. An image has no shell, so its kernel
// runs this file.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { isBundled } from './bundle.mjs';

// The heap at most doubles between two collections: docs/internals/decisions/0061-memory.md. V8 reads it at each, and
// NODE_OPTIONS, by which an image sets the flags of bin/nameplate, does not take this one.
setFlagsFromString('--heap-growing-percent=100');

const root = dirname(import.meta.dirname);
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `nameplate: needs Node 24 or newer, but this is Node ${process.versions.node}. Install a newer one, or start it with npx.`,
  );
  process.exitCode = 1;
} else if (isBundled(root)) await import('../dist/cli.js');
else if (existsSync(join(root, 'node_modules/commander'))) await import('../playground/nameplate.ts');
else {
  const why = 'dist/ is not of these sources, and the packages that they need are not installed';
  console.error(`nameplate: ${why}. Run "npm ci" in ${root}, which installs them and builds dist/.`);
  process.exitCode = 1;
}
