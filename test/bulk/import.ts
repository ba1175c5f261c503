import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import type { Postgres } from '../support/postgres.ts';
import type { Random } from '../support/seeded-random.ts';
import { embedded, onPostgres } from '../support/server-data.ts';
import { type Server, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant } from '../support/server-site.ts';

/** Counts of the attempts. */
export interface Resumed {
  names: number;
  /** Kills of the command, and of the server while the command runs. */
  kills: number;
  'kills of the server': number;
  refused: number;
}

const SCHEDULE = { checkIntervalMs: 60_000, windowMs: 86_400_000 };

/**
 * Imports so many names, kills the command and the server so often on the way, and sees that in the end each name is
 * there once, or reported.
 */
export async function importKilled(
  names: number,
  kills: number,
  random: Random,
  postgres?: Postgres,
): Promise<Resumed> {
  const site = await createSite(SCHEDULE, postgres === undefined ? embedded : onPostgres(postgres));
  const port = await freePort();
  const servers: Server[] = [];
  try {
    const scene: Scene = { site, port, tenant: await plant(site), servers, file: join(site.directory, 'names.csv') };
    const { valid, refusals } = writeNames(scene.file, names, random);
    let server = await serve(scene);
    let serverKills = 0;
    for (let kill = 0; kill < kills; kill++) {
      const command = startImport(scene);
      await command.says(new RegExp(`Importing: ${10 * random.below(10)} %`));
      if (random.chance(0.3)) {
        serverKills += 1;
        await server.kill();
        server = await serve(scene);
        await command.says(/Importing: 100 %/);
      }
      command.child.kill('SIGKILL');
      await command.ended;
      // An import may be complete before the kill. Its report is there then, and never in part.
      if (existsSync(reportOf(scene))) examineReport(scene, refusals);
      expect(server.errors()).toEqual([]);
    }
    await examine(scene, valid, refusals);
    return { names, kills, 'kills of the server': serverKills, refused: refusals.length };
  } finally {
    await Promise.all(servers.map((each) => each.kill()));
    await site.close();
  }
}

interface Scene {
  site: Site;
  port: number;
  tenant: Tenant;
  servers: Server[];
  file: string;
}

async function serve({ site, port, servers }: Scene): Promise<Server> {
  const env = { NAMEPLATE_LISTEN: `127.0.0.1:${port}` };
  const start = { ...SCHEDULE, database: site.data.url, nameserverPort: site.dns.port, roles: 'api', env };
  const server = await startServer(start);
  servers.push(server);
  return server;
}

function startImport({ port, tenant, file }: Scene) {
  const env = { NAMEPLATE_URL: `http://127.0.0.1:${port}`, NAMEPLATE_ROOT_KEY: tenant.key };
  const path = ['--project', 'ppp', '--app', 'aaa'];
  return startCommand('./bin/nameplate', ['domains', 'import', file, ...path, '--json'], { env });
}

/** Beginnings of the lines of a report. */
type Expected = string[];

/** A file in which each hundredth name cannot be imported, for one reason or another. */
function writeNames(file: string, names: number, random: Random): { valid: string[]; refusals: Expected } {
  const lines = ['environment,note,domain'];
  const valid: string[] = [];
  const refusals: Expected = [];
  for (let i = 0; i < names; i++) {
    const line = lines.length + 1;
    const name = `n${i}.customer${random.below(names)}.example`;
    const refuse = (text: string, reported: string) => {
      lines.push(text);
      refusals.push(`${line},${reported}`);
    };
    if (i % 100 !== 99 || valid.length === 0) {
      lines.push(random.chance(0.1) ? `eee,"a ""note"", quoted",${name.toUpperCase()}` : `eee,,${name}`);
      valid.push(name);
      continue;
    }
    const twice = random.pick(valid) ?? '';
    random.pick([
      () => refuse(`eee,,not a name ${i}`, `not a name ${i},400,`),
      () => refuse(`eee,,${name}.local`, `${name}.local,403,`),
      () => refuse(`nowhere,,${name}`, `${name},404,`),
      () => refuse(`,,${name}`, `${name},,The row has no environment.`),
      () => refuse('eee,no name,', ',,The row has no name.'),
      () => refuse(`eee,"a"b,${name}`, ',,A cell goes on after the quotation mark at its end.'),
      () => refuse(`eee,"a,${name}`, ',,A quotation mark has no end.'),
      () => refuse(`eee,,${twice}`, `${twice},,The name is in line `),
    ])();
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { valid, refusals };
}

const reportOf = ({ site }: Scene) => join(site.directory, 'names.report.csv');

function examineReport(scene: Scene, refusals: Expected): void {
  const lines = readFileSync(reportOf(scene), 'utf8').trimEnd().split('\n').slice(1);
  expect(lines.length).toBe(refusals.length);
  const wrong = lines.filter((line, at) => !line.startsWith(refusals[at] ?? '-'));
  expect(wrong).toEqual([]);
}

async function examine(scene: Scene, valid: string[], refusals: Expected): Promise<void> {
  const { site } = scene;
  const command = await startImport(scene).ended;
  expect({ ...JSON.parse(command.stdout), code: command.code }).toMatchObject({
    code: refusals.length === 0 ? 0 : 3,
    refused: refusals.length,
    report: reportOf(scene),
  });
  const { created, existing } = JSON.parse(command.stdout);
  expect(created + existing).toBe(valid.length);
  examineReport(scene, refusals);

  const stored = await site.data.query('select name from domains order by name');
  expect(stored.map(({ name }) => name)).toEqual(valid.toSorted());
  const [events] = await site.data.query("select count(*) as count from events where type = 'domain.created'");
  const [checks] = await site.data.query('select count(*) as count from checks');
  expect([Number(events?.count), Number(checks?.count)]).toEqual([valid.length, valid.length]);
}
