// A machine of its own, with nothing but loopback and an empty /var/lib: `run-it.system.test.ts` starts it. Types what
// docs/guides/first-name.md says, and prints a line of JSON for each command.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Zone } from '../interop/internet.ts';
import { CLONE, startCommand } from '../support/command.ts';
import { blocksOf, commandsOf, ORIGIN_PORT, startWorld } from './fresh-world.ts';

/** A typed line, and its result. */
export interface Typed {
  line: string;
  code: number | null;
  stdout: string;
  stderr: string;
}

const [, , GREETING = ''] = process.argv;
const [PLATFORM, CUSTOMER] = ['your-platform.com', 'customer.com'];

const world = await startWorld(GREETING);
const { internet, env } = world;
const platform = await internet.registerName(PLATFORM);
await platform.publish(`*.cname A 127.0.0.1\norigin A 127.0.0.1`);
const customer = await internet.registerName(CUSTOMER);
await customer.publish('www A 127.0.0.9');

const page = await readFile(join(CLONE, 'docs/guides/first-name.md'), 'utf8');
const [first = '', second = ''] = blocksOf(page);
const written: Typed[] = [];
let rootKey = '';
let server: ReturnType<typeof startCommand> | undefined;
for (const line of [...commandsOf(first), ...commandsOf(second)]) await type(line);
const stopped = await server?.stop();
written.push({ line: 'SIGTERM', code: stopped?.code ?? null, stdout: '', stderr: stopped?.stderr ?? '' });
for (const each of written) console.log(JSON.stringify(each));
await world.close();

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

/** Replaces the examples, as a reader does. */
function here(text: string): string {
  return text
    .replace('1.1.1.1,8.8.8.8', world.resolver)
    .replace(`https://origin.${PLATFORM}`, `http://origin.${PLATFORM}:${ORIGIN_PORT}`)
    .replace('np_…', rootKey);
}

/** The records that `domains create` printed. */
async function publish(zone: Zone, printed: string): Promise<void> {
  const [, alias, target] = /\bCNAME\s+(\S+)\s+(\S+)/.exec(printed) ?? [];
  const [, owner, text] = /\bTXT\s+(\S+)\s+(\S+)/.exec(printed) ?? [];
  await zone.publish(`${alias}. CNAME ${target}.\n${owner}. TXT "${text}"`);
}
