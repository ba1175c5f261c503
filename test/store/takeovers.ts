import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiringAt } from '../../server/src/domain/certificate-state.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { DueCertificate, IssuedCertificate, Store } from '../../server/src/store/store.ts';
import {
  aLedgerEntry,
  anIssuedCertificate,
  anIssuer,
  anOrder,
  aSave,
  DAY_MS,
  servedCertificate,
  takeOver,
  verify,
} from '../support/certificates.ts';
import { NOW, type Planted, timelineOf, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

/** Tests the certificate of a name that another workspace proves. */
export function describeTakeovers(subject: Subject): void {
  const claim = (now = NOW) => subject.store.claimCertificates({ now, limit: 100, leaseMs: 60_000, newNames: true });
  /** A verified domain with a certificate of its own; `about` the certificate. */
  const certified = async (about: Partial<IssuedCertificate> = {}) => {
    const domain = await verify(subject.store, (await subject.plant()).environment);
    const issued = anIssuedCertificate(about);
    await subject.store.importCertificate(domain.name, issued, NOW);
    return { domain, issued };
  };
  const takenOver = async (incumbent: Domain, at = NOW + 1) =>
    takeOver(subject.store, (await subject.plant()).environment, incumbent, at);
  const inheritedOf = ({ chain, privateKey, notAfter }: Issued) => ({
    chain,
    privateKey,
    notAfter,
    inherited: true,
  });
  /** The private keys that the store has of a name, as it stores them. */
  const keysOf = async (hostname: string) => {
    const prefix = anIssuedCertificate().privateKey.subarray(0, 9);
    const secrets = await subject.store.listSecrets(prefix, 10_000);
    return secrets.filter(({ id }) => id === hostname).map(({ bytes }) => Buffer.from(bytes).toString('hex'));
  };
  const hex = ({ privateKey }: { privateKey: Uint8Array }) => Buffer.from(privateKey).toString('hex');

  describe('a takeover', () => {
    it('starts anew in the other workspace: lease, order and challenges of the incumbent are gone', async () => {
      const { store } = subject;
      const { domain: incumbent } = await certified();
      await store.renewCertificate(incumbent.name, NOW);
      const [due] = (await claim()) as [DueCertificate];
      const issuer = anIssuer();
      const order = anOrder({ hostname: incumbent.name, issuer });
      const entry = aLedgerEntry({ hostname: incumbent.name, issuer });
      await store.beginOrder({ lease: due.lease, order, entry, limits: [], now: NOW });
      const challenge = { hostname: incumbent.name, token: 'token', keyAuthorization: 'token.print', expiresAt: NOW };
      await store.putChallenge(challenge);

      const { id, workspaceId } = await takenOver(incumbent);
      const wanted = { state: 'wanted', domainId: id, workspaceId, issued: null, problem: null, failures: 0 };
      expect(await store.findCertificate(incumbent.name)).toMatchObject({ ...wanted, nextTryAt: NOW + 1 });
      expect(await store.findChallenge(incumbent.name, 'token', NOW)).toBeNull();
      expect(await store.saveOrderUrl(incumbent.name, due.lease, 'https://ca.example/order/1')).toBe('lost');
      const late = aSave(due, { state: 'issued', issued: anIssuedCertificate() });
      expect(await store.saveCertificate(late)).toBe('lost');
      const [fresh] = await claim(NOW + 1);
      expect(fresh).toMatchObject({ certificate: wanted, order: null });
      expect(await store.saveCertificate(late)).toBe('lost');
    });

    it('leaves the certificate in service until the new domain has its own, whose key is then the only one', async () => {
      const { store } = subject;
      const { domain: incumbent, issued: before } = await certified();
      const domain = await takenOver(incumbent);
      expect(await store.findSite(domain.name)).toMatchObject({
        domainId: domain.id,
        certificate: inheritedOf(before),
      });
      expect(await store.listExpiring(1000)).not.toContainEqual(expect.objectContaining({ hostname: domain.name }));
      const [due] = (await claim(NOW + 1)) as [DueCertificate];
      const own = anIssuedCertificate();
      const { latest } = await store.changesSince(0);
      await store.saveCertificate(aSave(due, { state: 'issued', issued: own }));
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toEqual([['certificate', domain.name]]);
      expect(await servedCertificate(store, domain.name)).toEqual({ ...inheritedOf(own), inherited: false });
      expect(await keysOf(domain.name)).toEqual([hex(own)]);
      const events = (await timelineOf(store, domain)).map(({ type }) => type);
      expect(events.filter((type) => type.startsWith('certificate.'))).toEqual(['certificate.issued']);
    });

    it.each<[string, Partial<IssuedCertificate>]>([
      ['was imported: others may have its key', { issuer: 'imported' }],
      ['has expired', { notAfter: NOW + 1 }],
    ])('deletes one that %s', async (_, about) => {
      const { domain: incumbent } = await certified(about);
      const { name } = await takenOver(incumbent);
      expect(await servedCertificate(subject.store, name)).toBeNull();
      expect(await keysOf(name)).toEqual([]);
    });

    it('goes on with the managed one behind an imported one', async () => {
      const { domain: incumbent, issued: managed } = await certified();
      await subject.store.importCertificate(incumbent.name, anIssuedCertificate({ issuer: 'imported' }), NOW);
      const { name } = await takenOver(incumbent);
      expect(await servedCertificate(subject.store, name)).toEqual(inheritedOf(managed));
      expect(await keysOf(name)).toEqual([hex(managed)]);
    });

    it('is none of a name that was deleted before: whoever is verified next inherits nothing', async () => {
      const { store } = subject;
      const { domain } = await certified();
      await store.deleteDomain(domain.workspaceId, domain.id, NOW + 1);
      for (const environment of [(await subject.plant()).environment, (await subject.plant()).environment]) {
        const next = await verify(store, environment, { name: domain.name, at: NOW + 2 });
        expect(await store.findSite(domain.name)).toMatchObject({ domainId: next.id, certificate: null });
        expect(await store.findCertificate(domain.name)).toMatchObject({ state: 'wanted', issued: null });
        await store.deleteDomain(next.workspaceId, next.id, NOW + 3);
      }
    });

    it('leaves a key in the store no longer than its certificate is valid', async () => {
      const { store } = subject;
      const { domain: incumbent, issued } = await certified();
      const { name } = await takenOver(incumbent);
      await store.pruneInheritedCertificates(issued.notAfter - 1);
      expect(await keysOf(name)).toEqual([hex(issued)]);
      const { latest } = await store.changesSince(0);
      await store.pruneInheritedCertificates(issued.notAfter);
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toContainEqual(['certificate', name]);
      expect(await servedCertificate(store, name)).toBeNull();
      expect(await keysOf(name)).toEqual([]);
    });
  });

  it('any history of a name that three workspaces verify, certify and delete: it is served for one at a time, with its own certificate or the one that it inherited, and no other key is kept', async () => {
    const workspaces = [await subject.plant(), await subject.plant(), await subject.plant()];
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const name = `${unique('handed')}.example.com`;
        const model = nameModel(subject.store, workspaces, name);
        try {
          for (const step of history) {
            await model.carryOut(step);
            const { holder, own, inherited, fallback } = model.expected();
            const served = own ?? inherited;
            const site = await subject.store.findSite(name);
            expect(site?.domainId).toBe(holder?.id);
            expect(site?.certificate ?? null).toEqual(served && { ...inheritedOf(served), inherited: own === null });
            const certificate = await subject.store.findCertificate(name);
            expect(certificate?.domainId).toBe(holder?.id);
            expect(certificate?.issued?.chain).toBe(own?.chain);
            expect((await subject.store.findFallback(name))?.privateKey).toEqual(fallback?.privateKey);
            const kept = [served, fallback].filter((one) => one !== null);
            expect((await keysOf(name)).toSorted()).toEqual(kept.map(hex).toSorted());
          }
        } finally {
          await model.clear();
        }
      }),
      { numRuns: 60 },
    );
  });
}

