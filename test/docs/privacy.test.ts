import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverVariables } from '../../server/src/config/variables.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/guides/privacy.md'), 'utf8');
/** A migration only adds, so each table stands in one of them. */
const sql = globSync('server/src/store/schema/0*.ts', { cwd: root }).map((file) =>
  readFileSync(join(root, file), 'utf8'),
);

it('docs/guides/privacy.md says of every table of the schema what it holds and when that is deleted, and of no other', () => {
  const created = [...sql.join('\n').matchAll(/^create table (\w+)/gm)].map(([, name]) => name);
  expect(created).toContain('domains');
  const [, table = ''] = page.split('## Tables');
  const rows = [...table.matchAll(/^\| (`.+?) \|.+\|.+\| (.+) \|$/gm)];
  const listed = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed.toSorted()).toEqual(created.toSorted());
});

it('it names the settings of retention with their defaults', () => {
  const { auditKeepMs, eventsKeepMs, deletedKeepMs, webhookDeliveriesKeepMs } = serverVariables;
  for (const { name, default: kept } of [auditKeepMs, eventsKeepMs, deletedKeepMs, webhookDeliveriesKeepMs])
    expect(page).toContain(`${kept.replace('d', ' days')} (\`${name}\`)`);
});
