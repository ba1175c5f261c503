import { describe, expect, it } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { DueCertificate } from '../../server/src/store/store.ts';
import { anIssuedCertificate, aSave, DAY_MS, lose, prove, servedCertificate, verify } from '../support/certificates.ts';
import {
  aDomain,
  attach,
  failedAt,
  NOW,
  prepare,
  preparedAt,
  timelineOf,
  unique,
  verifiedAt,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

/** Tests domains that have a route and a certificate before they are verified. */
export function describePrepared(subject: Subject): void {
  const claim = (now = NOW) => subject.store.claimCertificates({ now, limit: 100, leaseMs: 60_000, newNames: true });
  const environment = async () => (await subject.plant()).environment;
  const issue = async (issued = anIssuedCertificate(), now = NOW) => {
    const [due] = (await claim(now)) as [DueCertificate];
    expect(await subject.store.saveCertificate(aSave(due, { state: 'issued', issued, now }))).toBe('saved');
    return issued;
  };
  /** Prepared, with a certificate of its own. */
  const ready = async (about: Partial<Domain> = {}) => {
    const before = await attach(subject.store, await environment(), about);
    expect(await prepare(subject.store, before)).toBe('saved');
    return { domain: preparedAt(before), issued: await issue() };
  };
  const typesOf = async (domain: Domain) => (await timelineOf(subject.store, domain)).map(({ type }) => type);
  const keysOf = async (hostname: string) => {
    const prefix = anIssuedCertificate().privateKey.subarray(0, 9);
    const secrets = await subject.store.listSecrets(prefix, 10_000);
    return secrets.filter(({ id }) => id === hostname);
  };

  describe('a prepared domain', () => {
    it('comes after each verified one: an exact name after the wildcard above it, which has no exception for it before it is verified', async () => {
      const { store } = subject;
      const base = `${unique('early')}.example.com`;
      const wildcard = await verify(store, await environment(), { name: `*.${base}` });
      const [before, after] = [`a.${base}`, `b.${base}`];
      const exact = await attach(store, await environment(), { name: before });
      expect(await prepare(store, exact)).toBe('saved');
      for (const name of [before, after])
        expect(await store.findSite(name)).toMatchObject({ domainId: wildcard.id, exceptions: new Set() });
      expect(await store.findCertificate(before)).toMatchObject({ domainId: exact.id, state: 'wanted' });
      await prove(store, preparedAt(exact), NOW);
      expect(await store.findSite(before)).toMatchObject({ hostname: before, domainId: exact.id });
      expect(await store.findSite(after)).toMatchObject({ domainId: wildcard.id, exceptions: new Set([before]) });
    });

    it('is an exception of a prepared wildcard, and serves no name of a verified one', async () => {
      const { store } = subject;
      const base = `${unique('early')}.example.com`;
      const wildcard = await attach(store, await environment(), {
        name: `*.${base}`,
        challengeZone: 'acme.nameplate.test',
      });
      const exact = await attach(store, await environment(), { name: `a.${base}` });
      const own = await verify(store, await environment(), { name: `b.${base}` });
      expect([await prepare(store, wildcard), await prepare(store, exact)]).toEqual(['saved', 'saved']);
      const servedBy = async (label: string) => (await store.findSite(`${label}.${base}`))?.domainId;
      expect([await servedBy('a'), await servedBy('b'), await servedBy('c')]).toEqual([exact.id, own.id, wildcard.id]);
      expect(await store.findSite(`c.${base}`)).toMatchObject({
        isPrepared: true,
        exceptions: new Set([exact.name, own.name]),
      });
      await prove(store, preparedAt(wildcard), NOW);
      expect([await servedBy('a'), await servedBy('b')]).toEqual([wildcard.id, own.id]);
      expect((await store.findSite(`c.${base}`))?.exceptions).toEqual(new Set([own.name]));
    });

    it('has a route and a certificate that is wanted, and nothing looks at it', async () => {
      const { store } = subject;
      const before = await attach(store, await environment());
      const { latest } = await store.changesSince(0);
      await prepare(store, before);
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toContainEqual(['route', before.name]);
      const domain = preparedAt(before);
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(domain);
      expect(await store.findSite(domain.name)).toMatchObject({
        ...{ domainId: domain.id, isPrepared: true, certificate: null },
      });
      expect(await store.findCertificate(domain.name)).toMatchObject({ state: 'wanted', domainId: domain.id });
      const far = NOW + 2 * DAY_MS;
      expect(await store.claimLooks({ now: far, limit: 1000 })).toEqual([]);
      expect(await lose(store, domain, far)).toBe('not due');
      const due = await store.claimDue(NOW, 100, 60_000, () => 0);
      expect(due.map(({ isPrepared }) => isPrepared)).toEqual([true]);
    });

    it('is ready once its certificate is in use, which is told once', async () => {
      const { store } = subject;
      const { domain } = await ready();
      expect(await typesOf(domain)).toEqual([
        ...['domain.created', 'record.seen', 'certificate.issued', 'site.ready_to_switch'],
      ]);
      await store.renewCertificate(domain.name, NOW + 1);
      await issue(anIssuedCertificate(), NOW + 1);
      expect((await typesOf(domain)).filter((type) => type === 'site.ready_to_switch')).toHaveLength(1);
      const listed = await store.findListedDomain(domain.workspaceId, domain.id);
      expect(listed?.certificate).toMatchObject({ state: 'issued' });
    });

    it('keeps its certificate when it is verified, and is looked at from then on', async () => {
      const { store } = subject;
      const { domain, issued } = await ready();
      const { latest } = await store.changesSince(0);
      expect(await prove(store, domain, NOW + 1)).toBe('saved');
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind }) => kind)).toContain('route');
      const site = await store.findSite(domain.name);
      expect(site).toMatchObject({ domainId: domain.id, certificate: { chain: issued.chain, inherited: false } });
      expect(site).not.toHaveProperty('isPrepared');
      expect(await typesOf(domain)).not.toContain('site.live');
      expect((await store.claimLooks({ now: NOW + DAY_MS, limit: 1000 })).map(({ domain: { id } }) => id)).toEqual([
        domain.id,
      ]);
      expect(await lose(store, verifiedAt(domain, NOW + 1), NOW + DAY_MS)).toBe('saved');
    });

    it('that is not verified in its window loses its route, its certificate and its key', async () => {
      const { store } = subject;
      const { domain } = await ready();
      const after = failedAt(domain, NOW + DAY_MS);
      await store.saveTransition({ before: domain, after, memory: NO_MEMORY, now: NOW + DAY_MS });
      expect(await store.findSite(domain.name)).toBeNull();
      expect(await store.findCertificate(domain.name)).toBeNull();
      expect(await keysOf(domain.name)).toEqual([]);
    });

    it('that is deleted leaves nothing, and comes back without a route', async () => {
      const { store } = subject;
      const { domain } = await ready();
      await store.deleteDomain(domain.workspaceId, domain.id, NOW, NOW + DAY_MS);
      expect(await store.findSite(domain.name)).toBeNull();
      expect(await keysOf(domain.name)).toEqual([]);
      const deleted = await store.findDeletedDomain(domain.workspaceId, domain.id, NOW);
      if (deleted === null) throw new Error('it is not kept');
      expect(await store.restoreDomain(deleted, NOW, DAY_MS)).toMatchObject({ kind: 'restored' });
      expect(await store.findSite(domain.name)).toBeNull();
      const due = await store.claimDue(NOW, 100, 60_000, () => 0);
      expect(due.map(({ isPrepared }) => isPrepared)).toEqual([false]);
    });

    it('never holds up a workspace that is verified, which has neither its certificate nor its key', async () => {
      const { store } = subject;
      const { domain } = await ready();
      const other = await verify(store, await environment(), { name: domain.name });
      expect(await store.findSite(domain.name)).toMatchObject({ domainId: other.id, certificate: null });
      expect(await keysOf(domain.name)).toEqual([]);
      expect((await store.findListedDomain(domain.workspaceId, domain.id))?.certificate).toBeNull();
      expect(await prepare(store, domain, NOW + 1)).toBe('stale');
      // Its own end touches nothing of the other one.
      const after = failedAt(domain, NOW + DAY_MS);
      await store.saveTransition({ before: domain, after, memory: NO_MEMORY, now: NOW + DAY_MS });
      await store.deleteDomain(domain.workspaceId, domain.id, NOW + DAY_MS);
      expect(await store.findSite(domain.name)).toMatchObject({ domainId: other.id });
      expect(await store.findCertificate(domain.name)).toMatchObject({ domainId: other.id, state: 'wanted' });
    });

    it('never holds up a verified one that is restored', async () => {
      const { store } = subject;
      const other = await verify(store, await environment());
      const issued = anIssuedCertificate();
      await store.importCertificate(other.name, issued, NOW);
      await store.deleteDomain(other.workspaceId, other.id, NOW, NOW + DAY_MS);
      const { domain } = await ready({ name: other.name });
      const deleted = await store.findDeletedDomain(other.workspaceId, other.id, NOW);
      if (deleted === null) throw new Error('it is not kept');
      expect(await store.restoreDomain(deleted, NOW, DAY_MS)).toMatchObject({ kind: 'restored' });
      expect(await store.findSite(domain.name)).toMatchObject({ domainId: other.id });
      expect((await servedCertificate(store, domain.name))?.chain).toBe(issued.chain);
    });

    it('gives way to another one with a newer proof, and an order of it is saved nowhere', async () => {
      const { store } = subject;
      const first = await attach(store, await environment());
      await prepare(store, first);
      const [due] = (await claim()) as [DueCertificate];
      const second = await attach(store, await environment(), { name: first.name });
      expect(await prepare(store, second)).toBe('saved');
      expect(await store.saveCertificate(aSave(due, { state: 'issued', issued: anIssuedCertificate() }))).toBe('lost');
      expect(await store.findSite(first.name)).toMatchObject({ domainId: second.id, certificate: null });
      expect(await store.findCertificate(first.name)).toMatchObject({ domainId: second.id, state: 'wanted' });
    });

    it('is no destination of redirects before it is verified', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [apex, www] = [aDomain(environment), aDomain(environment)];
      await store.createDomainWithWww(apex, www, NOW + DAY_MS);
      await prepare(store, apex);
      await prove(store, www, NOW);
      expect((await store.findSite(www.name))?.redirect).toBeNull();
      await prove(store, preparedAt(apex), NOW);
      expect((await store.findSite(www.name))?.redirect).toMatchObject({ hostname: apex.name, domainId: apex.id });
    });

    it('redirects to a verified one as it will when it is verified', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [apex, www] = [aDomain(environment), aDomain(environment)];
      await store.createDomainWithWww(apex, www, NOW + DAY_MS);
      await prove(store, apex, NOW);
      await prepare(store, www);
      const { latest } = await store.changesSince(0);
      expect(await store.removeRedirect(www.workspaceId, www.id, NOW)).toBe('removed');
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toEqual([['route', www.name]]);
    });
  });
}