type Step =
  | { do: 'verify' | 'delete'; by: number }
  | { do: 'issue' | 'import' | 'wait'; days: number }
  | { do: 'prune' | 'remove' };

const by = fc.nat(2);
const days = fc.constantFrom(1, 2, 5);
const histories: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('verify' as const), by }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), by }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('issue' as const, 'import' as const, 'wait' as const), days }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('prune' as const, 'remove' as const) }) },
  ),
  { minLength: 1, maxLength: 20 },
);

type Issued = ReturnType<typeof anIssuedCertificate>;

/**
 * The rule, stated again without a store: who holds a name, and which certificates there are. `carryOut` does each step
 * to the store as well.
 */
function nameModel(store: Store, workspaces: readonly Planted[], name: string) {
  let now = NOW;
  let holder: Domain | null = null;
  let own: Issued | null = null;
  let inherited: Issued | null = null;
  /** The managed one behind an imported one. */
  let fallback: Issued | null = null;
  /** One of a workspace at most. */
  const domains = new Map<number, Domain>();

  async function verifyFor(workspace: number): Promise<void> {
    const { environment } = workspaces[workspace] as Planted;
    const incumbent = holder;
    if (incumbent?.workspaceId === environment.workspaceId) return;
    await remove(workspace);
    const last = own?.issuer === 'imported' ? fallback : (own ?? inherited);
    const goesOn = incumbent !== null && last !== null && last.notAfter > now;
    holder =
      incumbent === null
        ? await verify(store, environment, { name, at: now })
        : await takeOver(store, environment, incumbent, now);
    domains.set(workspace, holder);
    inherited = goesOn ? last : null;
    own = fallback = null;
  }

  async function remove(workspace: number): Promise<void> {
    const domain = domains.get(workspace);
    if (domain === undefined) return;
    domains.delete(workspace);
    if (domain.id === holder?.id) holder = own = inherited = fallback = null;
    await store.deleteDomain(domain.workspaceId, domain.id, now);
  }

  async function putInUse(issuer: string, days: number): Promise<void> {
    if (holder === null) return;
    if (issuer !== 'imported') fallback = null;
    else if (own?.issuer !== 'imported') fallback = own;
    own = anIssuedCertificate({ issuer, notAfter: now + days * DAY_MS });
    inherited = null;
    await store.importCertificate(name, own, now);
  }

  return {
    expected: () => ({ holder, own, inherited, fallback }),
    async carryOut(step: Step): Promise<void> {
      now += 1;
      switch (step.do) {
        case 'verify':
          return verifyFor(step.by);
        case 'delete':
          return remove(step.by);
        case 'issue':
        case 'import':
          return putInUse(step.do === 'import' ? 'imported' : 'internal', step.days);
        case 'wait':
          now += step.days * DAY_MS;
          return;
        case 'prune':
          if (inherited !== null && inherited.notAfter <= now) inherited = null;
          if (fallback !== null && fallback.notAfter <= now) fallback = null;
          return store.pruneInheritedCertificates(now);
        case 'remove':
          await store.removeCertificate(name, now);
          if (own?.issuer !== 'imported' || fallback === null || expiringAt(fallback) <= now) return;
          own = fallback;
          fallback = null;
          return;
        default:
          return step satisfies never;
      }
    },
    async clear(): Promise<void> {
      for (const workspace of [...domains.keys()]) await remove(workspace);
    },
  };
}
