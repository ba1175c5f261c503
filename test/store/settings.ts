import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { SiteSettingsPatch } from '../../server/src/domain/site-settings.ts';
import { DAY_MS, prove, takeOver, verify } from '../support/certificates.ts';
import { AUTHOR, aDomain, attach, NOW, timelineOf, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const LATER = NOW + DAY_MS;
const ROUNDS = 10;
const ALL = {
  origin: 'https://own.example:8443',
  hsts: { maxAge: 31_536_000, includeSubDomains: true, preload: true },
  minTlsVersion: '1.3',
  redirectToHttps: false,
} as const;

export function describeSettings(subject: Subject): void {
  const set = ({ workspaceId, id }: Domain, settings: SiteSettingsPatch) =>
    subject.store.changesBy(AUTHOR).updateDomain(workspaceId, id, { settings }, LATER);
  const settingsOf = async ({ name }: Domain) => (await subject.store.findSite(name))?.settings;
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    return (await subject.store.changesSince(latest)).changes.map(({ kind, key }) => [kind, key]);
  };

  describe('settings of a domain', () => {
    it('are read with its site and listed with it, and each change of them is one of its route alone', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await verify(store, environment);
      expect(await settingsOf(domain)).toBeNull();
      const route = [['route', domain.name]];
      expect(await changesOf(() => set(domain, ALL))).toEqual(route);
      expect(await settingsOf(domain)).toEqual(ALL);
      const listed = await store.findListedDomain(domain.workspaceId, domain.id);
      expect(listed).toMatchObject({ domain, settings: ALL });

      expect(await changesOf(() => set(domain, { hsts: { maxAge: 0 }, origin: null }))).toEqual(route);
      expect(await settingsOf(domain)).toEqual({ hsts: { maxAge: 0 }, minTlsVersion: '1.3', redirectToHttps: false });
      expect(await changesOf(() => set(domain, { hsts: null, minTlsVersion: null, redirectToHttps: null }))).toEqual(
        route,
      );
      expect(await settingsOf(domain)).toBeNull();
    });

    it('that are set or removed again change nothing', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      expect(await set(domain, ALL)).toMatchObject({ kind: 'updated', settings: ALL });
      expect(await changesOf(() => set(domain, ALL))).toEqual([]);
      expect(await set(domain, ALL)).toMatchObject({ kind: 'unchanged', settings: ALL });
      expect(await set(domain, {})).toMatchObject({ kind: 'unchanged', settings: ALL });
      const none = { origin: null, hsts: null, minTlsVersion: null, redirectToHttps: null };
      expect(await set(domain, none)).toMatchObject({ kind: 'updated', settings: null });
      expect(await set(domain, none)).toMatchObject({ kind: 'unchanged', settings: null });
    });

    it('of a domain that is not verified take effect when it is', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await attach(store, environment);
      expect(await changesOf(() => set(domain, ALL))).toEqual([]);
      await prove(store, domain, NOW);
      expect(await settingsOf(domain)).toEqual(ALL);
    });

    it('are of one domain: another workspace does not change them, and has none where it takes the name over', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const other = await subject.plant();
      const domain = await verify(store, environment);
      await set(domain, ALL);
      expect(await set({ ...domain, workspaceId: other.workspace.id }, { origin: null })).toEqual({ kind: 'missing' });
      expect(await settingsOf(domain)).toEqual(ALL);
      await takeOver(store, other.environment, domain, LATER);
      expect(await settingsOf(domain)).toBeNull();
    });
  });

  describe('a domain with its counterpart', () => {
    const pairOf = (environment: Parameters<typeof aDomain>[0], name = `${unique('pair')}.com`) => ({
      apex: aDomain(environment, { name }),
      www: aDomain(environment, { name: `www.${name}` }),
    });
    const create = ({ apex, www }: { apex: Domain; www: Domain }) =>
      subject.store.changesBy(AUTHOR).createDomainWithWww(apex, www, NOW + WINDOW_MS);
    const redirectOf = ({ workspaceId, id }: Domain) => subject.store.findRedirect(workspaceId, id);
    const setEvents = async (domain: Domain) =>
      (await timelineOf(subject.store, domain)).filter(({ type }) => type === 'redirect.set').length;

    it('tells in the timeline that its redirect ended where its destination is deleted before it was verified', async () => {
      const { store } = subject;
      const pair = pairOf((await subject.plant()).environment);
      await create(pair);
      await store.changesBy(AUTHOR).deleteDomain(pair.apex.workspaceId, pair.apex.id, LATER, LATER);
      expect(await redirectOf(pair.www)).toBeNull();
      const redirect = { to: pair.apex.name, status: 308, reason: 'destination_deleted' };
      expect((await timelineOf(store, pair.www)).find(({ type }) => type === 'redirect.removed')?.data).toMatchObject({
        redirect,
      });
    });

    it('is created whole or not at all, with its redirect, which a site has once both are verified', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const pair = pairOf(environment);
      expect(await create(pair)).toEqual({ kind: 'created', name: pair.apex.name });
      const about = { domainId: pair.www.id, destinationId: pair.apex.id, to: pair.apex.name };
      const redirect = { ...about, status: 308, setAt: pair.www.createdAt };
      expect(await redirectOf(pair.www)).toEqual(redirect);
      expect((await store.findListedDomain(pair.www.workspaceId, pair.www.id))?.redirect).toEqual(redirect);
      expect(await redirectOf({ ...pair.www, workspaceId: 'ws_other' })).toBeNull();
      await prove(store, pair.www, LATER);
      expect((await store.findSite(pair.www.name))?.redirect).toBeNull();
      expect(await changesOf(() => prove(store, pair.apex, LATER))).toContainEqual(['route', pair.www.name]);
      expect((await store.findSite(pair.www.name))?.redirect).toMatchObject({ hostname: pair.apex.name });

      const held = pairOf(environment);
      await attach(store, environment, { name: held.www.name });
      expect(await create(held)).toMatchObject({ kind: 'held', name: held.www.name });
      expect(await store.findDomainByName(environment.workspaceId, held.apex.name)).toBeNull();
    });

    it('redirects once both are verified, whichever is first or both at once, and every change of that is logged', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      for (let round = 0; round < ROUNDS; round++) {
        const pair = pairOf(environment);
        await create(pair);
        const logged = await changesOf(async () => {
          const outcomes = await Promise.all([pair.apex, pair.www].map((each) => prove(store, each, LATER)));
          expect(outcomes).toEqual(['saved', 'saved']);
        });
        expect(logged.filter(([kind, key]) => kind === 'route' && key === pair.www.name)).toHaveLength(2);
        expect((await store.findSite(pair.www.name))?.redirect).toMatchObject({ hostname: pair.apex.name });
        expect(await setEvents(pair.www)).toBe(1);
      }
    });

    it('has no redirect that was removed, nor one of a domain that was deleted, while the other name is verified', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      for (let round = 0; round < 2 * ROUNDS; round++) {
        const pair = pairOf(environment);
        await create(pair);
        const { workspaceId, id } = pair.www;
        const isRemoved = round % 2 === 0;
        const [verified, ended] = await Promise.all([
          prove(store, pair.apex, LATER),
          isRemoved ? store.removeRedirect(workspaceId, id, LATER) : store.deleteDomain(workspaceId, id, LATER),
        ]);
        expect([verified, ended]).toEqual(['saved', isRemoved ? 'removed' : 'deleted']);
        expect(await redirectOf(pair.www)).toBeNull();
      }
    });
  });
}
