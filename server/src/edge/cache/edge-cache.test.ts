import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../base/log.ts';
import { createKey, createKeyring, parseKeys } from '../../store/sealing/keyring.ts';
import { type Change, type Site, StoreUnavailable } from '../../store/store.ts';
import { createEdgeCache } from './edge-cache.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

let directory: string;
let path: string;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  directory = await mkdtemp(join(tmpdir(), 'nameplate-edge-cache-'));
  path = join(directory, 'edge-cache');
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true });
});

/** A private key, as far as sealing can tell. */
const PRIVATE_KEY = new Uint8Array([0x30, ...Buffer.from('which nobody may read')]);

const ORIGIN = { deployment: { id: 'dep_1', origin: 'http://10.0.0.1' }, settings: null };

/** A site as the edge serves it; its origin is cached by environment. */
function served(hostname: string, chain = `chain of ${hostname}`) {
  return {
    hostname,
    domainId: 'dom_1',
    environmentId: 'env_1',
    certificate: { chain, privateKey: PRIVATE_KEY, notAfter: 1, inherited: false },
    redirect: null,
    workspaceId: 'ws_1',
    suspendedStatus: null,
    usageNumber: 1,
    settings: null,
  };
}

function aSite(hostname: string, chain?: string): Site {
  return { ...served(hostname, chain), origin: ORIGIN };
}

/** A store, its change feed and a clock, which outlive the processes that cache served sites. */
function createWorld() {
  let now = 1_800_000_000_000;
  const keys = [createKey()];
  const sites = new Map<string, Site>();
  const world = {
    sites,
    keys,
    isAway: false,
    reads: [] as string[],
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    start({ database = 'sqlite:/one.db', recent = [] as string[], maxBytes = 1_000_000 } = {}) {
      const listeners: ((change: Change | null) => void)[] = [];
      const logged: string[] = [];
      const log = createLog('info', { write: (line: string) => void logged.push(JSON.parse(line).msg) });
      const keyring = createKeyring({ name: 'the keys', keys: () => parseKeys(keys.join()) });
      const registry = new Registry();
      const clock = { now: () => now };
      const cache = createEdgeCache({ path, database, keyring, clock, log, metrics: { registry }, maxBytes });
      const store = {
        async findSite(hostname: string) {
          world.reads.push(hostname);
          if (world.isAway) throw new StoreUnavailable('away');
          return sites.get(hostname) ?? null;
        },
        findOperatorSite: async () => null,
        findOrigin: async () => ({ deployment: { id: 'dep_2', origin: 'http://10.0.0.2' }, settings: null }),
        findBrand: async () => null,
        findChallenge: async () => null,
      };
      const changes = {
        isFresh: () => !world.isAway,
        subscribe: (listener: (typeof listeners)[number]) => void listeners.push(listener),
      };
      return {
        cache,
        logged,
        record: () => cache.startRecording({ store, changes, recentNames: async () => [recent] }),
        change(kind: Change['kind'] | null, key = '') {
          for (const listener of listeners) listener(kind === null ? null : { seq: 1, kind, key });
        },
        metric: async (name: string) => (await registry.getMetricsAsJSON()).find((one) => one.name === name)?.values,
      };
    },
  };
  return world;
}

/** Serves names, then ends, so that a later process finds them in the file. */
async function serve(world: ReturnType<typeof createWorld>, ...names: string[]): Promise<void> {
  const { store, stop } = world.start().record();
  for (const name of names) {
    world.sites.set(name, aSite(name));
    await store.findSite(name);
  }
  await stop();
}

