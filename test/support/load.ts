import { setTimeout as delay } from 'node:timers/promises';
import { type Entry, type Ledger, newEntry, seeVerified } from './acknowledged.ts';
import { type Answer, askPatiently, type Data, type Operation } from './api-client.ts';
import type { Random } from './seeded-random.ts';
import { type Site, type Tenant, until } from './server-site.ts';

/** The world of clients that use the API at once, and note in the ledger what was acknowledged. */
export interface Scene {
  site: Site;
  tenants: readonly [Tenant, Tenant];
  ledger: Ledger;
  random: Random;
}

/** Clients that use servers until they are told to stop. */
export interface Load {
  /** Requests may fail from now on, since something is done to the servers. Whatever had no outcome is left alone. */
  expectFailures(): void;
  /** Requests that have failed so far. */
  failures(): number;
  /** Lets the clients finish what they have begun. */
  finish(): void;
  /** Resolves once every client has ended; rejects when an answer was wrong, or a request failed that should not. */
  ended: Promise<void>;
}

export interface LoadOptions {
  clients: number;
  /** Longest pause of a client between two requests. */
  pauseMs: number;
  /** Domains that a client holds before it deletes more than it creates. */
  most: number;
  /** How long a client waits for an answer. */
  timeoutMs?: number;
  /** How long a server may not know yet what another has done. */
  staleMs?: number;
}

const ZONES = 20;
let names = 0;

/** `at` says which server the next request goes to. */
export function startLoad(scene: Scene, at: () => string, options: LoadOptions): Load {
  const { random, ledger, tenants } = scene;
  const { clients, pauseMs, most } = options;
  let mayFail = false;
  let failures = 0;
  let finishing = false;
  const users = Array.from({ length: clients }, (_, client) => {
    const tenant = tenants[client % 2 === 0 ? 0 : 1];
    const held = ledger.entries.filter((entry) => entry.tenant === tenant && entry.state === 'held');
    // Each client takes other domains of its tenant.
    const own = held.filter((_, i) => i % Math.ceil(clients / 2) === Math.floor(client / 2));
    return createUser(scene, at, tenant, own, options);
  });
  const ended = Promise.all(
    users.map(async (user) => {
      while (!finishing) {
        try {
          await user.act(most);
        } catch (error) {
          if (!mayFail || error instanceof WrongAnswer) throw error;
          failures += 1;
        }
        await delay(random.between(0, pauseMs));
      }
    }),
  ).then(() => {});
  // Whoever awaits it later is told all the same.
  ended.catch(() => {});
  return {
    expectFailures() {
      mayFail = true;
    },
    failures: () => failures,
    finish() {
      finishing = true;
    },
    ended,
  };
}

class WrongAnswer extends Error {}

/** Asks, and rejects when the server could not say what came of it, and says to come again. */
async function askOnce(
  url: string,
  tenant: Tenant,
  operation: Operation,
  name: string,
  timeoutMs?: number,
): Promise<Answer> {
  const answer = await askPatiently(url, tenant, operation, name, timeoutMs);
  const { status, headers } = answer;
  if (status === 500 && headers.has('retry-after')) {
    throw new Error(`${operation} ${name}: ${status}, come again`);
  }
  return answer;
}

/** Creates a domain, of a name that is new unless it is given, and publishes the records of most. */
export async function create(
  scene: Scene,
  url: string,
  tenant: Tenant,
  name = newName(),
  timeoutMs?: number,
): Promise<Entry> {
  const { site, ledger, random } = scene;
  const entry = newEntry(tenant, name);
  ledger.entries.push(entry);
  const { status, data } = await askOnce(url, tenant, 'createDomain', name, timeoutMs);
  if (status !== 200 || data === undefined) throw new WrongAnswer(`createDomain ${name}: ${status}`);
  Object.assign(entry, { state: 'held', id: data.domainId, records: data.dnsRecords, knownAt: Date.now() });
  ledger.acknowledged.created += 1;
  if (random.chance(0.6)) publish(site, entry);
  return entry;
}

function newName(): string {
  names += 1;
  return `d${names}.zone${names % ZONES}.test`;
}

