import { describe, expect, it } from 'vitest';
import type { Domain } from '../../src/domain/domain.ts';
import type { DueCertificate } from '../../src/store/contract/store.ts';
import {
  aLedgerEntry,
  anIssuedCertificate,
  anIssuer,
  anOrder,
  aSave,
  DAY_MS,
  servedCertificate,
  verify,
} from '../support/certificates.ts';
import { NOW, plant } from '../support/entities.ts';
import type { Subject } from './subject.ts';

export function describeBefore(subject: Subject): void {
  describe('beside the previous release', () => {
    /** What that release does to certificates, as it does it. */
    const inserts = ({ name }: Domain) =>
      `insert into certificates (hostname, state, created_at) values ('${name}', 'wanted', ${NOW})`;
    const deletes = ({ name }: Domain) => `delete from certificates where hostname = '${name}'`;

    it('a certificate that it adds is due at once, and shares in fair scheduling', async () => {
      const { store, run, close } = await subject.open();
      const [a, b] = [await plant(store), await plant(store)];
      const domains = [];
      for (const { environment } of [a, a, b]) domains.push(await verify(store, environment));
      for (const domain of domains) await run(`${deletes(domain)}; ${inserts(domain)}`);
      const [first, , other] = domains as [Domain, Domain, Domain];
      const wanted = { state: 'wanted', workspaceId: first.workspaceId, domainId: first.id, nextTryAt: NOW };
      expect(await store.findCertificate(first.name)).toMatchObject(wanted);
      expect(await store.renewCertificate(first.name, NOW + 1)).toBe('accepted');
      const claim = { now: NOW + 1, limit: 2, leaseMs: 60_000, newNames: true };
      const claimed = await store.claimCertificates(claim);
      expect(claimed.map(({ certificate }) => certificate.workspaceId).toSorted()).toEqual(
        [a, b].map(({ workspace }) => workspace.id).toSorted(),
      );
      expect(await store.claimCertificates(claim)).toHaveLength(1);
      expect(await store.claimCertificates(claim)).toEqual([]);
      const due = claimed.find(({ certificate }) => certificate.hostname === other.name) as DueCertificate;
      expect(await store.saveCertificate(aSave(due, { issued: anIssuedCertificate(), state: 'issued' }))).toBe('saved');
      await close();
    });

    it('a certificate that it deletes is deleted with its order and key, and a new one of the name has neither', async () => {
      const { store, run, close } = await subject.open();
      const domain = await verify(store, (await plant(store)).environment);
      const claim = { now: NOW, limit: 1, leaseMs: 60_000, newNames: true };
      const [due] = (await store.claimCertificates(claim)) as [DueCertificate];
      const order = anOrder({ hostname: domain.name, issuer: anIssuer() });
      await store.importCertificate(domain.name, anIssuedCertificate(), NOW - 60 * DAY_MS);
      await store.renewCertificate(domain.name, NOW);
      const [again] = (await store.claimCertificates(claim)) as [DueCertificate];
      const begin = { order, entry: aLedgerEntry(order), limits: [], now: NOW };
      expect(await store.beginOrder({ ...begin, lease: again.lease })).toEqual({ kind: 'begun' });
      await run(`${deletes(domain)}; ${inserts(domain)}`);
      expect(await servedCertificate(store, domain.name)).toBeNull();
      for (const { lease } of [due, again])
        expect(await store.beginOrder({ ...begin, lease })).toEqual({ kind: 'lost' });
      expect(await store.claimCertificates(claim)).toMatchObject([{ certificate: { issued: null }, order: null }]);
      await close();
    });
  });
}
