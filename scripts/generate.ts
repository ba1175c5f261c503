// Writes the files that are made from the code. With --check nothing is written: stale files are named, and the exit code is 1.
import { readFile, writeFile } from 'node:fs/promises';
import { renderErrors } from '../src/api/error-pages.ts';
import { openApiDocument } from '../src/api/openapi.ts';
import { renderConfiguration } from '../src/config/reference.ts';

const files = [
  { path: 'openapi.json', content: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
  { path: 'docs/errors.md', content: renderErrors() },
  { path: 'docs/configuration.md', content: renderConfiguration() },
];

const root = new URL('../', import.meta.url);
const check = process.argv.includes('--check');

let stale = 0;
for (const { path, content } of files) {
  const committed = await readFile(new URL(path, root), 'utf8').catch(() => null);
  if (committed === content) continue;
  if (check) {
    stale += 1;
    console.error(`${path} ${committed === null ? 'is missing' : 'is not what the code says'}.`);
  } else {
    await writeFile(new URL(path, root), content);
    console.log(`wrote ${path}`);
  }
}
if (stale > 0) {
  console.error('Run "npm run generate" and commit what it writes.');
  process.exitCode = 1;
}