describe('the edge cache', () => {
  it('has the settings of an origin after a restart, sealed in the file', async () => {
    const world = createWorld();
    const text = new TextEncoder().encode('npe_the-secret-of-an-origin');
    const settings = {
      hostHeader: 'origin',
      caCertificate: 'ca',
      clientCertificate: { chain: 'chain', privateKey: new TextEncoder().encode('the-key-of-a-client') },
      secret: { current: text, previous: null, previousExpiresAt: null },
      sendsExternalId: false,
    };
    const { store, stop } = world.start().record();
    world.sites.set('a.example.com', { ...aSite('a.example.com'), origin: { ...ORIGIN, settings } });
    await store.findSite('a.example.com');
    await stop();
    const file = await readFile(path);
    for (const secret of ['npe_the-secret', 'the-key-of-a-client']) expect(file.includes(secret)).toBe(false);
    const { cache } = world.start();
    await cache.load();
    const { environmentId } = aSite('a.example.com');
    expect((await cache.findOrigin(environmentId))?.value).toEqual({ ...ORIGIN, settings });
  });

  it('serves after a restart what was served before, while the store is away', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com', 'b.example.com');
    world.isAway = true;
    const { cache } = world.start();
    expect(await cache.load()).toBe(2);
    expect((await cache.findSite('a.example.com'))?.value).toEqual(served('a.example.com'));
    expect((await cache.findOrigin('env_1'))?.value).toEqual(ORIGIN);
    expect(await cache.findSite('c.example.com')).toBe(undefined);
    expect(await cache.findOrigin('env_2')).toBe(undefined);
  });

  it('keeps private keys sealed in the file', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com');
    const bytes = await readFile(path);
    expect(bytes.includes(Buffer.from(PRIVATE_KEY.subarray(1)))).toBe(false);
    world.keys.splice(0, 1, createKey());
    expect(await world.start().cache.load()).toBe(0);
  });

  it('is sealed under the first key at its next write, so that an older key can be removed', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com');
    world.keys.unshift(createKey());
    await serve(world, 'b.example.com');
    world.keys.pop();
    world.isAway = true;
    const { cache } = world.start();
    await cache.load();
    expect((await cache.findSite('a.example.com'))?.value).toEqual(served('a.example.com'));
  });

  it('serves nothing that the store confirmed more than 72 hours ago, entry by entry', async () => {
    const world = createWorld();
    await serve(world, 'old.example.com');
    world.advance(40 * HOUR_MS);
    await serve(world, 'new.example.com');
    world.isAway = true;
    world.advance(33 * HOUR_MS);
    const { cache } = world.start();
    expect(await cache.load()).toBe(1);
    expect(await cache.findSite('old.example.com')).toBe(undefined);
    const until = (await cache.findSite('new.example.com'))?.until ?? 0;
    world.advance(39 * HOUR_MS);
    expect(await cache.findSite('new.example.com')).toMatchObject({ until });
    world.advance(1);
    expect(await cache.findSite('new.example.com')).toBe(undefined);
    const { cache: last, logged } = world.start();
    expect([await last.load(), logged[0]]).toEqual([0, expect.stringContaining('72 hours')]);
  });

  it('a clock that was set back by more than an hour makes the age unknown', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com');
    world.isAway = true;
    const { cache } = world.start();
    await cache.load();
    world.advance(-HOUR_MS);
    expect(await cache.findSite('a.example.com')).not.toBe(undefined);
    world.advance(-1);
    expect(await cache.findSite('a.example.com')).toBe(undefined);
  });

  it('an unusable file is logged, counts as none, and is replaced', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com');
    const other = world.start({ database: 'sqlite:/two.db' });
    expect([await other.cache.load(), other.logged]).toEqual([0, [expect.stringContaining('of another database')]]);
    await writeFile(path, 'half a fi');
    const damaged = world.start();
    expect([await damaged.cache.load(), damaged.logged]).toEqual([0, [expect.stringContaining('is ignored')]]);
    await serve(world, 'b.example.com');
    const { cache, logged } = world.start();
    expect([await cache.load(), logged]).toEqual([1, []]);
  });

  it('a directory that cannot be written is logged, and disturbs nobody', async () => {
    const world = createWorld();
    await writeFile(join(directory, 'a-file'), '');
    path = join(directory, 'a-file', 'edge-cache');
    const { record, logged } = world.start();
    const { store, stop } = record();
    world.sites.set('a.example.com', aSite('a.example.com'));
    expect(await store.findSite('a.example.com')).toEqual(aSite('a.example.com'));
    await stop();
    expect(logged).toEqual([expect.stringContaining('cannot be written')]);
  });

  it('a name whose certificate may have changed is served while the store is away; one whose route has changed is not', async () => {
    const world = createWorld();
    const { cache, record, change } = world.start();
    const { store, stop } = record();
    world.sites.set('a.example.com', aSite('a.example.com'));
    await store.findSite('a.example.com');
    const isServed = async () => (await cache.findSite('a.example.com')) !== undefined;
    world.isAway = true;
    change('certificate', 'a.example.com');
    expect(await isServed()).toBe(true);
    change('route', 'a.example.com');
    expect(await isServed()).toBe(false);
    await stop();
  });

  it('has a wildcard after a restart, under its own name; not once a name below it has got or lost its route', async () => {
    const world = createWorld();
    const wildcard = { ...aSite('*.example.com'), exceptions: new Set(['own.example.com']) };
    const first = world.start();
    const recording = first.record();
    world.sites.set('a.example.com', wildcard);
    await recording.store.findSite('a.example.com');
    await recording.stop();
    const { cache, record, change } = world.start();
    await cache.load();
    const { origin: _, ...value } = wildcard;
    expect(await cache.findSite('*.example.com')).toMatchObject({ value });
    expect(await cache.findSite('a.example.com')).toBeUndefined();
    const { stop } = record();
    change('route', 'b.example.com');
    expect(await cache.findSite('*.example.com')).toBeUndefined();
    await stop();
  });

  it('reads again each minute what has changed: a renewed certificate is kept', async () => {
    const world = createWorld();
    const { record, change } = world.start();
    const { store, stop } = record();
    for (const name of ['a.example.com', 'b.example.com', 'c.example.com']) {
      world.sites.set(name, aSite(name));
      await store.findSite(name);
    }
    world.sites.set('a.example.com', aSite('a.example.com', 'its next chain'));
    world.sites.delete('b.example.com');
    world.reads = [];
    change('certificate', 'a.example.com');
    change('route', 'b.example.com');
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitFor(() => expect(world.reads).toEqual(['a.example.com']), 5000);
    await stop();
    world.isAway = true;
    const { cache } = world.start();
    expect(await cache.load()).toBe(2);
    expect((await cache.findSite('a.example.com'))?.value).toEqual(served('a.example.com', 'its next chain'));
  });

  it('a process that starts with its store confirms the names of the file, and forgets those deleted meanwhile', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com', 'b.example.com');
    world.sites.delete('b.example.com');
    const { cache, record } = world.start();
    const { stop } = record();
    world.advance(40 * HOUR_MS);
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitFor(async () => expect(await cache.findSite('b.example.com')).toBe(undefined), 5000);
    await stop();
    world.isAway = true;
    world.advance(40 * HOUR_MS);
    expect(await world.start().cache.load()).toBe(1);
  });

  it('a read that a change overtakes is no confirmation: it is read again', async () => {
    const world = createWorld();
    const { cache, record, change } = world.start();
    const { store, stop } = record();
    world.sites.set('a.example.com', aSite('a.example.com'));
    const read = store.findSite('a.example.com');
    world.sites.delete('a.example.com');
    change('route', 'a.example.com');
    await read;
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitFor(async () => expect(await cache.findSite('a.example.com')).toBe(undefined), 5000);
    await stop();
  });

  it('is written each minute; keeps the names that were served last when there is no room for all', async () => {
    const world = createWorld();
    const names = Array.from({ length: 8 }, (_, i) => `${i}.example.com`);
    for (const name of names) world.sites.set(name, aSite(name));
    const { record } = world.start({ recent: ['2.example.com', '0.example.com'] });
    const { store, stop } = record();
    for (const name of names) await store.findSite(name);
    vi.advanceTimersByTime(MINUTE_MS);
    await vi.waitFor(() => readFile(path), 5000);
    world.isAway = true;
    const { cache } = world.start({ maxBytes: 2000 });
    await cache.load();
    const found = await Promise.all(names.map((name) => cache.findSite(name)));
    expect(names.filter((_, i) => found[i] !== undefined)).toEqual(['0.example.com', '2.example.com', '7.example.com']);
    await stop();
  });

  it('a process that is replaced writes its file for the next one, and leaves that of the next one alone', async () => {
    const world = createWorld();
    const before = world.start().record();
    world.sites.set('a.example.com', aSite('a.example.com'));
    await before.store.findSite('a.example.com');
    await before.save();
    const { cache, record } = world.start();
    expect(await cache.load()).toBe(1);
    before.leave();
    const after = record();
    for (const [{ store }, name] of [
      [after, 'b.example.com'],
      [before, 'c.example.com'],
    ] as const) {
      world.sites.set(name, aSite(name));
      await store.findSite(name);
    }
    await after.stop();
    world.advance(24 * HOUR_MS);
    await before.stop();
    const last = world.start().cache;
    await last.load();
    expect(await last.findSite('b.example.com')).not.toBe(undefined);
    expect(await last.findSite('c.example.com')).toBe(undefined);
  });

  it('tells the size and the age of its file', async () => {
    const world = createWorld();
    await serve(world, 'a.example.com');
    world.advance(HOUR_MS);
    const { cache, metric } = world.start();
    expect(await metric('nameplate_edge_cache_bytes')).toEqual([]);
    await cache.load();
    const { length } = await readFile(path);
    expect(await metric('nameplate_edge_cache_bytes')).toMatchObject([{ value: length }]);
    expect(await metric('nameplate_edge_cache_age_seconds')).toMatchObject([{ value: 3600 }]);
    expect(await metric('nameplate_edge_cache_entries')).toMatchObject([{ value: 1 }]);
  });
});
