import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { metadataOf, newOwnData, type OwnDataChange } from '../../server/src/domain/own-data.ts';
import type { DomainChange, WorkspacePageRequest } from '../../server/src/store/store.ts';
import { prove, takeOver, verify } from '../support/certificates.ts';
import { AUTHOR, aDomain, anEnvironment, attach, NOW } from '../support/entities.ts';
import type { Subject } from './subject.ts';
import { readAll } from './tree.ts';

const LATER = NOW + 1000;
const KEYS = ['a', 'A', 'b', '__proto__', 'constructor', '10', 'k.-_'];
/** Some would be found by a comparison that is not exact. */
const VALUES = ['', '1', 'x', 'X', '%', "'", '"', '\\', '"b":"1"', 'x","b":"1', 'é', '😀'];
const IDS = ['1', 'x', 'X', 'x%', "x'", '😀'];

type Query = Omit<WorkspacePageRequest, 'limit' | 'cursor'>;

const key = fc.constantFrom(...KEYS);
const value = fc.constantFrom(...VALUES);
const entries = (values: fc.Arbitrary<string | null>) =>
  fc.array(fc.tuple(key, values), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
const change: fc.Arbitrary<OwnDataChange> = fc.record(
  {
    externalId: fc.option(fc.constantFrom(...IDS), { nil: null }),
    metadata: fc.option(entries(fc.option(value, { nil: null })), { nil: null, freq: 8 }),
  },
  { requiredKeys: [] },
);
const step = fc.record({
  do: fc.constantFrom('create', 'create', 'update', 'update', 'update', 'move', 'restore', 'verify'),
  domain: fc.nat(20),
  to: fc.nat(1),
  change,
});
const query = fc.record(
  {
    externalId: fc.constantFrom(...IDS),
    metadata: entries(value).filter((pairs) => Object.keys(pairs).length > 0) as fc.Arbitrary<Record<string, string>>,
    status: fc.constantFrom('pending', 'verified', 'failed'),
    certificate: fc.constantFrom('wanted', 'issued'),
    search: fc.constantFrom('', 'example', 'nothing'),
    createdAfter: fc.nat(12).map((ms) => NOW + ms),
    createdBefore: fc.nat(12).map((ms) => NOW + ms),
    places: fc.constantFrom([0], [1], [0, 1], []),
  },
  { requiredKeys: [] },
);

/** The data that platforms keep with domains, and the lists that find domains by it. */
export function describeOwnData(subject: Subject): void {
  const update = ({ workspaceId, id }: Domain, wanted: DomainChange) =>
    subject.store.changesBy(AUTHOR).updateDomain(workspaceId, id, wanted, LATER);
  const idsOf = async (workspaceId: string, wanted: Query, limit = 3) => {
    const { items } = await readAll(limit, (page) =>
      subject.store.listWorkspaceDomains(workspaceId, { ...wanted, ...page }),
    );
    return items.map(({ domain }) => domain.id);
  };
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    return (await subject.store.changesSince(latest)).changes.map(({ kind, key }) => `${kind} ${key}`);
  };

  describe("a platform's own data", () => {
    it('is changed with the time and the revision, and nothing else of the domain; the caches hear of it', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const pending = await attach(store, environment, newOwnData({ metadata: { a: '1' } }));
      const verified = await verify(store, environment);
      const domain = `domain ${pending.id}`;
      expect(await changesOf(() => update(pending, { externalId: 'x', metadata: { b: '2' } }))).toEqual([domain]);
      const after = {
        ...pending,
        externalId: 'x',
        metadata: '{"a":"1","b":"2"}',
        updatedAt: LATER,
        revision: pending.revision + 1,
      };
      expect(await store.findDomainById(pending.workspaceId, pending.id)).toEqual(after);
      expect(await changesOf(() => update(pending, { metadata: { a: '1' } }))).toEqual([]);
      expect(await update(pending, {})).toEqual({ kind: 'unchanged', domain: after, settings: null });
      expect(await changesOf(() => update(verified, { externalId: 'x' }))).toEqual([
        `domain ${verified.id}`,
        `route ${verified.name}`,
      ]);
      expect(await changesOf(() => update(verified, { metadata: { a: '1' } }))).toEqual([`domain ${verified.id}`]);
    });

    it('is never larger than it may be, and is of the workspace that has the domain', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const stranger = await subject.plant();
      const domain = await attach(store, environment);
      const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']));
      expect(await update(domain, { metadata: many })).toEqual({ kind: 'too_large' });
      expect(await store.updateDomain(stranger.workspace.id, domain.id, { externalId: 'x' }, LATER)).toEqual({
        kind: 'missing',
      });
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(domain);
    });

    it('and its own origin are changed only in the environment where the caller may deploy', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await attach(store, environment);
      const change = (deploysIn: string) =>
        update(domain, { settings: { origin: 'https://own.acme.test' }, deploysIn, externalId: 'x' });
      expect(await change('env_before_it_was_moved')).toEqual({ kind: 'missing' });
      expect(await change(environment.id)).toMatchObject({ kind: 'updated' });
    });

    it('is kept by a change that races with it: none is lost', async () => {
      const domain = await attach(subject.store, (await subject.plant()).environment);
      await Promise.all(KEYS.slice(0, 3).map((name) => update(domain, { metadata: { [name]: '1' } })));
      const found = await subject.store.findDomainById(domain.workspaceId, domain.id);
      expect(found?.metadata).toBe('{"A":"1","a":"1","b":"1"}');
    });

    it('ends with the domain: the one that takes the name over has none of it', async () => {
      const { store } = subject;
      const [mine, other] = [await subject.plant(), await subject.plant()];
      const holder = await verify(store, mine.environment, newOwnData({ externalId: 'x', metadata: { a: '1' } }));
      const claimant = await takeOver(store, other.environment, holder, LATER);
      expect(await store.findDomainById(claimant.workspaceId, claimant.id)).toMatchObject({ externalId: null });
      expect(await idsOf(other.workspace.id, { externalId: 'x' })).toEqual([]);
      expect(await idsOf(mine.workspace.id, { externalId: 'x', metadata: { a: '1' } })).toEqual([holder.id]);
      await store.deleteDomain(holder.workspaceId, holder.id, NOW);
      expect(await idsOf(mine.workspace.id, { externalId: 'x' })).toEqual([]);
    });

    it.each([
      ['a byte order mark', '\uFEFFa\uFEFF'],
      ['marks of direction', '\u202Ea\u2066\u200F'],
      ['255 characters of four bytes', '\u{1F600}'.repeat(255)],
      ['letters that are equal once they are normalized', 'e\u0301\u00E9'],
      ['characters that are none', '\uFFFF\uFFFE\uFFFD'],
    ])('is found as it was given, and not by less: %s', async (_, text) => {
      const { store } = subject;
      const { environment, workspace } = await subject.plant();
      const long = [...text.repeat(2)].slice(0, 500).join('');
      const domain = await attach(store, environment, newOwnData({ externalId: text, metadata: { k: long } }));
      expect(await store.findDomainById(workspace.id, domain.id)).toEqual(domain);
      const wanted = [{ externalId: text }, { metadata: { k: long } }, { externalId: text, metadata: { k: long } }];
      for (const each of wanted) expect(await idsOf(workspace.id, each)).toEqual([domain.id]);
      const less = [...text].slice(1).join('');
      for (const each of [{ externalId: less }, { metadata: { k: less } }, { externalId: text, metadata: { k: less } }])
        expect(await idsOf(workspace.id, each)).toEqual([]);
    });

    it('is that of the new domain where one is replaced, and comes back with the old one', async () => {
      const { store } = subject;
      const { environment, workspace } = await subject.plant();
      const old = await attach(store, environment, newOwnData({ externalId: 'old', metadata: { a: '1' } }));
      const domain = aDomain(environment, { name: old.name, ...newOwnData({ externalId: 'new' }) });
      const replacing = { holders: [old], keptUntil: LATER + 1000 };
      expect(await store.createDomain(domain, LATER, replacing)).toEqual({ kind: 'created', replaced: old.id });
      expect(await idsOf(workspace.id, { externalId: 'old' })).toEqual([]);
      expect(await idsOf(workspace.id, { metadata: { a: '1' } })).toEqual([]);
      expect(await idsOf(workspace.id, { externalId: 'new' })).toEqual([domain.id]);
      await store.deleteDomain(workspace.id, domain.id, LATER);
      const deleted = await store.findDeletedDomain(workspace.id, old.id, LATER);
      if (deleted === null) throw new Error('it is kept');
      await store.restoreDomain(deleted, LATER, 1000);
      expect(await idsOf(workspace.id, { externalId: 'old', metadata: { a: '1' } })).toEqual([old.id]);
      expect(await idsOf(workspace.id, { externalId: 'new' })).toEqual([]);
    });

    it('is that of both domains of a pair, and of each alone afterwards', async () => {
      const { store } = subject;
      const { environment, workspace } = await subject.plant();
      const own = newOwnData({ externalId: 'x', metadata: { a: '1' } });
      const apex = aDomain(environment, own);
      const www = aDomain(environment, { name: `www.${apex.name}`, ...own });
      await store.createDomainWithWww(apex, www, LATER);
      expect(await idsOf(workspace.id, { externalId: 'x', metadata: { a: '1' } })).toEqual([apex.id, www.id]);
      await update(www, { externalId: 'y', metadata: { a: '2' } });
      expect(await idsOf(workspace.id, { externalId: 'x', metadata: { a: '1' } })).toEqual([apex.id]);
      expect(await idsOf(workspace.id, { externalId: 'y', metadata: { a: '2' } })).toEqual([www.id]);
    });

    it('finds exactly the domains that have it, whatever was changed, moved, deleted and restored, with any other filter', async () => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 25, size: 'max' }),
        fc.array(query, { minLength: 12, maxLength: 12, size: 'max' }),
        async (steps, queries) => {
          const { store } = subject;
          const { workspace, app, environment } = await subject.plant();
          const environments = [environment, anEnvironment(app)] as const;
          await store.createEnvironment(environments[1]);
          const domains: Domain[] = [];
          for (const [at, each] of steps.entries()) {
            const target = environments[each.to] ?? environment;
            const domain = domains[each.domain % domains.length];
            if (each.do === 'create' || domain === undefined) {
              const { externalId, metadata } = each.change;
              const given = Object.entries(metadata ?? {}).filter(([, value]) => value !== null);
              const own = newOwnData({
                externalId: externalId ?? undefined,
                metadata: Object.fromEntries(given) as Record<string, string>,
              });
              domains.push(await attach(store, target, { ...own, createdAt: NOW + at }));
              continue;
            }
            if (each.do === 'update') await update(domain, each.change);
            if (each.do === 'move') await store.moveDomain(domain.id, target, LATER);
            if (each.do === 'restore') {
              await store.deleteDomain(workspace.id, domain.id, LATER, LATER + 1000);
              const deleted = await store.findDeletedDomain(workspace.id, domain.id, LATER);
              if (deleted !== null) await store.restoreDomain(deleted, LATER, 1000);
            }
            if (each.do === 'verify') {
              const current = await store.findDomainById(workspace.id, domain.id);
              if (current !== null && current.status !== 'verified') await prove(store, current, LATER);
            }
          }
          const all: Domain[] = [];
          for (const { id } of domains) {
            const found = await store.findDomainById(workspace.id, id);
            if (found !== null) all.push(found);
          }
          expect(all).toHaveLength(domains.length);
          for (const { places, ...wanted } of queries) {
            const environmentIds = places && new Set(places.map((at) => environments[at]?.id ?? ''));
            const { externalId, metadata = {}, status, certificate, search = '' } = wanted;
            const { createdAfter = 0, createdBefore = Number.POSITIVE_INFINITY } = wanted;
            const expected = all.filter((domain) => {
              const own = metadataOf(domain.metadata);
              return (
                (externalId === undefined || domain.externalId === externalId) &&
                Object.entries(metadata).every(([name, text]) => Object.hasOwn(own, name) && own[name] === text) &&
                (status === undefined || domain.status === status) &&
                (certificate === undefined || (certificate === 'wanted' && domain.status === 'verified')) &&
                [domain.id, domain.name].some((text) => text.includes(search)) &&
                domain.createdAt >= createdAfter &&
                domain.createdAt < createdBefore &&
                (environmentIds?.has(domain.environmentId) ?? true)
              );
            });
            const isByPlace = environmentIds !== undefined || externalId !== undefined || 'metadata' in wanted;
            const orderOf = (domain: Domain) => (isByPlace ? `${domain.environmentId}.${domain.id}` : domain.name);
            const order = (a: Domain, b: Domain) => (orderOf(a) < orderOf(b) ? -1 : 1);
            const ids = expected.toSorted(order).map(({ id }) => id);
            for (const limit of [1, 4, 100]) {
              expect(await idsOf(workspace.id, { ...wanted, environmentIds }, limit)).toEqual(ids);
            }
          }
          for (const { id } of all) await store.deleteDomain(workspace.id, id, LATER);
        },
      );
      await fc.assert(property, { numRuns: 12, seed: 28 });
    });
  });
}
