import { describe, expect, it } from 'vitest';
import { LONGEST_WAIT_MS } from '../../server/src/domain/certificate-state.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { DueCertificate, Environment } from '../../server/src/store/store.ts';
import {
  aLedgerEntry,
  anIssuedCertificate,
  anIssuer,
  anOrder,
  aSave,
  DAY_MS,
  verify,
} from '../support/certificates.ts';
import { NOW, timelineOf } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const LEASE_MS = 60_000;

export function describeLeases(subject: Subject): void {
  const claim = ({ now = NOW, limit = 100, newNames = true } = {}) =>
    subject.store.claimCertificates({ now, limit, leaseMs: LEASE_MS, newNames });
  const namesOf = (due: DueCertificate[]) => due.map(({ certificate }) => certificate.hostname);
  const one = async (now = NOW) => {
    const [due] = await claim({ now });
    if (due === undefined) throw new Error('nothing was due');
    return due;
  };
  const begin = ({ certificate: { hostname }, lease }: DueCertificate, about: { now?: number } = {}) => {
    const issuer = anIssuer();
    const order = anOrder({ hostname, issuer });
    const entry = aLedgerEntry({ hostname, issuer });
    return subject.store.beginOrder({ lease, order, entry, limits: [], now: NOW, ...about });
  };
  const verifyMany = (environment: Environment, count: number, at: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => verify(subject.store, environment, { at: at + i })));

  describe('leases of certificates', () => {
    it('are granted for due certificates, the most overdue first, with all their data', async () => {
      const { environment } = await subject.plant();
      const late = await verify(subject.store, environment, { at: NOW - 5 });
      const later = await verify(subject.store, environment, { at: NOW });
      await verify(subject.store, environment, { at: NOW + 1 });
      const latest = await verify(subject.store, environment, { at: NOW - 9 });
      const due = await claim();
      expect(namesOf(due)).toEqual([latest.name, late.name, later.name]);
      const until = NOW + LEASE_MS;
      expect(due[1]).toEqual({
        certificate: {
          hostname: late.name,
          domainId: late.id,
          workspaceId: late.workspaceId,
          state: 'wanted',
          problem: null,
          selfCheck: null,
          failures: 0,
          authorizationFailedAt: null,
          challenge: null,
          nextTryAt: until,
          leasedUntil: until,
          issued: null,
          createdAt: NOW - 5,
        },
        lease: expect.any(Number),
        order: null,
        target: late.target,
      });
      expect(await subject.store.findCertificate(late.name)).toEqual(due[1]?.certificate);
    });

    it('are granted up to the limit, and for no certificate twice before they expire', async () => {
      const { environment } = await subject.plant();
      const domains = await verifyMany(environment, 5, NOW - 10);
      const claims = [await claim({ limit: 2 }), await claim({ limit: 0 }), await claim({ limit: 2 }), await claim()];
      expect(claims.map((due) => due.length)).toEqual([2, 0, 2, 1]);
      expect(claims.flatMap(namesOf)).toEqual(domains.map(({ name }) => name));
      expect(await claim({ now: NOW + LEASE_MS - 1 })).toEqual([]);
    });

    it('are never granted twice by concurrent claims, which together find everything', async () => {
      const { environment } = await subject.plant();
      const domains = await verifyMany(environment, 30, NOW - 100);
      const claims = await Promise.all([1, 2, 3, 4].map(() => claim({ limit: 10 })));
      const names = claims.flatMap(namesOf);
      expect(names.toSorted()).toEqual(domains.map(({ name }) => name).toSorted());
    });

    it('can be stolen once they have expired; then any write of the previous holder is lost', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await verify(store, environment);
      const { name } = domain;
      const before = await one();
      await begin(before);
      const after = await one(NOW + LEASE_MS);
      expect(after.lease).not.toBe(before.lease);
      expect(after.order?.hostname).toBe(name);
      expect(await store.extendLease(name, before.lease, NOW + 9 * LEASE_MS)).toBe('lost');
      expect(await begin(before)).toEqual({ kind: 'lost' });
      expect(await store.saveOrderUrl(name, before.lease, 'https://ca.example/order/1')).toBe('lost');
      expect(await store.saveCertificate(aSave(before, { state: 'failed', orderOutcome: 'failed' }))).toBe('lost');
      expect(await store.findCertificate(name)).toEqual(after.certificate);
      expect((await timelineOf(store, domain)).at(-1)?.type).toBe('domain.verified');
      expect(await store.saveOrderUrl(name, after.lease, 'https://ca.example/order/2')).toBe('saved');
    });

    it('that have expired but were not stolen still count', async () => {
      const { environment } = await subject.plant();
      const { name } = await verify(subject.store, environment);
      const due = await one();
      const late = NOW + 2 * LEASE_MS;
      expect(await begin(due, { now: late })).toEqual({ kind: 'begun' });
      expect(await subject.store.extendLease(name, due.lease, late + LEASE_MS)).toBe('held');
      expect(await claim({ now: late + LEASE_MS - 1 })).toEqual([]);
      expect(namesOf(await claim({ now: late + LEASE_MS }))).toEqual([name]);
    });

    it('end with a save, and can be neither extended nor saved under again', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { name } = await verify(store, environment);
      const due = await one();
      const nextTryAt = NOW + 10;
      expect(await store.saveCertificate(aSave(due, { state: 'waiting_for_routing', nextTryAt }))).toBe('saved');
      expect(await store.findCertificate(name)).toMatchObject({ leasedUntil: null, nextTryAt });
      expect(await store.extendLease(name, due.lease, NOW + LEASE_MS)).toBe('lost');
      expect(await begin(due)).toEqual({ kind: 'lost' });
      expect(await store.saveCertificate(aSave(due))).toBe('lost');
      expect(await claim({ now: nextTryAt - 1 })).toEqual([]);
      expect(namesOf(await claim({ now: nextTryAt }))).toEqual([name]);
    });

    it('are granted at once where a certificate that waits for its routing is to be tried again, and for no other', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [blocked, ordered, refused, failed, busy, soon] = await verifyMany(environment, 6, NOW - 10);
      const dues = new Map((await claim()).map((due) => [due.certificate.hostname, due]));
      const dueOf = (domain: { name: string } | undefined) => dues.get(domain?.name ?? '') as DueCertificate;
      const waiting = { state: 'waiting_for_routing', nextTryAt: NOW + DAY_MS } as const;
      for (const domain of [ordered, refused]) await begin(dueOf(domain));
      await store.saveCertificate(aSave(dueOf(blocked), waiting));
      await store.saveCertificate(aSave(dueOf(ordered), waiting));
      await store.saveCertificate(aSave(dueOf(refused), { ...waiting, failures: 1, orderOutcome: 'failed' }));
      await store.saveCertificate(aSave(dueOf(failed), { ...waiting, state: 'failed' }));
      await store.saveCertificate(aSave(dueOf(busy), { ...waiting, nextTryAt: NOW }));
      expect(namesOf(await claim())).toEqual([busy?.name]);
      await store.saveCertificate(aSave(dueOf(soon), { ...waiting, nextTryAt: NOW + 1 }));
      for (const { name } of [blocked, ordered, refused, failed, busy, soon] as Domain[])
        await store.retryBlocked(name, NOW + 2);
      const due = await claim({ now: NOW + 2 });
      expect(due.map(({ certificate }) => certificate.hostname)).toEqual([soon?.name, blocked?.name]);
      expect((await store.findCertificate(busy?.name ?? ''))?.leasedUntil).toBe(NOW + LEASE_MS);
    });

    it('are granted for what was scheduled, or leased, by a clock that has been set back', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const patient = await verify(store, environment);
      await store.saveCertificate(aSave(await one(), { nextTryAt: NOW + LONGEST_WAIT_MS }));
      const ahead = NOW + 365 * DAY_MS;
      const [putOff, leased] = await verifyMany(environment, 2, ahead - 10);
      for (const due of await claim({ now: ahead })) {
        const { hostname } = due.certificate;
        const nextTryAt = hostname === patient.name ? NOW + LONGEST_WAIT_MS : ahead + LEASE_MS;
        if (hostname !== leased?.name) await store.saveCertificate(aSave(due, { nextTryAt }));
      }
      expect(namesOf(await claim()).toSorted()).toEqual([putOff?.name, leased?.name].toSorted());
      expect(await claim()).toEqual([]);
    });

    it('without new names are granted only for certificates in use or with an order in flight', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [fresh, ordered, failed, issued] = await verifyMany(environment, 4, NOW - 10);
      const dues = new Map((await claim()).map((due) => [due.certificate.hostname, due]));
      const dueOf = (domain: { name: string } | undefined) => dues.get(domain?.name ?? '') as DueCertificate;
      for (const domain of [ordered, failed, issued]) await begin(dueOf(domain));
      const soon = { nextTryAt: NOW + 1 };
      await store.saveCertificate(aSave(dueOf(fresh), { ...soon, state: 'waiting_for_routing' }));
      await store.saveCertificate(aSave(dueOf(ordered), { ...soon, state: 'ordering' }));
      await store.saveCertificate(aSave(dueOf(failed), { ...soon, state: 'failed', orderOutcome: 'failed' }));
      const { certificate } = dueOf(issued);
      const { renewal } = anIssuedCertificate();
      const imported = anIssuedCertificate({ renewal: { ...renewal, askAgainAt: NOW + 1 } });
      await store.importCertificate(certificate.hostname, imported, NOW);
      expect(namesOf(await claim({ now: NOW + 1, newNames: false })).toSorted()).toEqual(
        [ordered, issued].map((domain) => domain?.name).toSorted(),
      );
      expect(namesOf(await claim({ now: NOW + 1 })).toSorted()).toEqual(
        [fresh, failed].map((domain) => domain?.name).toSorted(),
      );
    });
  });

  describe('fair scheduling over workspaces', () => {
    it('is round robin: the most overdue of each, then the next of each', async () => {
      const [a, b, c] = [await subject.plant(), await subject.plant(), await subject.plant()];
      const ofA = await verifyMany(a.environment, 4, NOW - 100);
      const ofB = await verifyMany(b.environment, 2, NOW - 50);
      const ofC = await verifyMany(c.environment, 1, NOW - 10);
      const expected = [ofA[0], ofB[0], ofC[0], ofA[1], ofB[1], ofA[2], ofA[3]].map((domain) => domain?.name);
      expect(namesOf(await claim({ limit: 7 }))).toEqual(expected);
    });

    it('reaches a name soon, however many of another workspace have been due for longer', async () => {
      const [many, few] = [await subject.plant(), await subject.plant()];
      await verifyMany(many.environment, 250, NOW - 1000);
      const { name } = await verify(subject.store, few.environment);
      const claimed = [...namesOf(await claim({ limit: 2 })), ...namesOf(await claim({ limit: 2 }))];
      expect(claimed).toHaveLength(4);
      expect(claimed).toContain(name);
    });

    it('reaches every workspace before any has another, also when a claim is smaller than the number of workspaces', async () => {
      const workspaces = [];
      for (let i = 0; i < 6; i++) {
        const { environment, workspace } = await subject.plant();
        await verifyMany(environment, 40, NOW - 1000 + i);
        workspaces.push(workspace.id);
      }
      const served: string[] = [];
      for (let i = 0; i < 6; i++) {
        served.push(...(await claim({ limit: 2 })).map(({ certificate }) => certificate.workspaceId));
      }
      for (const round of [served.slice(0, 6), served.slice(6)])
        expect(round.toSorted()).toEqual(workspaces.toSorted());
    });
  });
}
