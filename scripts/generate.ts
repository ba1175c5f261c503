// Writes the files generated from the code. With --check it writes nothing, lists outdated files, and exits with 1.
import { readFile, writeFile } from 'node:fs/promises';
import { renderPermissions } from '../server/src/api/docs/permission-table.ts';
import { openApiDocument } from '../server/src/api/openapi/openapi.ts';
import { renderConfiguration } from '../server/src/config/reference.ts';
import { renderClientTypes } from './client-types.ts';
import { renderApi } from './reference/api.ts';
import { renderCommands } from './reference/commands.ts';
import { renderErrors } from './reference/errors.ts';
import { renderFindings } from './reference/findings.ts';
import { recordCalls } from './reference/recorder.ts';

const root = new URL('../', import.meta.url);

const files = [
  { path: 'openapi.json', content: `${JSON.stringify(openApiDocument(), null, 2)}\n` },
  { path: 'client/api-types.ts', content: renderClientTypes(openApiDocument()) },
  { path: 'docs/reference/errors.md', content: renderErrors() },
  { path: 'docs/reference/findings.md', content: renderFindings() },
  { path: 'docs/reference/permissions.md', content: renderPermissions() },
  { path: 'docs/reference/configuration.md', content: renderConfiguration() },
  { path: 'docs/reference/commands.md', content: renderCommands() },
  ...[...renderApi(await recordCalls())].map(([path, content]) => ({ path: `docs/reference/${path}`, content })),
  ...(await Promise.all(
    ['client', 'page', 'playground', 'server'].map((name) =>
      withVersion(`${name}/package.json`, /(?<="version": ").*(?=")/),
    ),
  )),
  await withVersion('compose.yaml', /(?<=^ {2}image: nameplate:).*/m),
  await withVersion('deploy/chart/nameplate/Chart.yaml', /(?<=^(?:appV|v)ersion: ).*/gm),
];

const check = process.argv.includes('--check');

let outdated = 0;
for (const { path, content } of files) {
  const committed = await readFile(new URL(path, root), 'utf8').catch(() => null);
  if (committed === content) continue;
  if (check) {
    outdated += 1;
    console.error(`${path} ${committed === null ? 'is missing' : 'is outdated'}.`);
  } else {
    await writeFile(new URL(path, root), content);
    console.log(`wrote ${path}`);
  }
}
if (outdated > 0) {
  console.error('Run "npm run generate" and commit the result.');
  process.exitCode = 1;
}

/** A file with the version of the root's manifest in these places. */
async function withVersion(path: string, place: RegExp): Promise<{ path: string; content: string }> {
  const [{ version }, text] = await Promise.all([
    readFile(new URL('package.json', root), 'utf8').then(JSON.parse),
    readFile(new URL(path, root), 'utf8'),
  ]);
  return { path, content: text.replace(place, version) };
}
