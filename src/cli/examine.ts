import { once } from 'node:events';
import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { isPublic } from '../addresses.ts';
import type { Clock } from '../clock.ts';
import type { DatabaseUrl, DnsServer, Endpoint } from '../config.ts';
import { dnsClient, type Reply } from '../dns/client.ts';
import { databaseAt } from '../store/open.ts';

/** What `nameplate doctor` looks at, one function each. They start nothing and change nothing. */

export interface Finding {
  about: string;
  level: 'ok' | 'warn' | 'fail';
  /** What was found. */
  found: string;
  /** What to do about it; absent where all is well. */
  advice?: string;
}

/** The store: its place, its schema, and whether it can be written. */
export async function examineStore(url: DatabaseUrl): Promise<Finding> {
  const about = 'store';
  try {
    const database = await databaseAt(url);
    const { name } = database;
    if (await database.isNew()) {
      if (url.engine === 'sqlite') return await examineDirectory(url.path);
      return { about, level: 'ok', found: `${name} is empty yet; the first start makes its tables` };
    }
    const [pending] = await database.pendingMigrations();
    if (pending !== undefined) {
      const advice = 'Back it up; the next start of serve, or "nameplate migrate", brings it up to date.';
      return { about, level: 'warn', found: `${name} lacks the migration "${pending}"`, advice };
    }
    const store = await database.open();
    await store.ping().finally(() => store.close());
    return { about, level: 'ok', found: `${name} opens, its schema is current, and it can be written` };
  } catch (error) {
    const other = url.engine === 'sqlite' ? 'file' : 'database';
    const advice = `Mend that, or name another ${other} in NAMEPLATE_DATABASE_URL.`;
    return { about, level: 'fail', found: messageOf(error), advice };
  }
}

async function examineDirectory(path: string): Promise<Finding> {
  const about = 'store';
  let directory = dirname(path);
  while (!existsSync(directory)) directory = dirname(directory);
  const writable = statSync(directory).isDirectory() && (await access(directory, constants.W_OK).then(yes, no));
  if (writable) return { about, level: 'ok', found: `${path} is not there yet; the first start makes it` };
  const advice = 'Make that a directory this user may write to, or name another file in NAMEPLATE_DATABASE_URL.';
  return { about, level: 'fail', found: `${path} cannot be made in ${directory}`, advice };
}

const yes = () => true;
const no = () => false;

/** Slower than this, checks wait for the resolver more than for anything else. */
const SLOW_MS = 500;

/** Each resolver, and through them the CNAME zone. `internal`: special addresses are meant to be asked here. */
export async function examineDns(
  resolvers: readonly DnsServer[],
  cnameZone: string,
  internal: boolean,
): Promise<Finding[]> {
  const client = dnsClient();
  // Any name below the zone will do: they all lead to the edge.
  const question = { name: `doctor.${cnameZone}`, type: 'A' } as const;
  const asked = await Promise.all(
    resolvers.map(async (resolver) => {
      const began = performance.now();
      const reply = await client.query(question, resolver, { recursion: true, signal: AbortSignal.timeout(5000) });
      return { resolver, reply, ms: Math.round(performance.now() - began) };
    }),
  );
  client.close();
  const findings = asked.map(({ resolver, reply, ms }) => judgeResolver(resolver, reply, ms, internal));
  return [
    ...findings,
    judgeZone(
      cnameZone,
      asked.map(({ reply }) => reply),
    ),
  ];
}

function judgeResolver({ address, port }: DnsServer, reply: Reply, ms: number, internal: boolean): Finding {
  const about = 'resolver';
  const name = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  if (reply.kind === 'unreadable') {
    const advice = 'Check that it is reachable over UDP and TCP, or name another in NAMEPLATE_DNS_RESOLVERS.';
    return { about, level: 'fail', found: `${name} gave no answer (${reply.reason})`, advice };
  }
  if (reply.rcode !== 'noerror' && reply.rcode !== 'nxdomain') {
    const advice = 'It may not serve this machine, or the CNAME zone is broken. Ask it with dig, or name another.';
    return { about, level: 'warn', found: `${name} answered ${reply.rcode.toUpperCase()}`, advice };
  }
  if (!internal && !isPublic(address)) {
    const advice =
      'It may see internal zones, which customers must not reach. Name a public resolver, unless you know that it sees none.';
    return { about, level: 'warn', found: `${name} answers in ${ms} ms, but its address is an internal one`, advice };
  }
  if (ms > SLOW_MS) {
    return { about, level: 'warn', found: `${name} took ${ms} ms`, advice: 'Name one that is nearer.' };
  }
  return { about, level: 'ok', found: `${name} answers in ${ms} ms` };
}

function judgeZone(zone: string, replies: Reply[]): Finding {
  const about = 'CNAME zone';
  const answers = replies.flatMap((reply) => (reply.kind === 'answer' ? [reply] : []));
  const address = answers.flatMap((reply) => reply.answers).find(({ type }) => type === 'A')?.value;
  if (address !== undefined) return { about, level: 'ok', found: `names below ${zone} lead to ${address}` };
  if (answers.length === 0)
    return { about, level: 'warn', found: `${zone} could not be looked up`, advice: 'Mend the resolvers first.' };
  const advice = `Publish *.${zone} with the address of your edge. Domains can be verified without it, but not be reached.`;
  return { about, level: 'warn', found: `names below ${zone} lead nowhere`, advice };
}

/** Whether an address can be listened on. Nameplate itself, running there, is fine: `isOurs` tells. */
export async function examineListener(
  variable: string,
  { host, port }: Endpoint,
  isOurs: (url: string) => Promise<boolean>,
): Promise<Finding> {
  const about = 'port';
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return { about, level: 'ok', found: `${address} is free (${variable})` };
  } catch (error) {
    if (await isOurs(`http://${address}`))
      return { about, level: 'ok', found: `${address} is where Nameplate runs already` };
    const advice = `Stop what listens there, or set ${variable} to another address.`;
    return { about, level: 'fail', found: `${address} cannot be listened on (${messageOf(error)})`, advice };
  } finally {
    server.close();
  }
}

/** Before this day there was no Nameplate; after the other, this release is hardly in use. */
const EARLIEST = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(2056, 0, 1);
const TOLERANCE_MS = 60_000;

/** Whether the clock can be right: its year, and that it is not behind what the store, where one is known, was last written. */
export function examineClock(clock: Clock, url: DatabaseUrl | undefined): Finding {
  const about = 'clock';
  const now = clock.now();
  const shown = new Date(now).toISOString();
  const advice = 'Set the clock, and keep it right with NTP: windows and schedules follow it.';
  if (now < EARLIEST || now > LATEST)
    return { about, level: 'fail', found: `it says ${shown}, which cannot be`, advice };
  const files = (url?.engine === 'sqlite' ? [url.path, `${url.path}-wal`] : []).map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const written = Math.max(0, ...files);
  if (written > now + TOLERANCE_MS) {
    return {
      about,
      level: 'fail',
      found: `it says ${shown}, but the store was written at ${new Date(written).toISOString()}`,
      advice,
    };
  }
  return { about, level: 'ok', found: `it says ${shown}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
