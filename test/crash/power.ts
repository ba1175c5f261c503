import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { type Answer, ask } from '../support/api-client.ts';
import { inspect } from '../support/inspection.ts';
import type { Random } from '../support/seeded-random.ts';
import { startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant, until } from '../support/server-site.ts';
import { createDisk, type DiskEvent } from './disk.ts';
import { type Call, readTrace, tracing } from './trace.ts';

/** A change that a response acknowledged. */
export interface Acknowledged {
  /** In the answer. */
  requestId: string;
  /** How the event is written to the file that the change comes with. */
  event: string;
}

/** A run of the server, with all that it wrote. */
export interface Recording {
  acknowledged: Acknowledged[];
  calls: Call[];
  /** The database file. */
  path: string;
  /** As it was before the run. */
  before: Buffer;
  directory: string;
  close(): Promise<void>;
}

const SCHEDULE = { checkIntervalMs: 500, windowMs: 2000 };

/** Lets clients create, verify, retry and delete domains, one after another each, at a server that strace follows. */
export async function record(
  strace: readonly string[],
  { clients, domains }: { clients: number; domains: number },
): Promise<Recording> {
  const site = await createSite(SCHEDULE);
  const tenant = await plant(site);
  const directory = await realpath(site.directory);
  const path = join(directory, 'nameplate.db');
  const before = await readFile(path);
  const file = join(directory, 'trace');
  const server = await startServer({
    ...SCHEDULE,
    database: `sqlite:${path}`,
    nameserverPort: site.dns.port,
    wrapper: tracing(strace, file),
  });
  const acknowledged: Acknowledged[] = [];
  const clientsAtOnce = Array.from({ length: clients }, async (_, client) => {
    for (let i = 0; i < domains; i += 1) await live(site, server.url, tenant, `d${i}.c${client}.test`, acknowledged);
  });
  await Promise.all(clientsAtOnce).finally(() => server.kill());
  return { acknowledged, calls: await readTrace(file), path, before, directory, close: () => site.close() };
}

/** The life of one domain; each third is left without records until it fails. */
async function live({ dns }: Site, url: string, tenant: Tenant, name: string, acknowledged: Acknowledged[]) {
  let id = '';
  const note = ({ requestId }: Answer, type: string) =>
    acknowledged.push({ requestId, event: `${id}${tenant.workspaceId}domain.${type}` });
  const untilStatus = (wanted: string) =>
    until(`${name} is ${wanted}`, async () => {
      const answer = await ask(url, tenant, 'getDomain', name);
      const { status } = answer.data ?? {};
      if (status === wanted) note(answer, wanted);
      else if (status === 'failed') await ask(url, tenant, 'verifyDomain', name);
      return status === wanted;
    });

  const created = await ask(url, tenant, 'createDomain', name);
  id = created.data?.domainId ?? '';
  note(created, 'created');
  if (name.startsWith('d2')) {
    await untilStatus('failed');
    note(await ask(url, tenant, 'verifyDomain', name), 'retried');
  }
  for (const { name, type, value } of created.data?.dnsRecords ?? []) dns.set(name, type, [value]);
  await untilStatus('verified');
  if (name.startsWith('d1')) note(await ask(url, tenant, 'deleteDomain', name), 'deleted');
}

/** For each acknowledged change, why its answer came too soon. */
export function tooSoon({ acknowledged, calls, path }: Recording): string[] {
  const answers = answersIn(calls);
  const log = calls.filter((call) => call.path === `${path}-wal`);
  const written = log.filter(({ name }) => name === 'pwrite64');
  const synced = log.filter(({ name }) => name === 'fsync' || name === 'fdatasync');
  const pages = firstIn(written, /dom_\w{26}ws_\w{26}domain\.[a-z]+/g);
  return acknowledged.flatMap(({ requestId, event }) => {
    const answer = answers.get(requestId);
    const page = pages.get(event) ?? -1;
    // A transaction ends with the page whose header holds the new size of the database.
    const header = written.findIndex(({ data }, i) => i >= page - 1 && data.length === 24 && data.readUInt32BE(4) > 0);
    const last = written[header + 1];
    if (answer === undefined) return [`${event}: its answer is not in the trace`];
    if (page === -1 || header === -1 || last === undefined) return [`${event}: it was not written to the log`];
    const sync = synced.find(({ began }) => began > last.ended);
    return sync !== undefined && sync.ended < answer.began ? [] : [`${event}: answered before it was synced`];
  });
}

