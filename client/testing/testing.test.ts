import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startPlayground } from './testing.ts';

const directory = mkdtempSync(join(tmpdir(), 'nameplate-parts-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('a playground starts, however its first line is divided', async () => {
  const ca = join(directory, 'ca.pem');
  writeFileSync(ca, 'certificate');
  const site = { project: { slug: 'demo' }, app: { slug: 'web' }, environment: { slug: 'production' } };
  const edge = { http: '127.0.0.1:2', https: '127.0.0.1:3', ca };
  const about = { api: 'http://127.0.0.1:1', rootKey: 'np_1', dns: '127.0.0.1:4', dnsPanel: 'http://127.0.0.1:5/#t' };
  const line = JSON.stringify({ event: 'ready', ...site, ...about, edge });
  // The first part ends in a brace, as a whole line does. The second follows once the first has been read.
  const end = line.indexOf('}') + 1;
  const program = `process.stdin.resume().on('end', () => process.exit());
    process.stdout.write(${JSON.stringify(line.slice(0, end))}, () =>
      setTimeout(() => process.stdout.write(${JSON.stringify(`${line.slice(end)}\n`)}), 200));`;
  const playground = await startPlayground({ command: [process.execPath, '-e', program, '--'] });
  expect(playground).toMatchObject({ baseUrl: 'http://127.0.0.1:1', place: { project: 'demo' } });
  await playground.stop();
});
