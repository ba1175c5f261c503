import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { MOST_EXCEPTIONS } from '../../server/src/store/domain/sites.ts';
import { anIssuedCertificate, DAY_MS, servedCertificate, takeOver, verify } from '../support/certificates.ts';
import { aDeployment, anEnvironment, attach, NOW, plant, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';
import { describeWildcardHistories } from './wildcard-histories.ts';

/** Wildcard domains, and the domains of names below them. */
export function describeWildcards(subject: Subject): void {
  const certify = async ({ name }: Domain, about = {}) => {
    const issued = anIssuedCertificate(about);
    await subject.store.importCertificate(name, issued, NOW);
    return issued;
  };
  /** The name of the site that serves a host name; null: none does. */
  const servedBy = async (hostname: string) => (await subject.store.findSite(hostname))?.domainId ?? null;

  describe('a wildcard domain', () => {
    it('is the site of each name one label below it without a domain of its own, and lists those that have one', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const base = `${unique('shops')}.example.com`;
      const wildcard = await verify(store, environment, { name: `*.${base}` });
      await store.createDeployment(aDeployment(environment));
      const site = await store.findSite(`*.${base}`);
      expect(site).toMatchObject({ hostname: `*.${base}`, domainId: wildcard.id, exceptions: new Set() });
      expect(await store.findSite(`a.${base}`)).toEqual(site);
      for (const name of [base, `a.b.${base}`, `*.a.${base}`, '*.example.com']) expect(await servedBy(name)).toBeNull();

      const other = (await subject.plant()).environment;
      const exact = await verify(store, other, { name: `a.${base}` });
      await attach(store, other, { name: `waiting.${base}` });
      expect(await store.findSite(`a.${base}`)).toMatchObject({ hostname: `a.${base}`, domainId: exact.id });
      expect(await store.findSite(`a.${base}`)).not.toHaveProperty('exceptions');
      expect(await store.findSite(`b.${base}`)).toEqual({ ...site, exceptions: new Set([`a.${base}`]) });
      expect(await servedBy(`waiting.${base}`)).toBe(wildcard.id);
      await store.deleteDomain(exact.workspaceId, exact.id, NOW);
      expect(await store.findSite(`a.${base}`)).toEqual(site);
    });

    it(`lists none of the names below it where more than ${MOST_EXCEPTIONS} have domains of their own`, async () => {
      const { store, run, close } = await subject.open();
      const base = `${unique('many')}.example.com`;
      const { environment } = await plant(store);
      await verify(store, environment, { name: `*.${base}` });
      const exact = await verify(store, environment, { name: `n0.${base}` });
      const add = (label: string) => copyOf(exact, `${label}.${base}`, `*.${base}`);
      await run(Array.from({ length: MOST_EXCEPTIONS - 1 }, (_, i) => add(`n${i + 1}`)).join('\n'));
      expect((await store.findSite(`b.${base}`))?.exceptions).toHaveProperty('size', MOST_EXCEPTIONS);
      await run(add('one-more'));
      expect(await store.findSite(`b.${base}`)).toMatchObject({ hostname: `*.${base}`, exceptions: null });
      expect(await store.findSite(`n5.${base}`)).toMatchObject({ hostname: `n5.${base}` });
      await close();
    });

    it('lends its certificate to the names below it that have none yet, unless it was imported; a takeover keeps it in service for them', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const base = `${unique('lent')}.example.com`;
      const wildcard = await verify(store, environment, { name: `*.${base}` });
      const exact = await verify(store, (await subject.plant()).environment, { name: `a.${base}` });
      expect(await servedCertificate(store, exact.name)).toBeNull();
      const { chain, privateKey, notAfter } = await certify(wildcard);
      const lent = { chain, privateKey, notAfter, inherited: true, wildcard: wildcard.name };
      expect(await servedCertificate(store, exact.name)).toEqual(lent);
      const own = await certify(exact);
      expect(await servedCertificate(store, exact.name)).toMatchObject({ chain: own.chain, inherited: false });
      await store.deleteDomain(exact.workspaceId, exact.id, NOW);
      const again = await verify(store, environment, { name: `a.${base}` });
      expect(await servedCertificate(store, again.name)).toEqual(lent);
      await certify(wildcard, { issuer: 'imported' });
      expect(await servedCertificate(store, again.name)).toBeNull();
      await store.deleteDomain(wildcard.workspaceId, wildcard.id, NOW);
      expect(await servedCertificate(store, again.name)).toBeNull();
    });

    it('is taken over, moved, suspended, deleted and restored for itself: names below it with domains of their own stay as they are', async () => {
      const { store } = subject;
      const planted = await subject.plant();
      const base = `${unique('both')}.example.com`;
      const wildcard = await verify(store, planted.environment, { name: `*.${base}` });
      const exact = await verify(store, (await subject.plant()).environment, { name: `a.${base}` });
      const before = await store.findSite(exact.name);
      const staging = anEnvironment(planted.app);
      await store.createEnvironment(staging);
      await store.moveDomain(wildcard.id, staging, NOW);
      expect(await store.findSite(`b.${base}`)).toMatchObject({ environmentId: staging.id });
      await store.suspendDomain(wildcard.workspaceId, wildcard.id, 451, NOW);
      expect(await store.findSite(`b.${base}`)).toMatchObject({ suspendedStatus: 451 });
      await store.deleteDomain(wildcard.workspaceId, wildcard.id, NOW, NOW + DAY_MS);
      expect(await servedBy(`b.${base}`)).toBeNull();
      const deleted = await store.findDeletedDomain(wildcard.workspaceId, wildcard.name, NOW);
      if (deleted === null) throw new Error('the domain was not kept');
      expect(await store.restoreDomain(deleted, NOW, WINDOW_MS)).toMatchObject({ kind: 'restored' });
      expect(await store.findSite(`b.${base}`)).toMatchObject({ domainId: wildcard.id, suspendedStatus: 451 });
      const next = await takeOver(store, (await subject.plant()).environment, wildcard, NOW);
      expect(await store.findSite(`b.${base}`)).toMatchObject({ domainId: next.id, suspendedStatus: null });
      expect(await store.findSite(exact.name)).toEqual(before);

      await store.suspendDomain(exact.workspaceId, exact.id, 503, NOW);
      expect(await store.findSite(exact.name)).toMatchObject({ domainId: exact.id, suspendedStatus: 503 });
      const taken = await takeOver(store, planted.environment, exact, NOW);
      expect([await servedBy(exact.name), await servedBy(`b.${base}`)]).toEqual([taken.id, next.id]);
    });

    it('is suspended by its name, as the operator does, without the names below it', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const base = `${unique('named')}.example.com`;
      const wildcard = await verify(store, environment, { name: `*.${base}` });
      const exact = await verify(store, environment, { name: `a.${base}` });
      const pages = async () =>
        Promise.all([`b.${base}`, exact.name].map(async (name) => (await store.findSite(name))?.suspendedStatus));
      const suspension = { status: 451, suspendedAt: NOW } as const;
      await store.setWorkspaceSuspension(workspace.id, suspension, wildcard.name);
      expect(await pages()).toEqual([451, null]);
      await store.setWorkspaceSuspension(workspace.id, null, wildcard.name);
      await store.setWorkspaceSuspension(workspace.id, suspension, exact.name);
      expect(await pages()).toEqual([null, 451]);
    });

    it('redirects to one host name, and is no destination', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const base = `${unique('moved')}.example.com`;
      const wildcard = await verify(store, environment, { name: `*.${base}` });
      const shop = await verify(store, environment);
      const set = (from: Domain, to: Domain) =>
        store.setRedirect(workspace.id, { domainId: from.id, destinationId: to.id, status: 308 }, NOW);
      expect(await set(shop, wildcard)).toEqual({ kind: 'refused', refusal: 'wildcard', by: null });
      expect(await set(wildcard, shop)).toMatchObject({ kind: 'set' });
      expect((await store.findSite(`b.${base}`))?.redirect).toMatchObject({ hostname: shop.name });
      await store.deleteDomain(workspace.id, shop.id, NOW);
      expect((await store.findSite(`b.${base}`))?.redirect).toBeNull();
    });
  });

  describeWildcardHistories(async () => subject, 200);
}

/** SQL that adds a domain as `exact` is, and its route. */
function copyOf({ id, environmentId }: Domain, name: string, wildcard: string): string {
  const copied = `workspace_id, project_id, app_id, environment_id, kind, service, status, created_at, window_started_at,
    verified_at, revision`;
  return `
    insert into domains (id, name, target, token, ${copied})
      select 'dom_${name}', '${name}', '${name}', '${name}', ${copied} from domains where id = '${id}';
    insert into routes (hostname, domain_id, environment_id, wildcard)
      values ('${name}', 'dom_${name}', '${environmentId}', '${wildcard}');`;
}
