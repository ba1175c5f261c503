import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLONE, startCommand, temporaryDirectory } from '../support/command.ts';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { startPostgres } from '../support/postgres.ts';
import type { Typed } from './fresh-machine.ts';
import { blocksOf, commandsOf, openWay } from './fresh-world.ts';
import type { Orders } from './operations-machine.ts';

const GREETING = 'hello from the origin';
const MACHINE = join(import.meta.dirname, 'operations-machine.ts');
const ROOT = join(import.meta.dirname, 'fresh-root.sh');

/** The pages of docs/guides whose commands are typed, in this order. */
const PAGES = ['operations', 'alerts', 'help-a-customer'];

/** Commands of these pages that are not typed here. */
const NOT_TYPED: [begins: string, why: string][] = [
  ['useradd ', 'a namespace without privileges has one user alone'],
  ['cp -r nameplate /opt/nameplate ', 'fetches packages; the clone is mounted there, installed'],
  ['journalctl ', 'there is no systemd, and it would not end'],
  ['for name in POSTGRES MIGRATE SERVE', 'writes the passwords of containers'],
  ['cp deploy/nameplate.env.example nameplate.env', 'writes the settings of containers into the clone'],
  ['echo "NAMEPLATE_ENCRYPTION_KEY=', 'the same'],
  ['docker ', 'there is no Docker; test/deploy/image.system.test.ts starts the image'],
  ['skopeo ', 'there is no registry'],
  ['helm ', 'there is no cluster; test/deploy/orchestration.system.test.ts renders the chart'],
  ['kubectl ', 'the same'],
  ['install -m 0644 deploy/nameplate-http.socket', 'there is no systemd'],
  ['systemctl daemon-reload && systemctl stop', 'the same'],
  ['systemctl start nameplate', 'the same'],
  [
    'createdb ',
    'the tests have the server of PostgreSQL and not its commands; the roles are made by roles.sql all the same',
  ],
  ['psql ', 'the same'],
  ['while sleep ', 'would not end'],
  ['pg_restore ', 'the same'],
];

const pages = PAGES.map((name) => readFileSync(join(CLONE, `docs/guides/${name}.md`), 'utf8')).join('\n');
const isTyped = (line: string) => NOT_TYPED.every(([begins]) => !line.startsWith(begins));

test('the commands of docs/guides/operations.md, alerts.md and help-a-customer.md, typed in order as printed on a machine with real nameservers, CA and PostgreSQL, do what they say', {
  timeout: START_LIMIT_MS,
}, async () => {
  // There is no network inside to fetch them.
  await findPrograms('dns', ['knot', 'unbound']);
  await findPrograms('pebble', ['pebble']);
  const postgres = await startPostgres();
  const { path, remove } = temporaryDirectory();
  const socket = join(path, 'postgres');
  const way = await openWay(
    { path: socket },
    { port: Number(new URL(postgres.url('postgres')).port), host: '127.0.0.1' },
  );
  try {
    const password = 'from \\password';
    await postgres.run(postgres.url('postgres'), 'create database nameplate');
    const roles = readFileSync(join(CLONE, 'deploy/postgres/roles.sql'), 'utf8');
    await postgres.run(postgres.url('nameplate'), roles);
    for (const role of ['migrate', 'serve'])
      await postgres.run(postgres.url('nameplate'), `alter role nameplate_${role} password '${password}'`);

    const commands = blocksOf(pages).map(commandsOf);
    for (const [begins] of NOT_TYPED)
      expect(
        commands.flat().some((line) => line.startsWith(begins)),
        begins,
      ).toBe(true);
    const blocks = commands.map((lines) => lines.filter(isTyped).join('\n')).filter((block) => block !== '');
    const orders: Orders = { blocks, greeting: GREETING, postgres: { socket, password } };
    const unshare = ['--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const machine = [process.execPath, MACHINE, JSON.stringify(orders)];
    const { code, stdout, stderr } = await startCommand(
      'unshare',
      [...unshare, 'sh', ROOT, CLONE, path, ...machine],
      {},
    ).ended;
    const typed: Typed[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const each of typed) expect(each).toMatchObject({ code: 0 });
    const lines = typed.map(({ line }) => line);
    for (const block of blocks) expect(lines).toEqual(expect.arrayContaining(block.split('\n')));
  } finally {
    way.close();
    await postgres.close();
    remove();
  }
});
