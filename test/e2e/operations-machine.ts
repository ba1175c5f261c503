// A machine of its own, as `fresh-machine.ts`: `operations-walk.system.test.ts` starts it. An operator who reads
// docs/guides/operations.md and the pages beside it; prints a line of JSON for each command.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Started, startCommand } from '../support/command.ts';
import type { Typed } from './fresh-machine.ts';
import { commandsOf, ORIGIN_PORT, openWay, startWorld } from './fresh-world.ts';
import { openShell } from './operator-shell.ts';

/** The blocks to type, and the address of PostgreSQL. */
export interface Orders {
  blocks: string[];
  greeting: string;
  postgres: { socket: string; password: string };
}

const { blocks, greeting, postgres }: Orders = JSON.parse(process.argv[2] ?? '');
const SETTINGS = '/etc/nameplate/nameplate.env';
const UNIT = '/etc/systemd/system/nameplate.service';
const CUSTOMER = 'docs.customer.com';

const world = await startWorld(greeting);
const example = await world.internet.registerName('example.net');
await example.publish('*.cname A 127.0.0.1\norigin A 127.0.0.1\ndb A 127.0.0.1');
const customer = await world.internet.registerName('customer.com');
await customer.publish('www A 127.0.0.9');
const toPostgres = await openWay({ port: 5432, host: '127.0.0.1' }, { path: postgres.socket });

// There is no systemd, and no user but this one.
const tools = '/opt/tools';
await mkdir(tools, { recursive: true });
await program('runuser', 'shift 3; exec "$@"');
await mkdir('/etc/systemd/system', { recursive: true });
for (const path of ['/var/lib/nameplate', '/var/cache/nameplate', '/backups']) await mkdir(path, { recursive: true });

