// Plain JavaScript, because an older Node cannot run the TypeScript of the program.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBundled } from './bundle.mjs';

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
