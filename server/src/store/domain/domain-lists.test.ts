import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { aDomain, anEnvironment, NOW, plant } from '../../../../test/support/entities.ts';
import { type Domain, WINDOW_MS } from '../../domain/domain.ts';
import { sqliteStore } from '../engine/sqlite/sqlite.ts';
import { connect } from '../engine/sqlite/sqlite-connection.ts';
import type { Reader } from '../engine/statement.ts';
import type { Environment, Store, WorkspacePageRequest } from '../store.ts';
import { listDomains, listWorkspaceDomains } from './domain-lists.ts';

describe('a page that scans at most two slices of 3 domains', () => {
  const directory = temporaryDirectory();
  const path = `${directory.path}/nameplate.db`;
  const names = Array.from({ length: 20 }, (_, i) => `${String(i).padStart(2, '0')}.example.com`);
  /** In the last five. */
  const rare = names.slice(15);
  const closing: (() => unknown)[] = [() => directory.remove()];
  let workspaceId: string;
  let store: Store;
  let environments: Environment[];
  let sibling: string;
  let statements = 0;
  let reader: Reader;
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });
  beforeAll(async () => {
    store = await sqliteStore({ path });
    closing.push(() => store.close());
    const { workspace, app, environment } = await plant(store);
    const other = anEnvironment(app);
    await store.createEnvironment(other);
    workspaceId = workspace.id;
    sibling = other.id;
    environments = [environment, other];
    for (const name of names) {
      const place = rare.includes(name) ? other : environment;
      await store.createDomains([aDomain(place, { name })], NOW + WINDOW_MS);
    }
    const connection = connect(path, { readOnly: true, busyTimeoutMs: 0 });
    closing.push(() => connection.db.close());
    reader = {
      one: (...call) => {
        statements += 1;
        return connection.one(...call);
      },
      all: (...call) => {
        statements += 1;
        return connection.all(...call);
      },
    };
  });

  const pageOf = async (page: WorkspacePageRequest) => {
    const { items, next } = await listWorkspaceDomains(reader, workspaceId, page, {
      slice: 3,
      mostSlices: 2,
      namesSlice: 3,
    });
    return { names: items.map(({ domain }) => domain.name), next };
  };
  const searches: [string, Omit<WorkspacePageRequest, 'limit'>, string[]][] = [
    ['of a rare name', { search: '17.ex' }, ['17.example.com']],
    ['of nothing', { search: 'nothing' }, []],
    ['of many names', { search: 'example' }, names],
    ['in one environment', { environmentIds: new Set(['sibling']) }, rare],
    ['of one status in one environment', { status: 'pending', environmentIds: new Set(['sibling']) }, rare],
    ['of another status', { status: 'failed', search: 'example' }, []],
  ];

  it.each(searches)('finds everything in the end: a search %s', async (_, search, wanted) => {
    const environmentIds = search.environmentIds && new Set([sibling]);
    for (const limit of [1, 2, 5, 20, 100]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await pageOf({ ...search, environmentIds, limit, cursor });
        expect(page.names.length).toBeLessThanOrEqual(limit);
        if (page.next !== undefined) expect(page.next > (cursor ?? '')).toBe(true);
        found.push(...page.names);
        cursor = page.next;
      } while (cursor !== undefined);
      expect(found).toEqual(wanted);
    }
  });

  it('ends after as many statements, though it found nothing, and says where the next one begins', async () => {
    statements = 0;
    expect(await pageOf({ createdBefore: 1, limit: 10 })).toEqual({ names: [], next: names[6] });
    expect(statements).toBe(4);

    // The index has the names.
    statements = 0;
    expect(await pageOf({ search: 'nothing', limit: 10 })).toEqual({ names: [], next: names[6] });
    expect(statements).toBe(2);
  });

  it('is two statements where an index finds what is wanted: one for the ids, and one for the domains', async () => {
    for (const filter of [{}, { status: 'pending' }] as const) {
      statements = 0;
      await pageOf({ ...filter, limit: 5 });
      expect(statements).toBe(2);
    }
  });

  it('a key of one environment is told no name of another, not by a cursor either', async () => {
    const cursors: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      cursor = (await pageOf({ environmentIds: new Set([sibling]), limit: 1, cursor })).next;
      cursors.push(cursor);
    } while (cursor !== undefined);
    const ids = await Promise.all(rare.map(async (name) => (await store.findDomainByName(workspaceId, name))?.id));
    expect(cursors).toEqual([...ids.slice(1).map((id) => `${sibling}.${id}`), undefined]);
  });

  it('of some environments ends after as many statements too, and reads no others', async () => {
    const [environment] = environments;
    const environmentIds = new Set([environment?.id ?? '']);
    statements = 0;
    const { names: found, next } = await pageOf({ environmentIds, search: 'nothing', limit: 10 });
    const sixth = await store.findDomainByName(workspaceId, names[6] ?? '');
    expect([found, next, statements]).toEqual([[], `${environment?.id}.${sixth?.id}`, 4]);

    statements = 0;
    const many = new Set(['env_000', 'env_001', sibling]);
    const page = await pageOf({ environmentIds: many, limit: 10 });
    expect([page, statements]).toEqual([{ names: [], next: `${sibling}.` }, 2]);
    expect((await pageOf({ environmentIds: many, limit: 10, cursor: `${sibling}.` })).names).toEqual(rare);
  });

  it('lets others be served after each slice', async () => {
    let served = false;
    setImmediate(() => {
      served = true;
    });
    await pageOf({ search: 'nothing', limit: 10 });
    expect(served).toBe(true);
  });

  it('misses no domain when others are added between two statements', async () => {
    const [environment] = environments;
    if (environment === undefined) throw new Error('there are two');
    const add = (name: string) => store.createDomains([aDomain(environment, { name })], NOW + WINDOW_MS);
    const changing: Reader = {
      one: (...call) => reader.one(...call),
      async all(...call) {
        await add(`15${statements}.example.com`);
        return reader.all(...call);
      },
    };
    const page = { limit: 10, cursor: '15', environmentIds: new Set([sibling]) };
    const { items } = await listWorkspaceDomains(changing, workspaceId, page, { slice: 3, mostSlices: 9 });
    expect(items.map(({ domain }) => domain.name)).toEqual(rare);
  });
});