const { CURL_CA_BUNDLE, ...special } = world.env;
/** Settings of the server. The origin also receives webhooks. */
const SURROUNDINGS = {
  ...special,
  NAMEPLATE_WEBHOOK_SCHEMES: 'http',
  NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

let server: Started | undefined;
let rootKey = '';
let operatorsShell = '';
const known: Record<'ws' | 'wh' | 'dlv', string> = { ws: '', wh: '', dlv: '' };
let shell = openShell({ cwd: '/opt/nameplate', tools });

/** Steps that the page describes in words before a block. */
const BEFORE: [RegExp, () => Promise<unknown>][] = [
  [/^set -a/, becomeOperator],
  [/^systemctl reload/, serveFirstName],
  [/nameplate copy --from/, stopServer],
  [/--name on-call/, servePostgres],
];

for (const block of blocks) {
  for (const [pattern, act] of BEFORE) if (pattern.test(block)) await act();
  if (block.startsWith('set -a')) operatorsShell = block;
  for (const line of commandsOf(block)) await type(line);
}

const { stdout: page } = await typed(`curl -s --cacert ${CURL_CA_BUNDLE} https://${CUSTOMER}/`);
if (page !== greeting) throw new Error(`after the move to PostgreSQL the name is served as ${page}`);
const stopped = await server?.stop();
report({ line: 'SIGTERM', code: stopped?.code ?? null, stdout: '', stderr: stopped?.stderr ?? '' });
await shell.close();
toPostgres.close();
await world.close();

async function type(line: string): Promise<Typed> {
  if (/^systemctl .*enable --now nameplate/.test(line)) {
    await writeSettings({ ...SURROUNDINGS, NAMEPLATE_DNS_RESOLVERS: world.resolver });
    await startServer();
    const done = { line, code: 0, stdout: '', stderr: '' };
    report(done);
    return done;
  }
  const words = /^systemctl reload nameplate/.test(line) ? await ofUnit('ExecReload') : here(line);
  const { code, output } = await shell.type(words);
  rootKey = /^export NAMEPLATE_ROOT_KEY=(\S+)$/m.exec(output)?.[1] ?? /\b(np_\w{10,})/.exec(output)?.[1] ?? rootKey;
  for (const kind of ['ws', 'wh', 'dlv'] as const)
    known[kind] = new RegExp(`\\b${kind}_\\w{10,}`).exec(output)?.[0] ?? known[kind];
  const done = { line, code, stdout: output, stderr: '' };
  report(done);
  return done;
}

/** A command that is not in a block. */
async function typed(line: string): Promise<Typed> {
  const done = await type(line);
  if (done.code !== 0) throw new Error(`"${line}" ended with ${done.code}: ${done.stdout}`);
  return done;
}

/** Replaces the examples, as a reader does. */
function here(text: string): string {
  return text
    .replace('https://api.example.net', 'http://127.0.0.1:7070')
    .replace('?sslmode=verify-full', '?sslmode=disable')
    .replaceAll(/(nameplate_(?:migrate|serve)):…@/g, `$1:${encodeURIComponent(postgres.password)}@`)
    .replaceAll('np_…', rootKey)
    .replaceAll(/(ws|wh|dlv)_…/g, (_, kind: keyof typeof known) => known[kind]);
}

async function becomeOperator(): Promise<void> {
  await shell.close();
  shell = openShell({ cwd: '/opt/nameplate', tools });
}

/** The steps of docs/guides/first-name.md that follow `init`. */
async function serveFirstName(): Promise<void> {
  await typed(`export NAMEPLATE_URL=http://127.0.0.1:7070 NAMEPLATE_ROOT_KEY=${rootKey}`);
  const place = '--project main --app web --environment production';
  await typed(`nameplate deployments create http://origin.example.net:${ORIGIN_PORT} ${place}`);
  const { stdout } = await typed(`nameplate domains create ${CUSTOMER} ${place}`);
  const [, alias, target] = /\bCNAME\s+(\S+)\s+(\S+)/.exec(stdout) ?? [];
  const [, owner, text] = /\bTXT\s+(\S+)\s+(\S+)/.exec(stdout) ?? [];
  await customer.publish(`${alias}. CNAME ${target}.\n${owner}. TXT "${text}"`);
  await typed(`nameplate domains wait ${CUSTOMER} --certificate`);
}

async function servePostgres(): Promise<void> {
  const { stdout } = await typed('echo "$NAMEPLATE_ENCRYPTION_KEY"');
  await writeSettings({
    NAMEPLATE_DATABASE_URL: here('postgres://nameplate_serve:…@db.example.net/nameplate?sslmode=verify-full'),
    NAMEPLATE_ENCRYPTION_KEY: stdout.trim(),
  });
  await startServer();
  await becomeOperator();
  for (const line of commandsOf(operatorsShell)) await typed(line);
  await typed(`export NAMEPLATE_URL=http://127.0.0.1:7070 NAMEPLATE_ROOT_KEY=${rootKey}`);
  await typed('nameplate workspaces list');
  await typed(`nameplate webhooks create http://origin.example.net:${ORIGIN_PORT}/`);
  await typed('nameplate webhooks test wh_…');
}

/** As an editor would. */
async function writeSettings(values: Record<string, string>): Promise<void> {
  const before = await readFile(SETTINGS, 'utf8');
  const others = before.split('\n').filter((line) => !Object.keys(values).some((name) => line.startsWith(`${name}=`)));
  const added = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  await writeFile(SETTINGS, [...others, ...added, ''].join('\n'));
}

/** As systemd does: the unit's command, with its environment and nothing of the shell's. */
async function startServer(): Promise<void> {
  server = startCommand('env', ['-i', 'sh', '-c', `exec ${await ofUnit('ExecStart')}`], {});
  await server.says(/"msg":"ready"/);
}

async function stopServer(): Promise<void> {
  const ended = await server?.stop();
  report({ line: 'SIGTERM', code: ended?.code ?? null, stdout: '', stderr: ended?.stderr ?? '' });
}

/** A command line of the unit, with the environment that the unit gives it. */
async function ofUnit(name: 'ExecStart' | 'ExecReload'): Promise<string> {
  const unit = await readFile(UNIT, 'utf8');
  const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const files = await Promise.all(values('EnvironmentFile').map((path) => readFile(path, 'utf8')));
  const set = files.flatMap((text) => text.split('\n').filter((line) => /^\w+=/.test(line)));
  const all = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', ...values('Environment'), ...set].map((each) => `'${each}'`);
  return `env -i ${all.join(' ')} ${values(name).join()}`;
}

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(tools, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(tools, name), 0o755);
}

function report(done: Typed): void {
  console.log(JSON.stringify(done));
}
