// Plain JavaScript, because an older Node cannot run the TypeScript of the program.
import { dirname } from 'node:path';
import { isBundled } from './bundle.mjs';

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`nameplate: needs Node 24 or newer, but this is Node ${process.versions.node}. Install a newer one.`);
  process.exitCode = 1;
} else if (isBundled(dirname(import.meta.dirname))) await import('../dist/cli.js');
else await import('../src/cli/cli.ts');
