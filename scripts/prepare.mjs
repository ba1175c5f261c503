// npm runs it after "npm ci" and before "npm pack". A production install has no bundler: there the sources run, or a
// bundle that is there already.
import { existsSync } from 'node:fs';

if (Number.parseInt(process.versions.node, 10) >= 24 && existsSync('node_modules/rolldown')) await import('./build.ts');
