import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { databaseAt } from '../../server/src/store/database.ts';
import { createRoom } from '../crash/room.ts';
import { startMiddlebox } from '../interop/middlebox.ts';
import { run, runJson, type Started, start, startCommand, temporaryDirectory } from '../support/command.ts';
import { attach, plant } from '../support/entities.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

/** A server at the default ports of the edge, at an address of this machine that no other program uses. */
const EDGE = '127.0.53.1';
const ZONE = 'cname.example.net';

/** Ports below 1024 are for root, unless the machine lets everybody have them. */
const mayServe = await mayListen(443).then((may) => may && mayListen(80));

async function mayListen(port: number): Promise<boolean> {
  const server = createServer();
  const listening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, EDGE, () => resolve(true));
  });
  const may = await listening;
  await new Promise((resolve) => server.close(resolve));
  return may;
}

const directory = temporaryDirectory();
let dns: Simulator;
let env: Record<string, string>;

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  dns.set(`*.${ZONE}`, 'A', [EDGE]);
  env = {
    NAMEPLATE_CNAME_ZONE: ZONE,
    NAMEPLATE_DNS_RESOLVERS: `${dns.address}:${dns.port}`,
    NAMEPLATE_DNS_MODE: 'recursive',
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/n.db`,
    NAMEPLATE_LISTEN: `${EDGE}:7070`,
    NAMEPLATE_METRICS_LISTEN: `${EDGE}:7071`,
    NAMEPLATE_EDGE_HTTP_LISTEN: `${EDGE}:80`,
    NAMEPLATE_EDGE_HTTPS_LISTEN: `${EDGE}:443`,
    NAMEPLATE_ISSUER: 'internal',
  };
});
afterAll(async () => {
  await dns.close();
  directory.remove();
});

/** The exit code of doctor and, in one line each, what is no `ok`. */
async function examine(changes: Record<string, string> = {}): Promise<{ code: number | null; found: string[] }> {
  const { code, stdout } = await run(['doctor', '--json'], { env: { ...env, ...changes } });
  const results: { about: string; level: string; found: string; advice?: string }[] = JSON.parse(stdout);
  for (const { level, advice } of results) expect(advice === undefined).toBe(level === 'ok');
  const others = results.filter(({ level }) => level !== 'ok');
  return { code, found: others.map(({ about, level, found }) => `${level} ${about}: ${found}`) };
}

describe.runIf(mayServe)('a server at the default ports (needs the ports 80 and 443)', () => {
  let server: Started;
  beforeAll(async () => {
    server = start(['serve'], { env });
    await server.says(/"msg":"ready"/);
  });
  afterAll(() => server.stop());

  test('is healthy: nothing to mend, nothing to look at, and exit code 0', async () => {
    expect(await examine()).toEqual({ code: 0, found: [] });
    const { stdout } = await run(['doctor'], { env });
    for (const port of [80, 443, 7070, 7071])
      expect(stdout).toContain(`Nameplate is already running at ${EDGE}:${port}`);
    expect(stdout).toContain(`${EDGE} (*.${ZONE}) leads to the edge`);
    expect(stdout).toContain('No check failed.');
  });

  test('whose wildcard leads to another machine has something to mend', async () => {
    dns.set(`*.${ZONE}`, 'A', [EDGE, '127.0.53.2']);
    const other = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'));
    await new Promise<void>((resolve) => other.listen(80, '127.0.53.2', resolve));
    const { code, found } = await examine();
    other.close();
    dns.set(`*.${ZONE}`, 'A', [EDGE]);
    expect(code).toBe(1);
    expect(found).toEqual([
      `fail edge: 127.0.53.2 (*.${ZONE}) does not lead to an edge with this store: HTTP 200, "hello"`,
    ]);
  });
});

describe('a broken set-up is named, and makes doctor exit with 1', () => {
  /** Roles that need no port of the edge. */
  const apart = { NAMEPLATE_ROLES: 'api,verifier', NAMEPLATE_LISTEN: `${EDGE}:7080`, NAMEPLATE_METRICS_LISTEN: 'off' };
  const asEdge = {
    NAMEPLATE_LISTEN: `${EDGE}:7080`,
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_EDGE_HTTP_LISTEN: `${EDGE}:8080`,
    NAMEPLATE_EDGE_HTTPS_LISTEN: `${EDGE}:8443`,
  };
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres.close());

  test('a resolver that is dead', async () => {
    const { code, found } = await examine({ ...apart, NAMEPLATE_DNS_RESOLVERS: '127.0.53.9:5353' });
    expect(code).toBe(1);
    expect(found).toEqual([
      expect.stringMatching(/^fail resolver: 127\.0\.53\.9:5353 gave no usable response/),
      `warn CNAME zone: ${ZONE} could not be looked up`,
    ]);
  });

  test('a resolver, or a firewall, that lets no TCP through is a warning', async () => {
    const box = await startMiddlebox(
      { host: 'resolver.test', address: '127.0.53.8' },
      { port: dns.port, to: dns.address, tcp: 'refuse' },
    );
    const { found } = await examine({ ...apart, NAMEPLATE_DNS_RESOLVERS: `${box.address}:${dns.port}` });
    await box.close();
    expect(found).toContain(`warn resolver: ${box.address}:${dns.port} does not answer over TCP (unreachable)`);
  });

  test('a resolver that is dead where nameservers are queried directly: the firewall is not blamed', async () => {
    const direct = { ...apart, NAMEPLATE_DNS_MODE: 'authoritative', NAMEPLATE_DNS_RESOLVERS: '127.0.53.9:5353' };
    const { found } = await examine(direct);
    expect(found).toContain(`warn nameserver: the nameservers of ${ZONE} could not be found`);
  });

  test('a zone without its wildcard fails an edge, and is a warning for a process that serves no names', async () => {
    const zone = { NAMEPLATE_CNAME_ZONE: 'nothing.example.org' };
    const found = 'CNAME zone: names in nothing.example.org do not resolve';
    expect(await examine({ ...asEdge, ...zone })).toMatchObject({ code: 1, found: [`fail ${found}`] });
    expect(await examine({ ...apart, ...zone })).toMatchObject({ code: 0, found: [`warn ${found}`] });
  });

  test('a wildcard with only an IPv6 address is no failure', async () => {
    dns.set('*.six.example.org', 'AAAA', ['2001:db8::1']);
    const { code, found } = await examine({ ...asEdge, NAMEPLATE_CNAME_ZONE: 'six.example.org' });
    expect(code).toBe(0);
    expect(found.filter((each) => each.includes('CNAME zone'))).toEqual([]);
  });

  test('domains with targets in another zone than the configured one', async () => {
    const database = `sqlite:${directory.path}/targets.db`;
    const store = await (await databaseAt({ engine: 'sqlite', path: `${directory.path}/targets.db` })).open();
    const { environment } = await plant(store);
    await attach(store, environment, { target: 'x1.cname.former.example' });
    await store.close();
    const about = { ...asEdge, NAMEPLATE_DATABASE_URL: database };
    const found = `targets: domains have targets in cname.former.example, and NAMEPLATE_CNAME_ZONE is ${ZONE}; those in cname.former.example`;
    const before = await examine(about);
    expect(before.code).toBe(1);
    expect(before.found).toContain(`fail ${found} do not resolve`);
    dns.set('*.cname.former.example', 'A', [EDGE]);
    expect((await examine({ ...about, ...apart })).found).toContain(`warn ${found} resolve to ${EDGE}`);
  });

  test('a database that is absent, and one that is read-only', async () => {
    const verifier = { ...apart, NAMEPLATE_ROLES: 'verifier' };
    const absent = await examine({ ...verifier, NAMEPLATE_DATABASE_URL: 'postgres://n@127.0.53.9:1/n' });
    expect(absent.code).toBe(1);
    expect(absent.found).toContainEqual(
      expect.stringMatching(/^fail store: .*127\.0\.53\.9:1\/n: nothing listens there/),
    );

    const url = await postgres.createDatabase();
    const settings = { ...verifier, NAMEPLATE_DATABASE_URL: url };
    await runJson(['migrate'], { env: settings });
    const name = new URL(url).pathname.slice(1);
    await postgres.run(url, `alter database "${name}" set default_transaction_read_only = on`);
    const readOnly = await examine(settings);
    expect(readOnly.code).toBe(1);
    expect(readOnly.found).toContainEqual(expect.stringMatching(/^fail store: .*read-only/));
  });

  test('a SQLite file whose directory cannot be created', async () => {
    const verifier = { ...apart, NAMEPLATE_ROLES: 'verifier' };
    const path = `${directory.path}/not/there/n.db`;
    writeFileSync(`${directory.path}/not`, 'a file where a directory has to be');
    const absent = await examine({ ...verifier, NAMEPLATE_DATABASE_URL: `sqlite:${path}` });
    expect(absent.code).toBe(1);
    expect(absent.found).toEqual([`fail store: ${path} cannot be created in ${directory.path}/not`]);
  });

  test('a SQLite file on a disk that is full, and on one that is read-only (needs to mount a disk)', async ({
    skip,
  }) => {
    const room = await createRoom(24).catch((error: unknown) => skip(String(error)));
    const inRoom = (command: string, ...args: string[]) => {
      const [enter = '', ...words] = room.wrapper;
      return startCommand(enter, [...words, command, ...args], {
        env: { ...env, ...apart, NAMEPLATE_ROLES: 'verifier', NAMEPLATE_DATABASE_URL: `sqlite:${room.inside}/n.db` },
      }).ended;
    };
    const remount = (how: string) => inRoom('mount', '-o', `remount,${how}`, room.inside);
    const ofStore = async () => {
      const { code, stdout } = await inRoom('./bin/nameplate', 'doctor', '--json');
      const results: { about: string; level: string; found: string }[] = JSON.parse(stdout);
      return {
        code,
        found: results.filter(({ about }) => about === 'store').map(({ level, found }) => `${level}: ${found}`),
      };
    };
    const healthy = { code: 0, found: [`ok: ${room.inside}/n.db is writable, and its schema is current`] };
    try {
      expect(await inRoom('./bin/nameplate', 'migrate')).toMatchObject({ code: 0 });
      expect(await ofStore()).toEqual(healthy);
      room.fill();
      expect(await ofStore()).toEqual({
        code: 1,
        found: [expect.stringMatching(/^fail: .*the disk is full.* free some space/)],
      });
      room.clear();
      expect(await remount('ro')).toMatchObject({ code: 0 });
      expect(await ofStore()).toEqual({
        code: 1,
        found: [expect.stringMatching(/^fail: .*cannot be (written|opened): check that/)],
      });
    } finally {
      await room.close();
    }
  });

  test('nameservers of the zone with internal addresses are a warning that names the setting which allows them', async () => {
    const changes = { ...apart, NAMEPLATE_DNS_MODE: 'authoritative', NAMEPLATE_DNS_ALLOWED_NETWORKS: '' };
    const { code, stdout } = await run(['doctor', '--json'], { env: { ...env, ...changes } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual({
      about: 'nameserver',
      level: 'warn',
      found: `the nameservers of ${ZONE} have internal addresses, which are not queried`,
      advice: expect.stringContaining('list their networks in NAMEPLATE_DNS_ALLOWED_NETWORKS'),
    });
  });

  test('a store of a playground', async () => {
    const data = `${directory.path}/playground`;
    mkdirSync(data);
    const file = {
      api: 'http://127.0.0.1:1',
      dns: '',
      edge: { http: '', https: '', ca: '' },
      control: '',
      rootKey: '',
    };
    writeFileSync(`${data}/dev.json`, JSON.stringify(file));
    const result = await examine({ ...apart, NAMEPLATE_DATABASE_URL: `sqlite:${data}/nameplate.db` });
    expect(result.code).toBe(1);
    expect(result.found).toContainEqual(expect.stringMatching(/^fail store: .*is a playground's store/));
  });
});
