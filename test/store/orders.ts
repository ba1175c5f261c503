import { describe, expect, it } from 'vitest';
import { successorOf } from '../../server/src/domain/certificate-state.ts';
import type { CaLimit, DueCertificate, LedgerEntry } from '../../server/src/store/store.ts';
import {
  aCaAccount,
  aLedgerEntry,
  anIssuedCertificate,
  anIssuer,
  anOrder,
  aPrivateKey,
  aSave,
  servedCertificate,
  verify,
} from '../support/certificates.ts';
import { NOW } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const WINDOW_MS = 3_600_000;
const LATER = NOW + WINDOW_MS;
const REFUSED = { reason: 'ca_account', message: 'The account is not valid.', at: NOW } as const;

export function describeOrders(subject: Subject): void {
  /** Certificates, each leased for an hour. */
  const leased = async (count: number): Promise<DueCertificate[]> => {
    const { environment } = await subject.plant();
    for (let i = 0; i < count; i++) await verify(subject.store, environment, { at: NOW - count + i });
    return subject.store.claimCertificates({ now: NOW, limit: count, leaseMs: WINDOW_MS, newNames: true });
  };
  const lease = async () => (await leased(1))[0] as DueCertificate;

  /** Begins an order. */
  const begin = (
    { certificate: { hostname }, lease }: DueCertificate,
    { limits = [], now = NOW, ...about }: Partial<LedgerEntry> & { limits?: CaLimit[]; now?: number },
  ) => {
    const { issuer = anIssuer() } = about;
    const order = anOrder({ hostname, issuer, startedAt: now });
    const entry = aLedgerEntry({ hostname, issuer, ...about });
    return subject.store.beginOrder({ lease, order, entry, limits, now });
  };
  const most = (name: CaLimit['name'], limit: number): CaLimit => ({ name, limit, windowMs: WINDOW_MS });
  const ledger = (issuer: string) => subject.store.countLedgerEntries(issuer, 0);

  describe('an order', () => {
    it('is saved when it begins, so that a later lease can resume it', async () => {
      const { store } = subject;
      const due = await lease();
      const { hostname } = due.certificate;
      const order = anOrder({ hostname, issuer: anIssuer(), replaces: 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE' });
      const entry = aLedgerEntry({ hostname, issuer: order.issuer });
      const begun = { lease: due.lease, order, entry, limits: [], now: NOW };
      expect(await store.beginOrder(begun)).toEqual({ kind: 'begun' });
      expect(await store.findCertificate(hostname)).toMatchObject({ state: 'ordering' });
      const url = 'https://ca.example/order/1';
      expect(await store.saveOrderUrl(hostname, due.lease, url)).toBe('saved');
      const [taken] = await store.claimCertificates({ now: NOW + WINDOW_MS, limit: 1, leaseMs: 1, newNames: false });
      expect(taken).toMatchObject({ certificate: { hostname, state: 'ordering' }, order: { ...order, url } });
    });

    it('is shown with the problem and the self-check of the moment at which it began; without them, with those before', async () => {
      const { store } = subject;
      const [problem, selfCheck] = [
        { reason: 'no_address', message: 'None.', at: NOW } as const,
        { at: NOW, answers: [] },
      ];
      const due = await lease();
      const { hostname } = due.certificate;
      await store.saveCertificate(aSave(due, { problem, selfCheck, nextTryAt: NOW }));
      const [again] = await store.claimCertificates({ now: NOW, limit: 1, leaseMs: 1, newNames: true });
      const order = anOrder({ hostname, issuer: anIssuer() });
      const begun = { lease: again?.lease ?? 0, order, entry: aLedgerEntry(order), limits: [], now: NOW };
      await store.beginOrder(begun);
      expect(await store.findCertificate(hostname)).toMatchObject({ state: 'ordering', problem, selfCheck });
      await store.beginOrder({ ...begun, shown: { problem: null, selfCheck: null } });
      expect(await store.findCertificate(hostname)).toMatchObject({
        state: 'ordering',
        problem: null,
        selfCheck: null,
      });
    });

    it('for a name that has a certificate leaves it in use, and is a renewal', async () => {
      const { store } = subject;
      const due = await lease();
      const { hostname } = due.certificate;
      const issued = anIssuedCertificate();
      await store.saveCertificate(aSave(due, { state: 'issued', issued, nextTryAt: NOW }));
      const [again] = await store.claimCertificates({ now: NOW, limit: 1, leaseMs: 1, newNames: false });
      expect(await begin(again as DueCertificate, {})).toEqual({ kind: 'begun' });
      const { privateKey, ...inUse } = issued;
      expect(await store.findCertificate(hostname)).toMatchObject({ state: 'renewing', issued: inUse });
      expect(await servedCertificate(store, hostname)).toMatchObject({ privateKey });
    });

    it('replaces the one in flight, which the ledger keeps counting', async () => {
      const { store } = subject;
      const due = await lease();
      const issuer = anIssuer();
      await begin(due, { issuer });
      await store.saveOrderUrl(due.certificate.hostname, due.lease, 'https://ca.example/order/1');
      expect(await begin(due, { issuer })).toEqual({ kind: 'begun' });
      const [taken] = await store.claimCertificates({ now: NOW + WINDOW_MS, limit: 1, leaseMs: 1, newNames: false });
      expect(taken?.order?.url).toBeNull();
      expect(await ledger(issuer)).toEqual({ orders: 2, exempt: 0, issued: 0, failed: 0 });
      await store.saveCertificate(aSave(taken as DueCertificate, { orderOutcome: 'issued' }));
      expect(await ledger(issuer)).toEqual({ orders: 2, exempt: 0, issued: 1, failed: 0 });
    });

    it('that has no URL counts as one that failed when it is replaced: the CA can have issued nothing for it', async () => {
      const { store } = subject;
      const due = await lease();
      const issuer = anIssuer();
      const limits = [most('duplicates', 1)];
      await begin(due, { issuer, limits });
      expect(await begin(due, { issuer, limits })).toEqual({ kind: 'begun' });
      expect(await ledger(issuer)).toEqual({ orders: 2, exempt: 0, issued: 0, failed: 1 });
      await store.saveOrderUrl(due.certificate.hostname, due.lease, 'https://ca.example/order/2');
      expect(await begin(due, { issuer, limits })).toMatchObject({ kind: 'limit_reached', limit: 'duplicates' });
    });

    it('has a URL only while it is in flight', async () => {
      const due = await lease();
      expect(await subject.store.saveOrderUrl(due.certificate.hostname, due.lease, 'https://ca.example/1')).toBe(
        'lost',
      );
    });
  });

  describe('the ledger', () => {
    it('limits the orders of an issuer until the N-th newest leaves the window, and counts no other issuer', async () => {
      const [a, b, c] = (await leased(3)) as [DueCertificate, DueCertificate, DueCertificate];
      const issuer = anIssuer();
      const limits = [most('orders', 2)];
      expect(await begin(a, { issuer, limits, now: NOW })).toEqual({ kind: 'begun' });
      expect(await begin(b, { issuer, limits, now: NOW + 10 })).toEqual({ kind: 'begun' });
      const until = NOW + WINDOW_MS;
      expect(await begin(c, { issuer, limits, now: NOW + 20 })).toEqual({
        kind: 'limit_reached',
        limit: 'orders',
        until,
      });
      expect(await begin(c, { issuer, limits: [most('orders', 1)], now: NOW + 20 })).toEqual({
        kind: 'limit_reached',
        limit: 'orders',
        until: until + 10,
      });
      expect(await begin(c, { issuer, limits, now: until - 1 })).toMatchObject({ kind: 'limit_reached', until });
      expect(await subject.store.findCertificate(c.certificate.hostname)).toEqual(c.certificate);
      expect(await ledger(issuer)).toMatchObject({ orders: 2 });
      expect(await begin(c, { limits, now: NOW + 20 })).toEqual({ kind: 'begun' });
      expect(await begin(c, { issuer, limits, now: until })).toEqual({ kind: 'begun' });
    });

    it('names the limit that blocks longest, and allows nothing with a limit of 0', async () => {
      const issuer = anIssuer();
      const due = await lease();
      await begin(due, { issuer });
      await subject.store.saveOrderUrl(due.certificate.hostname, due.lease, 'https://ca.example/order/1');
      const long = { ...most('duplicates', 1), windowMs: 2 * WINDOW_MS };
      const limits = [most('orders', 1), long, most('failures', 1)];
      const until = NOW + long.windowMs;
      expect(await begin(due, { issuer, limits })).toEqual({ kind: 'limit_reached', limit: 'duplicates', until });
      const none = { limits: [most('orders', 0)], now: NOW + 7 };
      expect(await begin(due, none)).toEqual({ kind: 'limit_reached', limit: 'orders', until: NOW + 7 + WINDOW_MS });
    });

    it('gives the last capacity to one of several concurrent orders', async () => {
      for (const name of ['orders', 'certificates'] as const) {
        const dues = await leased(6);
        const issuer = anIssuer();
        const outcomes = await Promise.all(dues.map((due) => begin(due, { issuer, limits: [most(name, 2)] })));
        expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['begun', 'begun', ...Array(4).fill('limit_reached')]);
      }
    });

    it("outlives the domain, as the CA's counts do, until it is pruned", async () => {
      const { store } = subject;
      const issuer = anIssuer();
      const [a, b] = (await leased(2)) as [DueCertificate, DueCertificate];
      await begin(a, { issuer, now: NOW });
      await begin(b, { issuer, now: NOW + 10 });
      for (const { certificate } of [a, b])
        await store.deleteDomain(certificate.workspaceId, certificate.domainId, NOW);
      expect(await ledger(issuer)).toMatchObject({ orders: 2 });
      expect(await store.countLedgerEntries(issuer, NOW + 10)).toMatchObject({ orders: 1 });
      await store.pruneLedger(NOW + 10);
      expect(await ledger(issuer)).toMatchObject({ orders: 1 });
      expect(await ledger(anIssuer())).toEqual({ orders: 0, exempt: 0, issued: 0, failed: 0 });
    });
  });

  describe('an account at a CA', () => {
    it('is created once, also by concurrent callers, who all get the saved one', async () => {
      const issuer = anIssuer();
      expect(await subject.store.findCaAccount(issuer)).toBeNull();
      const made = [1, 2, 3].map(() => aCaAccount({ issuer, certificate: 'PEM' }));
      const kept = await Promise.all(made.map((account) => subject.store.createCaAccount(account)));
      expect(made).toContainEqual(kept[0]);
      expect(kept).toEqual([kept[0], kept[0], kept[0]]);
      expect(await subject.store.findCaAccount(issuer)).toEqual(kept[0]);
    });

    it('is changed in the given fields only', async () => {
      const { store } = subject;
      const account = await store.createCaAccount(aCaAccount());
      const { issuer } = account;
      expect(await store.updateCaAccount(issuer, { url: 'https://ca.example/acct/1' })).toBe(true);
      await Promise.all([
        store.updateCaAccount(issuer, { pausedUntil: NOW }),
        store.updateCaAccount(issuer, { problem: REFUSED }),
      ]);
      const changed = { url: 'https://ca.example/acct/1', pausedUntil: NOW, problem: REFUSED };
      expect(await store.findCaAccount(issuer)).toEqual({ ...account, ...changed });
      await store.updateCaAccount(issuer, { pausedUntil: null, problem: null });
      expect(await store.findCaAccount(issuer)).toEqual({ ...account, url: changed.url });
      expect(await store.updateCaAccount(anIssuer(), changed)).toBe(false);
    });

    it('that is paused is listed until its time is over or it is resumed; then the certificates that waited for it are due, and no others', async () => {
      const { store } = subject;
      const { issuer } = await store.createCaAccount(aCaAccount({ pausedUntil: LATER, problem: REFUSED }));
      const held = { issuer, pausedUntil: LATER, problem: REFUSED };
      expect(await store.listHeldCas(NOW)).toContainEqual(held);
      expect(await store.listHeldCas(LATER)).not.toContainEqual(held);
      const names: string[] = [];
      for (const reason of ['ca_account', 'no_address', 'ca_refused'] as const) {
        const due = await lease();
        const state = reason === 'no_address' ? 'waiting_for_routing' : 'failed';
        const problem = { ...REFUSED, reason };
        await store.saveCertificate(aSave(due, { state, problem, nextTryAt: LATER }));
        names.push(due.certificate.hostname);
      }
      expect(await store.resumeCas(NOW + 1)).toContainEqual(held);
      expect(await store.findCaAccount(issuer)).toMatchObject({ pausedUntil: null, problem: REFUSED });
      expect(await store.listHeldCas(NOW)).toEqual([]);
      expect(await store.resumeCas(NOW + 1)).toEqual([]);
      const certificates = await Promise.all(names.map((name) => store.findCertificate(name)));
      expect(certificates.map((found) => found?.nextTryAt)).toEqual([NOW + 1, LATER, LATER]);
    });

    it('has one successor at a time, which is listed nowhere and deleted with the key that it replaces', async () => {
      const { store } = subject;
      const account = await store.createCaAccount(aCaAccount({ url: 'https://ca.example/acct/1' }));
      const { issuer } = account;
      const successor = { ...aCaAccount(), issuer: successorOf(issuer), url: null };
      expect(await store.listCaAccounts()).toContain(issuer);
      const outcomes = [1, 2].map(() => store.addCaSuccessor(issuer, { ...successor, privateKey: aPrivateKey() }));
      expect((await Promise.all(outcomes)).toSorted()).toEqual(['added', 'exists']);
      expect(await store.listCaAccounts()).not.toContain(successor.issuer);
      expect(await store.replaceCaAccount('https://ca.example/acct/0', account)).toBe('stale');
      expect(await store.findCaAccount(successor.issuer)).not.toBeNull();
      const rotated = { ...account, privateKey: aPrivateKey(), createdAt: account.createdAt + 1 };
      expect(await store.replaceCaAccount(account.url, rotated)).toBe('replaced');
      expect(await store.findCaAccount(issuer)).toEqual(rotated);
      expect(await store.findCaAccount(successor.issuer)).toBeNull();
      // A node that read the account before gives the rotation up.
      expect(await store.replaceCaAccount(account.url, account)).toBe('stale');
      expect(await store.findCaAccount(issuer)).toEqual(rotated);
    });

    it('is replaced by one of several concurrent callers', async () => {
      const { store } = subject;
      const account = await store.createCaAccount(aCaAccount({ url: 'https://ca.example/acct/1' }));
      const others = [2, 3, 4].map((n) => ({
        ...account,
        url: `https://ca.example/acct/${n}`,
        privateKey: aPrivateKey(),
      }));
      const outcomes = await Promise.all(others.map((after) => store.replaceCaAccount(account.url, after)));
      expect(outcomes.toSorted()).toEqual(['replaced', 'stale', 'stale']);
      expect(await store.findCaAccount(account.issuer)).toEqual(others[outcomes.indexOf('replaced')]);
      expect(await store.replaceCaAccount(null, aCaAccount())).toBe('stale');
    });
  });
}
