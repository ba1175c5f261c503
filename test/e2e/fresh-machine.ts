// A machine of its own, with nothing but loopback and an empty /var/lib: `run-it.test.ts` starts it. Types what the README says, and prints a line of JSON for each command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startInternet, type Zone } from '../interop/internet.ts';
import { CLONE, startCommand } from '../support/command.ts';
import { startPebble } from '../support/pebble.ts';

/** What was typed, and what came of it. */
export interface Typed {
  line: string;
  code: number | null;
  stdout: string;
  stderr: string;
}

const [, , GREETING = ''] = process.argv;
const ORIGIN_PORT = 8080;
const [PLATFORM, CUSTOMER] = ['your-platform.com', 'customer.com'];

const directory = await mkdtemp(join(tmpdir(), 'nameplate-fresh-'));
const internet = await startInternet({ port: 53 });
const dns = { address: internet.resolver.address, port: internet.port };
// Of visitors and the CA: that of the server may have kept for an hour that the customer's name does not exist yet.
const { address } = await internet.startResolver({ validates: true });
await writeFile(join(directory, 'resolv.conf'), `nameserver ${address}\n`);
await run('mount', '--bind', join(directory, 'resolv.conf'), '/etc/resolv.conf');
const platform = await internet.registerName(PLATFORM);
await platform.publish(`*.cname A 127.0.0.1\norigin A 127.0.0.1`);
const customer = await internet.registerName(CUSTOMER);
await customer.publish('www A 127.0.0.9');
const pebble = await startPebble({
  dns: { address, port: internet.port },
  httpPort: 80,
  env: { PEBBLE_VA_NOSLEEP: '1' },
});
await writeFile(join(directory, 'ca.pem'), pebble.trustRoots);
await writeFile(join(directory, 'issuing.pem'), pebble.issuingRoots);
const origin = createServer((_, response) => void response.end(GREETING)).listen(ORIGIN_PORT, '127.0.0.1');
await once(origin, 'listening');

/** What the machine differs in from one on the Internet: every address is special, and the CA is pebble. */
const env: Record<string, string> = {
  NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_ACME_DIRECTORY: pebble.directoryUrl,
  NAMEPLATE_ACME_CA_FILE: join(directory, 'ca.pem'),
  CURL_CA_BUNDLE: join(directory, 'issuing.pem'),
};

const readme = await readFile(join(CLONE, 'README.md'), 'utf8');
const [first = '', second = ''] = blocksOf(readme.split('## Run it in production')[1] ?? '');
const written: Typed[] = [];
let rootKey = '';
let server: ReturnType<typeof startCommand> | undefined;
for (const line of [...linesOf(first), ...linesOf(second)]) await type(line);
const stopped = await server?.stop();
written.push({ line: 'SIGTERM', code: stopped?.code ?? null, stdout: '', stderr: stopped?.stderr ?? '' });
for (const each of written) console.log(JSON.stringify(each));
origin.close();
await pebble.close();
await internet.close();

async function type(line: string): Promise<void> {
  const [, assignments] = /^export (.+?)(?:\s+#.*)?$/.exec(line) ?? [];
  if (assignments !== undefined) {
    for (const [, name = '', value = ''] of assignments.matchAll(/(\w+)=(\S+)/g)) env[name] = here(value);
    return;
  }
  // The clone is installed.
  if (line.startsWith('npm ci')) return;
  const typed = here(line);
  if (/nameplate serve\b/.test(typed)) {
    server = startCommand('sh', ['-c', `exec ${typed}`], { env });
    await server.says(/"msg":"ready"/);
    return;
  }
  const { code, stdout, stderr } = await startCommand('sh', ['-c', typed], { env }).ended;
  written.push({ line, code, stdout, stderr });
  const [, name, value] = /^export (NAMEPLATE_ROOT_KEY)=(\S+)$/m.exec(stdout) ?? [];
  if (name !== undefined && value !== undefined) rootKey = value;
  if (/domains create /.test(line)) await publish(customer, stdout);
}

/** What a reader types in place of the example. */
function here(text: string): string {
  return text
    .replace('1.1.1.1,8.8.8.8', dns.address)
    .replace(`https://origin.${PLATFORM}`, `http://origin.${PLATFORM}:${ORIGIN_PORT}`)
    .replace('np_…', rootKey);
}

/** The records that `domains create` printed. */
async function publish(zone: Zone, printed: string): Promise<void> {
  const [, alias, target] = /\bCNAME\s+(\S+)\s+(\S+)/.exec(printed) ?? [];
  const [, owner, text] = /\bTXT\s+(\S+)\s+(\S+)/.exec(printed) ?? [];
  await zone.publish(`${alias}. CNAME ${target}.\n${owner}. TXT "${text}"`);
}

function blocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
}

function linesOf(block: string): string[] {
  return block.replaceAll('\\\n', '').trimEnd().split('\n');
}

async function run(...[program = '', ...words]: string[]): Promise<void> {
  const [code] = await once(spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}`);
}
