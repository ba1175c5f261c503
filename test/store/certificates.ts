import { describe, expect, it } from 'vitest';
import { LONGEST_WAIT_MS } from '../../server/src/domain/certificate-state.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { CertificateStore, DueCertificate } from '../../server/src/store/store.ts';
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
import { NOW, timelineOf } from '../support/entities.ts';
import type { Subject } from './subject.ts';
import { readAll } from './tree.ts';

type About = Partial<Parameters<CertificateStore['saveCertificate']>[0]>;

const problem = { reason: 'no_address', message: 'The name has no address.', at: NOW } as const;
const selfCheck = {
  at: NOW,
  answers: [{ address: '192.0.2.1', outcome: 'another', seen: 'HTTP 200, "It works!"' }],
} as const;

export function describeCertificates(subject: Subject): void {
  const claim = (now = NOW) => subject.store.claimCertificates({ now, limit: 100, leaseMs: 60_000, newNames: true });
  /** A leased certificate. */
  const lease = async () => {
    const { environment } = await subject.plant();
    const domain = await verify(subject.store, environment);
    return { domain, due: (await claim())[0] as DueCertificate };
  };
  const begin = ({ certificate: { hostname }, lease }: DueCertificate, issuer = anIssuer()) =>
    subject.store.beginOrder({
      lease,
      order: anOrder({ hostname, issuer }),
      entry: aLedgerEntry({ hostname, issuer }),
      limits: [],
      now: NOW,
    });
  const save = (due: DueCertificate, about: About) => subject.store.saveCertificate(aSave(due, about));
  const eventsOf = async (domain: Domain) =>
    (await timelineOf(subject.store, domain)).filter(({ type }) => type.startsWith('certificate.'));
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    const { changes } = await subject.store.changesSince(latest);
    return changes.map(({ kind, key }) => `${kind} ${key}`);
  };
  const putChallenge = (hostname: string) =>
    subject.store.putChallenge({ hostname, token: 'token', keyAuthorization: 'token.print', expiresAt: NOW });

  describe('saving a certificate', () => {
    it('that was issued puts it in use with its key, ends the order, invalidates caches and records an event', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      const { name } = domain;
      const issuer = anIssuer();
      await begin(due, issuer);
      await putChallenge(name);
      const { privateKey, ...issued } = anIssuedCertificate({ issuer });
      const save: About = {
        state: 'issued',
        orderOutcome: 'issued',
        issued: { ...issued, privateKey },
        selfCheck: { ...selfCheck, answers: [] },
      };
      expect(await changesOf(() => store.saveCertificate(aSave(due, save)))).toEqual([`certificate ${name}`]);
      expect(await store.findCertificate(name)).toEqual({
        ...due.certificate,
        state: 'issued',
        selfCheck: { at: NOW, answers: [] },
        nextTryAt: NOW + DAY_MS,
        leasedUntil: null,
        issued,
      });
      const { chain, notAfter } = issued;
      expect(await servedCertificate(store, name)).toEqual({ chain, notAfter, privateKey, inherited: false });
      expect(await store.findChallenge(name, 'token', NOW)).toBeNull();
      expect(await store.countLedgerEntries(issuer, 0)).toMatchObject({ orders: 1, issued: 1 });
      expect((await claim(NOW + DAY_MS))[0]?.order).toBeNull();
      expect(await eventsOf(domain)).toEqual([
        {
          id: expect.stringMatching(/^evt_/),
          domainId: domain.id,
          workspaceId: domain.workspaceId,
          type: 'certificate.issued',
          actor: null,
          data: {
            name,
            environmentId: domain.environmentId,
            status: 'verified',
            routingVerified: true,
            ownershipVerified: true,
            verificationError: null,
            certificate: { state: 'issued', reason: null, message: null, issuer, notAfter },
          },
          createdAt: NOW,
        },
      ]);
    });

    it('that replaces another records a renewal', async () => {
      const { domain, due } = await lease();
      await save(due, { state: 'issued', issued: anIssuedCertificate(), nextTryAt: NOW });
      const [again] = (await claim()) as [DueCertificate];
      const issued = anIssuedCertificate({ notAfter: NOW + 180 * DAY_MS });
      await save(again, { state: 'issued', issued });
      expect((await eventsOf(domain)).map(({ type }) => type)).toEqual(['certificate.issued', 'certificate.renewed']);
      const { chain, notAfter, privateKey } = issued;
      expect(await servedCertificate(subject.store, domain.name)).toEqual({
        chain,
        notAfter,
        privateKey,
        inherited: false,
      });
    });

    it('that is blocked records one event per reason, and leaves the certificate in use', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      const issued = anIssuedCertificate();
      await save(due, { state: 'issued', issued, nextTryAt: NOW });
      const inUse = await servedCertificate(store, domain.name);
      const refused = { reason: 'ca_refused', message: 'The CA will not.', at: NOW } as const;
      for (const seen of [problem, { ...problem, message: 'Still none.' }, refused, problem, null]) {
        const [again] = (await claim()) as [DueCertificate];
        const stored = { state: 'renewing', problem: seen, selfCheck, failures: 3, nextTryAt: NOW } as const;
        const about = { ...stored, selfCheck: { ...selfCheck, answers: [...selfCheck.answers] } };
        expect(await changesOf(() => save(again, about))).toEqual([]);
        expect(await store.findCertificate(domain.name)).toMatchObject(stored);
      }
      expect(await servedCertificate(store, domain.name)).toEqual(inUse);
      const [, ...failures] = await eventsOf(domain);
      expect(
        failures.map(({ type, data: { certificate } }) => [type, certificate?.reason, certificate?.message]),
      ).toEqual([problem, refused, problem].map(({ reason, message }) => ['certificate.failed', reason, message]));
    });

    it('keeps when a CA last failed to validate the name, until it fails again', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      expect(due.certificate.authorizationFailedAt).toBeNull();
      await save(due, { state: 'failed', authorizationFailedAt: NOW, nextTryAt: NOW });
      const [again] = (await claim()) as [DueCertificate];
      await save(again, { state: 'waiting_for_routing', nextTryAt: NOW });
      expect(await store.findCertificate(domain.name)).toMatchObject({ authorizationFailedAt: NOW });
    });

    it('whose order is to be resumed keeps it, and its challenges', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      await begin(due);
      await putChallenge(domain.name);
      await save(due, { state: 'ordering', nextTryAt: NOW });
      expect((await claim())[0]?.order?.hostname).toBe(domain.name);
      expect(await store.findChallenge(domain.name, 'token', NOW)).toBe('token.print');
    });

    it('may change nothing but the renewal window', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      const { privateKey, ...issued } = anIssuedCertificate();
      await save(due, { state: 'issued', issued: { ...issued, privateKey }, nextTryAt: NOW });
      const renewal = { ...issued.renewal, renewAt: NOW + 5, explanationUrl: 'https://ca.example/why' };
      const [again] = (await claim()) as [DueCertificate];
      expect(await changesOf(() => save(again, { renewal }))).toEqual([]);
      expect((await store.findCertificate(domain.name))?.issued).toEqual({ ...issued, renewal });
      expect(await eventsOf(domain)).toHaveLength(1);
    });
  });

  describe('an imported certificate', () => {
    it('is due when its renewal window says, within the longest wait', async () => {
      const { domain } = await lease();
      const { renewal } = anIssuedCertificate();
      for (const [window, nextTryAt] of [
        [renewal, NOW + DAY_MS],
        [{ ...renewal, askAgainAt: null, renewAt: NOW + 5 }, NOW + 5],
        [{ ...renewal, askAgainAt: null }, NOW + LONGEST_WAIT_MS],
      ] as const) {
        await subject.store.importCertificate(domain.name, anIssuedCertificate({ renewal: window }), NOW);
        expect(await subject.store.findCertificate(domain.name)).toMatchObject({ nextTryAt });
      }
    });

    it('is put in use, and a lease on it is lost', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      await begin(due);
      const { privateKey, ...issued } = anIssuedCertificate({ issuer: 'imported' });
      const doImport = () => store.importCertificate(domain.name, { ...issued, privateKey }, NOW);
      expect(await changesOf(doImport)).toEqual([`certificate ${domain.name}`]);
      expect(await save(due, { state: 'failed', orderOutcome: 'failed' })).toBe('lost');
      expect(await store.findCertificate(domain.name)).toMatchObject({
        state: 'issued',
        problem: null,
        failures: 0,
        nextTryAt: issued.renewal.askAgainAt,
        leasedUntil: null,
        issued,
      });
      expect(await servedCertificate(store, domain.name)).toMatchObject({ privateKey });
      expect((await claim(NOW + DAY_MS))[0]).toMatchObject({ order: null, certificate: { hostname: domain.name } });
      await doImport();
      expect((await eventsOf(domain)).map(({ type }) => type)).toEqual(['certificate.issued', 'certificate.renewed']);
      expect(await store.importCertificate('nobody.example.com', anIssuedCertificate(), NOW)).toBe('missing');
    });
  });

  describe('the managed certificate behind an imported one', () => {
    const imported = async (about: Parameters<typeof anIssuedCertificate>[0] = {}) => {
      const { store } = subject;
      const { domain, due } = await lease();
      const managed = anIssuedCertificate({ issuer: anIssuer(), ...about });
      await save(due, { state: 'issued', issued: managed });
      const own = anIssuedCertificate({ issuer: 'imported' });
      await store.importCertificate(domain.name, own, NOW);
      return { store, domain, managed, own };
    };

    it('is kept as it was, also when another one is imported, and is in use again once that is removed', async () => {
      const { store, domain, managed } = await imported();
      const { name } = domain;
      expect(await store.findFallback(name)).toEqual(managed);
      const own = anIssuedCertificate({ issuer: 'imported' });
      await store.importCertificate(name, own, NOW);
      expect(await store.findFallback(name)).toEqual(managed);
      expect(await servedCertificate(store, name)).toMatchObject({ privateKey: own.privateKey });
      expect(await changesOf(() => store.removeCertificate(name, NOW))).toEqual([`certificate ${name}`]);
      const { privateKey, ...issued } = managed;
      expect(await store.findCertificate(name)).toMatchObject({ state: 'issued', issued });
      expect(await servedCertificate(store, name)).toMatchObject({ privateKey });
      expect(await store.findFallback(name)).toBeNull();
      expect(await store.removeCertificate(name, NOW)).toBe('none');
      const types = (await eventsOf(domain)).map(({ type }) => type);
      expect(types).toEqual(['certificate.issued', ...Array(3).fill('certificate.renewed')]);
    });

    it('is not put in use where it expires soon: then one is ordered, and the imported one stays until it is there', async () => {
      const { store, domain, own } = await imported({ notAfter: NOW + DAY_MS / 2 });
      const { name } = domain;
      const soon = NOW + DAY_MS / 2 - 1;
      expect(await store.removeCertificate(name, soon)).toBe('ordered');
      expect(await store.findCertificate(name)).toMatchObject({
        nextTryAt: soon,
        issued: { issuer: 'imported', renewal: { renewAt: soon } },
      });
      expect(await servedCertificate(store, name)).toMatchObject({ privateKey: own.privateKey });
      const [due] = (await claim(soon)).filter(({ certificate }) => certificate.hostname === name);
      expect(await store.removeCertificate(name, soon)).toBe('ordered');
      const next = anIssuedCertificate();
      expect(await save(due as DueCertificate, { state: 'issued', issued: next })).toBe('saved');
      expect(await servedCertificate(store, name)).toMatchObject({ privateKey: next.privateKey });
      expect(await store.findFallback(name)).toBeNull();
    });

    it('is forgotten when another managed one is in use, when it has expired, and with the domain', async () => {
      const { store, domain, managed } = await imported();
      await store.pruneInheritedCertificates(managed.notAfter - 1);
      expect(await store.findFallback(domain.name)).toEqual(managed);
      await store.pruneInheritedCertificates(managed.notAfter);
      expect(await store.findFallback(domain.name)).toBeNull();
      const other = await imported();
      await store.deleteDomain(other.domain.workspaceId, other.domain.id, NOW);
      expect(await store.findFallback(other.domain.name)).toBeNull();
    });

    it('and the imported one belong to a domain: another domain of the name changes neither', async () => {
      const { store, domain, own } = await imported();
      const stranger = 'dom_01jd8z3q4r5s6t7v8w9x0y1z2a';
      const another = anIssuedCertificate({ issuer: 'imported' });
      expect(await store.importCertificate(domain.name, another, NOW, stranger)).toBe('missing');
      expect(await store.removeCertificate(domain.name, NOW, stranger)).toBe('missing');
      expect(await store.removeCertificate('nobody.example.com', NOW)).toBe('missing');
      expect(await servedCertificate(store, domain.name)).toMatchObject({ privateKey: own.privateKey });
      expect(await store.removeCertificate(domain.name, NOW, domain.id)).toBe('removed');
    });

    it('is announced with half of the time of the imported one left, once', async () => {
      const { store, domain, own } = await imported();
      const at = own.notAfter - 45 * DAY_MS;
      await store.recordExpiring(at - 1, 100);
      expect((await eventsOf(domain)).map(({ type }) => type)).not.toContain('certificate.expiring');
      for (let run = 0; run < 2; run++) await store.recordExpiring(at, 100);
      const types = (await eventsOf(domain)).map(({ type }) => type);
      expect(types.filter((type) => type === 'certificate.expiring')).toHaveLength(1);
    });
  });

  describe('renewing a certificate by hand', () => {
    it('makes it due, whatever its window says', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      await save(due, { state: 'issued', issued: anIssuedCertificate(), nextTryAt: NOW + DAY_MS });
      expect(await store.renewCertificate(domain.name, NOW + 5)).toBe('accepted');
      const [again] = await claim(NOW + 5);
      expect(again?.certificate.issued?.renewal.renewAt).toBe(NOW + 5);
    });

    it('makes a name without a certificate due, and changes nothing that is leased', async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      expect(await store.renewCertificate(domain.name, NOW + 59_999)).toBe('leased');
      await save(due, { state: 'failed', nextTryAt: NOW + DAY_MS });
      expect(await store.renewCertificate(domain.name, NOW + 5)).toBe('accepted');
      expect(await claim(NOW + 5)).toHaveLength(1);
      expect(await store.renewCertificate('nobody.example.com', NOW)).toBe('missing');
    });
  });

  describe('a certificate that its CA has revoked', () => {
    const inUse = async () => {
      const { store } = subject;
      const { domain, due } = await lease();
      const issued = anIssuedCertificate();
      await save(due, { state: 'issued', issued, nextTryAt: NOW + DAY_MS });
      const replace = (withdraw: boolean, chain = issued.chain) =>
        store.replaceRevoked({ hostname: domain.name, chain, withdraw, reason: null }, NOW + 5);
      return { store, domain, issued, replace };
    };

    it('stays in use until another one replaces it, which is due at once, also where it is leased', async () => {
      const { store, domain, issued, replace } = await inUse();
      await store.renewCertificate(domain.name, NOW);
      const [leased] = await claim(NOW);
      expect(await replace(false)).toBe('replaced');
      expect(leased && (await save(leased, { state: 'issued' }))).toBe('lost');
      expect(await servedCertificate(store, domain.name)).toMatchObject({ chain: issued.chain });
      const [again] = await claim(NOW + 5);
      expect(again?.certificate).toMatchObject({ hostname: domain.name, issued: { renewal: { renewAt: NOW + 5 } } });
    });

    it('that is withdrawn is in use no more on any node, and its key is gone; an order in flight stays', async () => {
      const { store, domain, replace } = await inUse();
      expect(await changesOf(() => replace(true))).toEqual([`certificate ${domain.name}`]);
      expect(await servedCertificate(store, domain.name)).toBeNull();
      const [again] = await claim(NOW + 5);
      expect(again?.certificate).toMatchObject({ hostname: domain.name, state: 'wanted', issued: null });
      expect(await store.countCertificates()).toMatchObject({ wanted: expect.any(Number) });

      const other = await inUse();
      await store.renewCertificate(other.domain.name, NOW);
      const [due] = await claim(NOW);
      if (due !== undefined) await begin(due);
      await other.replace(true);
      const resumed = (await claim(NOW + 5)).find(({ certificate }) => certificate.hostname === other.domain.name);
      expect(resumed).toMatchObject({ certificate: { state: 'ordering', issued: null }, order: {} });
    });

    it('is left alone where another one is in use by now', async () => {
      const { store, domain, issued, replace } = await inUse();
      expect(await replace(true, 'another chain')).toBe('other');
      expect(await servedCertificate(store, domain.name)).toMatchObject({ chain: issued.chain });
      expect((await store.findCertificate(domain.name))?.issued?.renewal).toEqual(issued.renewal);
    });
  });

  describe('a name that is no longer verified', () => {
    const certified = async () => {
      const { domain, due } = await lease();
      await save(due, { state: 'issued', issued: anIssuedCertificate(), nextTryAt: NOW });
      const [again] = (await claim()) as [DueCertificate];
      await begin(again);
      await putChallenge(domain.name);
      return { domain, due: again };
    };
    const nothingIsLeft = async ({ name }: Domain, due: DueCertificate) => {
      const { store } = subject;
      expect(await servedCertificate(store, name)).toBeNull();
      expect(await store.findChallenge(name, 'token', NOW)).toBeNull();
      expect(await store.saveOrderUrl(name, due.lease, 'https://ca.example/order/1')).toBe('lost');
      expect(await save(due, { state: 'issued', issued: anIssuedCertificate() })).toBe('lost');
      expect(await servedCertificate(store, name)).toBeNull();
    };

    it('because its domain was deleted, leaves neither certificate, order nor challenge behind', async () => {
      const { domain, due } = await certified();
      await subject.store.deleteDomain(domain.workspaceId, domain.id, NOW);
      expect(await subject.store.findCertificate(domain.name)).toBeNull();
      await nothingIsLeft(domain, due);
      expect(await claim(NOW + DAY_MS)).toEqual([]);
    });

    it('while its certificate is saved leaves nothing behind, whichever comes first', async () => {
      const { store } = subject;
      for (const deletesFirst of [true, false]) {
        const { domain, due } = await lease();
        const steps = [
          () => store.deleteDomain(domain.workspaceId, domain.id, NOW),
          () => save(due, { state: 'issued', issued: anIssuedCertificate() }),
        ];
        await Promise.all((deletesFirst ? steps : steps.toReversed()).map((step) => step()));
        expect(await servedCertificate(store, domain.name)).toBeNull();
        expect(await store.findCertificate(domain.name)).toBeNull();
      }
    });
  });

  it('of the processes that order certificates, the last sign is kept', async () => {
    const { store } = subject;
    for (const at of [NOW, NOW + 1]) {
      await store.recordIssuing(at);
      expect(await store.findLastIssuing()).toBe(at);
    }
  });

  it('of backups, the last one that was recorded is kept, apart from that sign', async () => {
    const { store, close } = await subject.open();
    await store.recordIssuing(NOW + 9);
    expect(await store.findLastBackup()).toBeNull();
    for (const at of [NOW, NOW + 1]) {
      await store.recordBackup(at);
      expect(await store.findLastBackup()).toBe(at);
    }
    expect(await store.findLastIssuing()).toBe(NOW + 9);
    await close();
  });

  describe('lists of certificates', () => {
    it('are in order of host name, page by page, each once; optionally of one state', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const names = ['b', 'a', 'e', 'd', 'c'].map((label) => `${label}.lists.example.com`);
      for (const name of names) await verify(store, environment, { name });
      for (const due of await claim()) {
        const failed = due.certificate.hostname < 'c';
        await save(due, { state: failed ? 'failed' : 'issued', ...(!failed && { issued: anIssuedCertificate() }) });
      }
      const listed = await readAll(2, (page) => store.listCertificates(page));
      expect(listed.items.map(({ hostname }) => hostname)).toEqual(names.toSorted());
      expect(listed.items).toContainEqual(await store.findCertificate('a.lists.example.com'));
      const issued = await readAll(1, (page) => store.listCertificates({ ...page, state: 'issued' }));
      expect(issued.items.map(({ hostname }) => hostname)).toEqual(names.toSorted().slice(2));
      expect(await store.listCertificates({ limit: 9, state: 'wanted' })).toEqual({ items: [] });
      expect(await store.countCertificates()).toEqual({ failed: 2, issued: 3 });
    });

    it('of those that expire first are in that order', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      for (let i = 0; i < 4; i++) await verify(store, environment);
      const dues = await claim();
      for (const [i, due] of dues.slice(0, 3).entries()) {
        await save(due, { state: 'issued', issued: anIssuedCertificate({ notAfter: NOW + ((i + 2) % 3) * DAY_MS }) });
      }
      const expected = [dues[1], dues[2], dues[0]].map((due) => due?.certificate.hostname);
      expect((await store.listExpiring(9)).map(({ hostname }) => hostname)).toEqual(expected);
      expect((await store.listExpiring(1)).map(({ hostname }) => hostname)).toEqual(expected.slice(0, 1));
    });

    it('of those that wait have none that is in use, being ordered, or whose name is in the way, and begin with the oldest', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const names: string[] = [];
      for (let i = 0; i < 8; i++) names.push((await verify(store, environment, { at: NOW + ((i * 5) % 8) })).name);
      const dues = new Map((await claim(NOW + 8)).map((due) => [due.certificate.hostname, due]));
      const dueOf = (at: number) => dues.get(names[at] ?? '') as DueCertificate;
      await save(dueOf(1), { state: 'issued', issued: anIssuedCertificate() });
      await save(dueOf(2), { state: 'waiting_for_routing', problem });
      await save(dueOf(3), { state: 'failed', problem: { ...problem, reason: 'ca_unavailable' } });
      await save(dueOf(4), { state: 'failed', authorizationFailedAt: NOW });
      await begin(dueOf(5));
      await store.deleteDomain(environment.workspaceId, dueOf(6).certificate.domainId, NOW);
      // Verified 0, 3 and 7 ms after the beginning.
      const expected = [names[0], names[7], names[3]];
      expect((await store.listWaiting(9)).map(({ hostname }) => hostname)).toEqual(expected);
      expect((await store.listWaiting(1)).map(({ hostname }) => hostname)).toEqual(expected.slice(0, 1));
    });
  });
}
