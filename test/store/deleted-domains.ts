import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { DeletedDomain, Environment } from '../../server/src/store/store.ts';
import {
  anIssuedCertificate,
  aSave,
  DAY_MS,
  prove,
  servedCertificate,
  takeOver,
  verify,
} from '../support/certificates.ts';
import {
  AUTHOR,
  aDomain,
  aSetupLink,
  attach,
  failedAt,
  NOW,
  plant,
  timelineOf,
  verifiedAt,
  verifyingAt,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

const KEEP_MS = 7 * DAY_MS;
const LATER = NOW + DAY_MS;

export function describeDeletedDomains(subject: Subject): void {
  const remove = ({ workspaceId, id }: Domain, at = NOW, keptUntil = at + KEEP_MS) =>
    subject.store.changesBy(AUTHOR).deleteDomain(workspaceId, id, at, keptUntil);
  const deletedOf = ({ workspaceId, id }: Domain, at = LATER) => subject.store.findDeletedDomain(workspaceId, id, at);
  const restore = async (domain: Domain, at = LATER) => {
    const deleted = await deletedOf(domain, at);
    return deleted && subject.store.changesBy(AUTHOR).restoreDomain(deleted, at, WINDOW_MS);
  };
  const keysOf = ({ name }: Pick<Domain, 'name'>) =>
    subject.store
      .listSecretPrefixes()
      .then((prefixes) => Promise.all(prefixes.map((prefix) => subject.store.listSecrets(prefix, 1000))))
      .then((found) => found.flat().filter(({ id }) => id === name));

  /** A verified domain with a certificate. */
  async function certified(environment: Environment, notAfter = NOW + 90 * DAY_MS) {
    const { store } = subject;
    const domain = await verify(store, environment, { at: NOW - DAY_MS });
    const due = await store.claimCertificates({ now: NOW, limit: 100, leaseMs: 60_000, newNames: true });
    const own = due.find(({ certificate }) => certificate.hostname === domain.name);
    if (own === undefined) throw new Error('the certificate is not due');
    const issued = anIssuedCertificate({ notAfter });
    await store.saveCertificate(
      aSave(own, { state: 'issued', problem: null, issued, nextTryAt: NOW + DAY_MS, now: NOW }),
    );
    return { domain, issued };
  }

  describe('a deleted domain', () => {
    it('are listed by the names that can be restored to one environment, in order', async () => {
      const { store } = subject;
      const [mine, other, theirs] = [await subject.plant(), await subject.plant(), await subject.plant()];
      const { workspaceId, id } = mine.environment;
      const list = (at = LATER) => store.listRestorable(workspaceId, id, at);
      const [a, b] = [await attach(store, mine.environment), await verify(store, mine.environment)];
      const others = [await attach(store, other.environment), await attach(store, mine.environment)];
      for (const domain of [b, a, others[0] as Domain]) await remove(domain);
      const again = await attach(store, mine.environment, { name: a.name });
      await remove(again);
      expect(await list()).toEqual([a.name, b.name].toSorted());
      expect(await list(NOW + KEEP_MS)).toEqual([]);
      await prove(store, await attach(store, theirs.environment, { name: b.name }), LATER);
      expect(await list()).toEqual([a.name]);
    });

    it('comes back as it was, with its route, its certificate and its key, and is checked at once', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { domain, issued } = await certified(environment);
      await remove(domain);
      expect(await store.findSite(domain.name)).toBeNull();
      expect((await keysOf(domain)).map(({ kind }) => kind)).toEqual(['deleted_certificate']);

      const { latest } = await store.changesSince(0);
      const after = { ...domain, updatedAt: LATER, revision: domain.revision + 1 };
      expect(await restore(domain)).toEqual({ kind: 'restored', domain: after });
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(after);
      expect(await store.findSite(domain.name)).toMatchObject({ domainId: domain.id, environmentId: environment.id });
      expect(await servedCertificate(store, domain.name)).toMatchObject({
        chain: issued.chain,
        privateKey: issued.privateKey,
      });
      expect((await keysOf(domain)).map(({ kind }) => kind)).toEqual(['certificate']);
      expect(await store.findCertificate(domain.name)).toMatchObject({
        state: 'issued',
        issued: { notAfter: issued.notAfter },
      });
      const due = await store.claimMonitored({ now: LATER, limit: 100, intervalMs: DAY_MS, jitter: () => 0 });
      expect(due.map((each) => each.domain.id)).toContain(domain.id);
      const { changes } = await store.changesSince(latest);
      const told = changes.map(({ kind, key }) => `${kind} ${key}`);
      expect(told).toEqual(expect.arrayContaining([`domain ${domain.id}`, `route ${domain.name}`]));
      const last = (await timelineOf(store, domain)).at(-1);
      expect(last).toMatchObject({ type: 'domain.restored', actor: AUTHOR.actor, data: { status: 'verified' } });
      // Once.
      expect(await restore(domain)).toBeNull();
    });

    it.each(['routingVerifiedAt', 'ownershipVerifiedAt', 'verificationError', 'updatedAt', 'verifiedAt'] as const)(
      'comes back as it was where the release that deleted it did not know %s yet',
      async (field) => {
        const { store, query, run, close } = await subject.open();
        const domain = await attach(store, (await plant(store)).environment);
        const { workspaceId, id } = domain;
        await store.deleteDomain(workspaceId, id, NOW, NOW + KEEP_MS);
        const [row] = await query('select domain from deleted_domains');
        const { [field]: value, ...older } = JSON.parse(String(row?.domain));
        expect(value).toBeNull();
        await run(`update deleted_domains set domain = '${JSON.stringify(older)}'`);
        const deleted = (await store.findDeletedDomain(workspaceId, id, LATER)) as DeletedDomain;
        expect(deleted.domain).toEqual(domain);
        expect(await store.restoreDomain(deleted, LATER, WINDOW_MS)).toMatchObject({ kind: 'restored' });
        expect(await store.findDomainById(workspaceId, id)).toMatchObject({
          name: domain.name,
          [field]: field === 'updatedAt' ? LATER : null,
        });
        await close();
      },
    );

    it('gets no certificate back that has expired: another one is ordered', async () => {
      const { store } = subject;
      const { domain } = await certified((await subject.plant()).environment, LATER);
      await remove(domain);
      expect(await restore(domain)).toMatchObject({ kind: 'restored' });
      expect(await servedCertificate(store, domain.name)).toBeNull();
      expect(await store.findCertificate(domain.name)).toMatchObject({ state: 'wanted', nextTryAt: LATER });
      expect(await keysOf(domain)).toEqual([]);
    });

    it('that waits or has failed gets a new window with the same records, and a check at once', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const pending = await attach(store, environment);
      const [verifying, failed] = [await attach(store, environment), await attach(store, environment)];
      const now = NOW;
      const memory = {
        unreadableInARow: 0,
        provenSince: null,
        ownershipDoubt: null,
        routingDoubt: null,
        fingerprint: null,
      };
      await store.saveTransition({ before: verifying, after: verifyingAt(verifying, now), memory, now });
      await store.saveTransition({ before: failed, after: failedAt(failed, now), memory, now });
      const expected = [
        [pending, 'pending'],
        [verifying, 'verifying'],
        [failed, 'pending'],
      ] as const;
      for (const [domain, status] of expected) {
        await remove(domain);
        const { id, target, token, createdAt } = domain;
        expect(await restore(domain)).toMatchObject({
          kind: 'restored',
          domain: { id, target, token, createdAt, status, windowStartedAt: LATER },
        });
        const { schedule } = (await store.findCheckResult(domain.workspaceId, id)) ?? {};
        expect(schedule).toMatchObject({ nextCheckAt: LATER, windowEndsAt: LATER + WINDOW_MS });
      }
    });

    it('is no domain: it is in no list, takes no place of the quota, and frees its name', async () => {
      const { store } = subject;
      const { environment, workspace } = await subject.plant({ limits: { rates: {}, domains: 1 } });
      const first = await attach(store, environment);
      await remove(first);
      expect(await store.findDomainByName(workspace.id, first.name)).toBeNull();
      expect(await store.findNameByToken(workspace.id, first.token)).toBeNull();
      expect((await store.listDomains(workspace.id, environment.id, { limit: 9 })).items).toEqual([]);
      expect((await store.listWorkspaceDomains(workspace.id, { limit: 9 })).items).toEqual([]);
      const second = aDomain(environment, { name: first.name });
      expect(await store.createDomain(second, NOW + WINDOW_MS)).toEqual({ kind: 'created' });
      expect(await restore(first)).toMatchObject({ kind: 'held', domainId: second.id });
      await remove(second);
      const third = await attach(store, environment);
      expect(await restore(first)).toEqual({ kind: 'quota', limit: 1 });
      await remove(third);
      expect(await restore(first)).toMatchObject({ kind: 'restored' });
    });

    it('is found by its id, and by its name the one that was deleted last', async () => {
      const { store } = subject;
      const { environment, workspaceId } = { ...(await subject.plant()), workspaceId: '' };
      const first = await attach(store, environment);
      await remove(first);
      const second = await attach(store, environment, { name: first.name });
      await remove(second, NOW + 1);
      expect(await store.findDeletedDomain(first.workspaceId, first.name, LATER)).toMatchObject({
        domain: { id: second.id },
      });
      expect(await deletedOf(first)).toMatchObject({ domain: { id: first.id } });
      expect(await store.findDeletedDomain(workspaceId, first.id, LATER)).toBeNull();
    });

    it('is gone for good once its time is over, with its key', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { domain } = await certified(environment);
      const forgotten = await attach(store, environment);
      await remove(domain);
      await remove(forgotten, NOW, NOW);
      expect(await deletedOf(forgotten, NOW)).toBeNull();
      const end = NOW + KEEP_MS;
      const deleted = await deletedOf(domain, end - 1);
      expect(await deletedOf(domain, end)).toBeNull();
      expect(deleted && (await store.restoreDomain(deleted, end, WINDOW_MS))).toEqual({ kind: 'missing' });
      await store.pruneDeletedDomains(end - 1, 100);
      expect(await keysOf(domain)).toHaveLength(1);
      await store.pruneDeletedDomains(end, 100);
      expect(await keysOf(domain)).toEqual([]);
      expect(await deletedOf(domain, NOW)).toBeNull();
    });

    it('leaves its set-up links dead, and tells those that have one cached', async () => {
      const { store } = subject;
      const domain = await attach(store, (await subject.plant()).environment);
      const link = aSetupLink(domain);
      await store.createSetupLink(link, new Uint8Array(32).fill(7), 9);
      const { latest } = await store.changesSince(0);
      await remove(domain);
      const { changes } = await store.changesSince(latest);
      expect(changes).toContainEqual(expect.objectContaining({ kind: 'setup_link', key: link.id }));
      await restore(domain);
      expect(await store.findSetupLink(link.id)).toBeNull();
    });

    it('has its redirect again, unless its destination may not be one any more; those to it stay removed', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [www, apex, blog] = [
        await verify(store, environment),
        await verify(store, environment),
        await verify(store, environment),
      ];
      const set = (from: Domain, to: Domain) =>
        store.setRedirect(from.workspaceId, { domainId: from.id, destinationId: to.id, status: 301 }, NOW);
      const redirectOf = ({ workspaceId, id }: Domain) => store.findRedirect(workspaceId, id);
      await set(www, apex);
      await set(blog, apex);
      await remove(www);
      expect(await restore(www)).toMatchObject({ kind: 'restored' });
      expect(await redirectOf(www)).toMatchObject({ to: apex.name, status: 301 });
      await remove(www);
      await remove(apex);
      expect(await restore(www)).toMatchObject({ kind: 'restored' });
      expect(await restore(apex)).toMatchObject({ kind: 'restored' });
      expect(await redirectOf(www)).toBeNull();
      expect(await redirectOf(blog)).toBeNull();
    });
  });

  describe('a deleted domain whose name another workspace is verified for', () => {
    it('cannot be restored, also when that workspace has left; its key is deleted at once', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const { domain } = await certified(mine.environment);
      await remove(domain);
      const other = await attach(store, theirs.environment, { name: domain.name });
      expect(await keysOf(domain)).toHaveLength(1);
      expect(await prove(store, other, NOW + 1)).toBe('saved');
      expect(await keysOf(domain)).toEqual([]);
      expect(await restore(domain)).toEqual({ kind: 'superseded' });
      expect(await store.findSite(domain.name)).toMatchObject({ domainId: other.id });
      await remove(verifiedAt(other, NOW + 1), NOW + 2, NOW + 2);
      expect(await restore(domain)).toEqual({ kind: 'superseded' });
    });

    it('cannot be restored either where that was so when it was deleted', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const domain = await verify(store, mine.environment);
      await takeOver(store, theirs.environment, domain, NOW);
      await remove(domain);
      expect(await restore(domain)).toEqual({ kind: 'superseded' });
    });

    it('can be restored while that workspace only waits, and is then its incumbent', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const domain = await verify(store, mine.environment);
      await remove(domain);
      const other = await attach(store, theirs.environment, { name: domain.name });
      expect(await restore(domain)).toMatchObject({ kind: 'restored' });
      expect(await store.findIncumbent(other)).toMatchObject({ id: domain.id, verifiedAt: domain.verifiedAt });
      const late = { before: other, after: verifiedAt(other, LATER), now: LATER };
      const memory = {
        unreadableInARow: 0,
        provenSince: null,
        ownershipDoubt: null,
        routingDoubt: null,
        fingerprint: null,
      };
      expect(await store.saveTransition({ ...late, memory })).toBe('stale');
    });

    it('of a restoration and a verification at once, one happens', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      for (let round = 0; round < 5; round++) {
        const domain = await verify(store, mine.environment);
        await remove(domain);
        const other = await attach(store, theirs.environment, { name: domain.name });
        // As a check saves it that has found nobody with the name before.
        const proof = { before: other, after: verifiedAt(other, LATER), memory: NO_MEMORY, now: LATER };
        const [restored, proven] = await Promise.all([restore(domain), store.saveTransition(proof)]);
        expect([restored?.kind, proven]).toEqual(
          restored?.kind === 'restored' ? ['restored', expect.stringMatching('stale')] : ['superseded', 'saved'],
        );
        const holder = restored?.kind === 'restored' ? domain : other;
        expect(await store.findSite(domain.name)).toMatchObject({ domainId: holder.id });
      }
    });
  });

  it('a result of before the deletion is not saved after the restoration', async () => {
    const { store } = subject;
    const domain = await attach(store, (await subject.plant()).environment);
    await remove(domain);
    await restore(domain);
    expect(await prove(store, domain, LATER)).toBe('stale');
  });
}