/** The calls that wrote the answers of the API, by the ids of the requests. */
function answersIn(calls: readonly Call[]): Map<string, Call> {
  const sent = calls.filter(({ name, path }) => name.startsWith('write') && path.startsWith('socket'));
  const found = firstIn(sent, /req_\w{26}/g);
  return new Map([...found].flatMap(([requestId, index]) => (sent[index] ? [[requestId, sent[index]]] : [])));
}

/** Index of the first call that wrote a text, by each text of the pattern that there is. */
function firstIn(calls: readonly Call[], pattern: RegExp): Map<string, number> {
  const first = new Map<string, number>();
  for (const [index, { data }] of calls.entries()) {
    for (const [text] of data.toString('latin1').matchAll(pattern)) if (!first.has(text)) first.set(text, index);
  }
  return first;
}

/** Cuts the power at random moments. Counts acknowledged changes that are lost, and anything that is left torn. */
export async function cutPower(
  recording: Recording,
  cuts: number,
  random: Random,
): Promise<{ lost: string[]; looks: number }> {
  const { calls, path, before, acknowledged, directory } = recording;
  const events = eventsOf(calls);
  const answers = answersIn(calls);
  const answered = acknowledged.map((each) => ({ ...each, at: answers.get(each.requestId)?.began ?? 0 }));
  const first = answered[0]?.at ?? 0;
  // As often as at any time while the log is folded into the database.
  const folding = events.filter(({ at, call }) => at > first && call.path === path);
  const moments = Array.from({ length: cuts }, () => {
    const fold = random.chance(0.5) ? random.pick(folding) : undefined;
    return fold === undefined ? random.between(first, events.at(-1)?.at ?? 0) : fold.at + random.between(0, 2);
  }).sort((a, b) => a - b);
  const disk = createDisk([path, `${path}-wal`], { path, content: before });
  const lost: string[] = [];
  let looks = 0;
  let next = 0;
  for (const moment of moments) {
    for (let event = events[next]; event !== undefined && event.at < moment; event = events[++next])
      disk.happens(event);
    const due = answered.filter(({ at }) => at < moment);
    const left = await revive(join(directory, 'cut'), path, disk.cut(random));
    for (const { event } of due) if (!left.events.has(event)) lost.push(`${event} at ${moment}`);
    lost.push(...left.faults.map((fault) => `${fault} at ${moment}`));
    looks += due.length;
  }
  return { lost, looks };
}

/**
 * The events of files, each at the moment from which it counts: a write as soon as it began, a sync once it had ended.
 */
function eventsOf(calls: readonly Call[]): DiskEvent[] {
  const events = calls.flatMap((call): DiskEvent[] => {
    switch (call.name) {
      case 'openat':
        return [{ at: call.ended, what: 'opened', call }];
      case 'unlink':
        return [{ at: call.ended, what: 'unlinked', call }];
      case 'pwrite64':
        return [{ at: call.began, what: 'written', call }];
      case 'ftruncate':
        return [{ at: call.began, what: 'truncated', call }];
      case 'fsync':
      case 'fdatasync':
        return [{ at: call.ended, what: 'synced', call }];
      default:
        return [];
    }
  });
  return events.filter(({ at }) => Number.isFinite(at)).sort((a, b) => a.at - b.at);
}

/** Opens what a power cut has left, as the program does. */
async function revive(directory: string, path: string, files: Map<string, Buffer>) {
  await mkdir(directory);
  const file = join(directory, 'nameplate.db');
  for (const [name, content] of files) await writeFile(file + name.slice(path.length), content);
  const store = await sqliteStore({ path: file });
  await store.ping();
  await store.close();
  const { faults } = inspect(file, { ...SCHEDULE, now: Date.now });
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare('select domain_id || workspace_id || type as event from events').all();
  db.close();
  await rm(directory, { recursive: true });
  return { faults, events: new Set(rows.map(({ event }) => event)) };
}
