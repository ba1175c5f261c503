import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { aDomain, plant } from '../../../../test/support/entities.ts';
import { type Domain, WINDOW_MS } from '../../domain/domain.ts';
import { sqliteStore } from '../engine/sqlite/sqlite.ts';
import { connect } from '../engine/sqlite/sqlite-connection.ts';
import type { Reader } from '../engine/statement.ts';
import { listDomains } from './environment-domains.ts';

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
