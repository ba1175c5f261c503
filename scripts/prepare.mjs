// npm runs it before "npm pack", and after "npm ci" as a script of the workspace "server": one of the package itself would
// make npm ask whoever installs its archive to approve it. A production install has no bundler: there the sources run, or a
// bundle that is there already.
import { copyFileSync, existsSync } from 'node:fs';

if (existsSync('node_modules/rolldown')) {
  if (Number.parseInt(process.versions.node, 10) >= 24) await import('./build.ts');
  // So that the next npm script does not install everything again.
  if (process.env.npm_command === 'ci') copyFileSync('package-lock.json', 'node_modules/.installed-lock.json');
}