describe('a search in slices of 3 domains', () => {
  const directory = temporaryDirectory();
  const path = `${directory.path}/nameplate.db`;
  let reader: Reader;
  let place: { workspaceId: string; environmentId: string };
  let domains: Domain[];
  const closing: (() => unknown)[] = [() => directory.remove()];
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });
  beforeAll(async () => {
    const store = await sqliteStore({ path });
    closing.push(() => store.close());
    const { workspace, environment } = await plant(store);
    domains = Array.from({ length: 10 }, (_, i) =>
      aDomain(environment, { name: `${i % 4 === 0 ? 'far' : 'near'}${i}.example.com` }),
    );
    for (const domain of domains) await store.createDomain(domain, domain.createdAt + WINDOW_MS);
    const connection = connect(path, { readOnly: true, busyTimeoutMs: 0 });
    closing.push(() => connection.db.close());
    reader = connection;
    place = { workspaceId: workspace.id, environmentId: environment.id };
  });

  const search = async (part: string, limit = 100, cursor = '') => {
    const page = { limit, cursor, search: part };
    return (await listDomains(reader, place.workspaceId, place.environmentId, page, { slice: 3 })).items;
  };

  it('finds every match once, in order of ids, wherever the slices end', async () => {
    const all = (part: string) => domains.filter(({ name }) => name.includes(part));
    for (const part of ['far', 'near', 'example', 'far8', 'near9']) expect(await search(part)).toEqual(all(part));
    for (const [index, { id }] of domains.entries()) {
      expect(await search('far', 100, id)).toEqual(all('far').filter((domain) => domains.indexOf(domain) >= index));
    }
  });

  it('ends with as many as are asked for', async () => {
    for (let limit = 1; limit <= 11; limit++) expect(await search('example', limit)).toEqual(domains.slice(0, limit));
    expect(await search('far', 2)).toEqual([domains[0], domains[4]]);
  });

  it('that finds nothing lets others be served after each slice', async () => {
    let served = 0;
    let isOver = false;
    const searching = search('nothing').finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      served += 1;
    }
    expect(await searching).toEqual([]);
    expect(served).toBeGreaterThanOrEqual(3);
  });
});
