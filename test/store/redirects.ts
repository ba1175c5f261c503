import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { MAX_REDIRECTS_TO_ONE, type RedirectStatus } from '../../server/src/domain/redirect.ts';
import type { DomainEvent } from '../../server/src/store/store.ts';
import { DAY_MS, lose, prove, takeOver, verify } from '../support/certificates.ts';
import { AUTHOR, attach, NOW, timelineOf } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const LATER = NOW + DAY_MS;
const ACTOR = AUTHOR.actor;

export function describeRedirects(subject: Subject): void {
  const set = (from: Domain, to: Domain, status: RedirectStatus = 308) =>
    subject.store
      .changesBy(AUTHOR)
      .setRedirect(from.workspaceId, { domainId: from.id, destinationId: to.id, status }, NOW);
  const remove = ({ workspaceId, id }: Domain) =>
    subject.store.changesBy(AUTHOR).removeRedirect(workspaceId, id, LATER);
  const redirectOf = ({ workspaceId, id }: Domain) => subject.store.findRedirect(workspaceId, id);
  const siteRedirectOf = async ({ name }: Domain) => (await subject.store.findSite(name))?.redirect;
  const eventsOf = async (domain: Domain) =>
    (await timelineOf(subject.store, domain)).filter(({ type }) => type.startsWith('redirect.')).map(toldBy);
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    return (await subject.store.changesSince(latest)).changes.map(({ kind, key }) => [kind, key]);
  };
  /** A verified domain that redirects to another. */
  const redirected = async () => {
    const { environment } = await subject.plant();
    const [www, apex] = [await verify(subject.store, environment), await verify(subject.store, environment)];
    expect(await set(www, apex)).toMatchObject({ kind: 'set' });
    return { environment, www, apex };
  };

  describe('a redirect', () => {
    it('is set, read with the site, replaced and removed, each with an event and a change of the route', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [www, apex, other] = [
        await verify(store, environment),
        await verify(store, environment),
        await verify(store, environment),
      ];
      expect(await redirectOf(www)).toBeNull();
      expect(await siteRedirectOf(www)).toBeNull();
      const route = [['route', www.name]];

      expect(await changesOf(() => set(www, apex, 301))).toEqual(route);
      const first = { domainId: www.id, destinationId: apex.id, to: apex.name, status: 301, setAt: NOW };
      expect(await redirectOf(www)).toEqual(first);
      expect(await siteRedirectOf(www)).toEqual({ hostname: apex.name, domainId: apex.id, status: 301 });
      expect(await siteRedirectOf(apex)).toBeNull();

      expect(await changesOf(() => set(www, other))).toEqual(route);
      expect(await redirectOf(www)).toEqual({ ...first, destinationId: other.id, to: other.name, status: 308 });

      expect(await changesOf(() => remove(www))).toEqual(route);
      expect(await redirectOf(www)).toBeNull();
      expect(await siteRedirectOf(www)).toBeNull();
      expect(await eventsOf(www)).toEqual([
        ['redirect.set', { to: apex.name, status: 301 }, ACTOR],
        ['redirect.set', { to: other.name, status: 308 }, ACTOR],
        ['redirect.removed', { to: other.name, status: 308, reason: 'requested' }, ACTOR],
      ]);
      expect(await eventsOf(apex)).toEqual([]);
    });

    it('that is set or removed again changes nothing', async () => {
      const { www, apex } = await redirected();
      const before = await redirectOf(www);
      expect(await changesOf(() => set(www, apex))).toEqual([]);
      expect(await redirectOf(www)).toEqual(before);
      expect(await remove(www)).toBe('removed');
      expect(await changesOf(() => remove(www))).toEqual([]);
      expect(await remove(www)).toBe('none');
      expect(await eventsOf(www)).toHaveLength(2);
    });

    it('is nothing that a domain has in itself: the domain stays as it is', async () => {
      const { store } = subject;
      const { www } = await redirected();
      expect(await store.findDomainById(www.workspaceId, www.id)).toEqual(www);
      await remove(www);
      expect(await store.findDomainById(www.workspaceId, www.id)).toEqual(www);
    });

    it('of a domain that is not verified yet takes effect once it is', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [www, apex] = [await attach(store, environment), await verify(store, environment)];
      expect(await changesOf(() => set(www, apex))).toEqual([]);
      expect(await store.findSite(www.name)).toBeNull();
      expect(await prove(store, www, LATER)).toBe('saved');
      expect(await siteRedirectOf(www)).toMatchObject({ hostname: apex.name });
    });

    it('is listed with the domains of the workspace, whatever the filter', async () => {
      const { store } = subject;
      const { environment, www, apex } = await redirected();
      const expected = [
        [www.name, await redirectOf(www)],
        [apex.name, null],
      ].toSorted();
      for (const page of [
        {},
        { status: 'verified' as const },
        { certificate: 'wanted' as const },
        { environmentIds: new Set([environment.id]) },
      ]) {
        const { items } = await store.listWorkspaceDomains(www.workspaceId, { limit: 9, ...page });
        expect(items.map(({ domain, redirect }) => [domain.name, redirect]).toSorted()).toEqual(expected);
      }
    });
  });

  describe('a redirect is refused', () => {
    it('where as many lead to the destination as may, but not to one of these', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const destination = await verify(store, environment);
      const sources: Domain[] = [];
      for (let i = 0; i <= MAX_REDIRECTS_TO_ONE; i++) sources.push(await attach(store, environment));
      const outcomes = [];
      for (const source of sources) outcomes.push((await set(source, destination)).kind);
      expect(outcomes).toEqual([...Array(MAX_REDIRECTS_TO_ONE).fill('set'), 'refused']);
      expect(await set(sources[0] as Domain, destination, 301)).toMatchObject({ kind: 'set' });
      await store.deleteDomain(destination.workspaceId, destination.id, NOW);
      for (const source of sources) expect(await redirectOf(source)).toBeNull();
    });
  });

  describe('a redirect ends with the verification of its destination', () => {
    /** How that ends, with the reason that the timeline gives. */
    const ends: [string, string, string | null, (apex: Domain) => Promise<unknown>][] = [
      [
        'is deleted',
        'destination_deleted',
        ACTOR,
        ({ workspaceId, id }) => subject.store.changesBy(AUTHOR).deleteDomain(workspaceId, id, LATER),
      ],
      [
        'is taken over',
        'destination_superseded',
        null,
        async (apex) => takeOver(subject.store, (await subject.plant()).environment, apex, LATER),
      ],
      ['is lost', 'destination_failed', null, (apex) => lose(subject.store, apex, LATER)],
    ];

    it.for(ends)(
      'which %s: the domain is served by its own environment, and its timeline says why',
      async ([, reason, actor, end]) => {
        const { store } = subject;
        const { www, apex } = await redirected();
        const changes = await changesOf(() => end(apex));
        expect(changes).toContainEqual(['route', www.name]);
        expect(changes).toContainEqual(['route', apex.name]);
        expect(await redirectOf(www)).toBeNull();
        expect(await store.findSite(www.name)).toMatchObject({ domainId: www.id, redirect: null });
        expect((await eventsOf(www)).at(-1)).toEqual([
          'redirect.removed',
          { to: apex.name, status: 308, reason },
          actor,
        ]);
        expect(await store.findDomainById(www.workspaceId, www.id)).toEqual(www);
      },
    );
  });

  describe('a domain that redirects', () => {
    it('keeps its redirect when it is lost, and redirects again once it is verified again', async () => {
      const { store } = subject;
      const { www, apex } = await redirected();
      expect(await lose(store, www, LATER)).toBe('saved');
      expect(await redirectOf(www)).toMatchObject({ to: apex.name });
      await store.retryVerification(www.workspaceId, www.id, LATER, WINDOW_MS);
      expect(await prove(store, (await store.findDomainById(www.workspaceId, www.id)) as Domain, LATER)).toBe('saved');
      expect(await siteRedirectOf(www)).toMatchObject({ hostname: apex.name });
    });

    it('leaves no redirect to whoever takes its name over', async () => {
      const { store } = subject;
      const { www, apex } = await redirected();
      const theirs = await takeOver(store, (await subject.plant()).environment, www, LATER);
      expect(await store.findSite(www.name)).toMatchObject({ domainId: theirs.id, redirect: null });
      expect(await redirectOf(www)).toMatchObject({ to: apex.name });
    });
  });

  describe('of two at once', () => {
    const ROUNDS = 10;

    it('one of two domains redirects to the other', async () => {
      const { environment } = await subject.plant();
      for (let round = 0; round < ROUNDS; round++) {
        const [a, b] = [await verify(subject.store, environment), await verify(subject.store, environment)];
        const outcomes = await Promise.all([set(a, b), set(b, a)]);
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['refused', 'set']);
      }
    });

    it('no redirect is set to a domain that is deleted, taken over or lost meanwhile', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const theirs = await subject.plant();
      for (let round = 0; round < 3 * ROUNDS; round++) {
        const [www, apex] = [await verify(store, environment), await verify(store, environment)];
        const rival = round % 3 === 1 ? await attach(store, theirs.environment, { name: apex.name }) : null;
        const end = [
          () => store.deleteDomain(apex.workspaceId, apex.id, LATER),
          () => prove(store, rival as Domain, LATER),
          () => lose(store, apex, LATER),
        ][round % 3] as () => Promise<unknown>;
        const [found] = await Promise.all([set(www, apex), end()]);
        expect(await redirectOf(www)).toBeNull();
        const ended = (await eventsOf(www)).map(([type]) => type);
        expect(ended).toEqual(found.kind === 'set' ? ['redirect.set', 'redirect.removed'] : []);
      }
    });

    it('a redirect is removed once, by whoever removes it or its destination', async () => {
      const { store } = subject;
      for (let round = 0; round < ROUNDS; round++) {
        const { www, apex } = await redirected();
        await Promise.all([remove(www), store.deleteDomain(apex.workspaceId, apex.id, LATER)]);
        expect((await eventsOf(www)).map(([type]) => type)).toEqual(['redirect.set', 'redirect.removed']);
      }
    });

    it('a domain and its destination can be deleted', async () => {
      const { store } = subject;
      for (let round = 0; round < ROUNDS; round++) {
        const { www, apex } = await redirected();
        const outcomes = await Promise.all(
          [www, apex].map(({ workspaceId, id }) => store.deleteDomain(workspaceId, id, LATER)),
        );
        expect(outcomes).toEqual(['deleted', 'deleted']);
      }
    });
  });
}

function toldBy({ type, data, actor }: DomainEvent) {
  return [type, data.redirect, actor];
}