/** One client, with domains that no other touches. */
function createUser(scene: Scene, at: () => string, tenant: Tenant, own: Entry[], options: LoadOptions) {
  const { site, tenants, ledger, random } = scene;
  const { timeoutMs, staleMs = 0 } = options;
  const { acknowledged } = ledger;

  async function add(name?: string): Promise<Entry> {
    const entry = await create(scene, at(), tenant, name, timeoutMs);
    own.push(entry);
    return entry;
  }

  async function remove(entry: Entry): Promise<void> {
    entry.state = 'leaving';
    own.splice(own.indexOf(entry), 1);
    const { status } = await askOnce(at(), tenant, 'deleteDomain', entry.name, timeoutMs);
    if (status !== 200) throw new WrongAnswer(`deleteDomain ${entry.name}: ${status}`);
    entry.state = 'gone';
    acknowledged.deleted += 1;
    for (const { name } of entry.records) site.dns.remove(name);
    // A name that was given up can be had again.
    if (random.chance(0.2)) await add(entry.name);
  }

  async function retry(entry: Entry): Promise<void> {
    const before = Date.now();
    const { status: was } = await read(entry);
    const { status } = await askOnce(at(), tenant, 'verifyDomain', entry.name, timeoutMs);
    if (status !== 202 && status !== 412) throw new WrongAnswer(`verifyDomain ${entry.name}: ${status}`);
    if (status === 412) return seeVerified(ledger, entry);
    acknowledged.retried += 1;
    if (was === 'failed') Object.assign(entry, { retriedAt: before, knownAt: Date.now() });
  }

  async function read(entry: Entry): Promise<Data> {
    const data = await readHeld(at(), entry, timeoutMs);
    if (data.status === 'verified') seeVerified(ledger, entry);
    else if (entry.verified && !entry.contested)
      throw new WrongAnswer(`${entry.name} was verified, and is ${data.status}`);
    return data;
  }

  /** Proves that it owns a name which the first workspace has verified. */
  async function contest(): Promise<void> {
    const verified = ledger.entries.filter((entry) => entry.state === 'held' && entry.verified && !entry.contested);
    const incumbent = random.pick(verified.filter((entry) => entry.tenant === tenants[0]));
    if (tenant === tenants[0] || incumbent === undefined) return;
    incumbent.contested = true;
    publish(site, await add(incumbent.name));
  }

  return {
    /** One thing that clients do, at random. */
    async act(most: number): Promise<void> {
      const settled = Date.now() - staleMs;
      const entry = random.pick(own.filter(({ contested, knownAt }) => !contested && knownAt <= settled));
      const dice = random.next();
      if (entry === undefined || dice < (own.length >= most ? 0.05 : 0.3)) await add();
      else if (dice < 0.4) await remove(entry);
      else if (dice < 0.5) await retry(entry);
      else if (dice < 0.55) publish(site, entry);
      else if (dice < 0.57) await contest();
      else await read(entry);
    },
  };
}

/** Publishes the records of a domain, as a customer would. */
export function publish({ dns }: Site, entry: Entry): void {
  for (const { name, type, value } of entry.records) dns.set(name, type, [value]);
}

/**
 * Reads a domain that was acknowledged; rejects when it is not there, or its records are not those that were handed
 * out.
 */
export async function readHeld(url: string, entry: Entry, timeoutMs?: number): Promise<Data> {
  const { status, data } = await askOnce(url, entry.tenant, 'getDomain', entry.name, timeoutMs);
  if (status !== 200 || data === undefined) throw new WrongAnswer(`getDomain ${entry.name}: ${status}`);
  const values = (records: Data['dnsRecords']) =>
    JSON.stringify(records.map(({ name, type, value }) => [name, type, value]));
  if (entry.records.length === 0) entry.records = data.dnsRecords;
  if (data.id !== entry.id || values(data.dnsRecords) !== values(entry.records)) {
    throw new WrongAnswer(`getDomain ${entry.name}: ${JSON.stringify(data)} in place of ${JSON.stringify(entry)}`);
  }
  return data;
}

/** Waits until a domain whose records are published is verified; a domain whose window ended before is retried. */
export function untilVerified(url: string, ledger: Ledger, entry: Entry): Promise<void> {
  return until(`${entry.id} ${entry.name} is verified`, async () => {
    const { status } = await readHeld(url, entry);
    if (status === 'failed') await askPatiently(url, entry.tenant, 'verifyDomain', entry.name);
    if (status === 'verified') seeVerified(ledger, entry);
    return entry.verified;
  });
}
