import { describe, expect, it } from 'vitest';
import { boardCounter, isReadyToSwitch } from '../../server/src/domain/board.ts';
import type { CertificateState } from '../../server/src/domain/certificate-state.ts';
import type { Domain, DomainStatus } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { ListedDomain, WorkspacePageRequest } from '../../server/src/store/store.ts';
import { anIssuedCertificate, aSave, DAY_MS, verify } from '../support/certificates.ts';
import { anEnvironment, attach, failedAt, NOW, unique, verifyingAt } from '../support/entities.ts';
import type { Subject } from './subject.ts';
import { readAll } from './tree.ts';

/** One environment after the other, each in order of creation. */
const byEnvironment = (a: ListedDomain, b: ListedDomain) =>
  [a, b].map(({ domain }) => domain.environmentId + domain.id).toSorted()[0] === a.domain.environmentId + a.domain.id
    ? -1
    : 1;

const problem = { reason: 'caa_forbids', message: 'A CAA record forbids the CA.', at: NOW } as const;

export function describeWorkspaceDomains(subject: Subject): void {
  const list = (workspaceId: string, query: Omit<WorkspacePageRequest, 'limit' | 'cursor'> = {}, limit = 2) =>
    readAll(limit, (page) => subject.store.listWorkspaceDomains(workspaceId, { ...query, ...page }));
  const namesOf = ({ items }: { items: ListedDomain[] }) => items.map(({ domain }) => domain.name);

  /** Saves what became of the certificates that are due. */
  async function certify(saves: Record<string, Parameters<typeof aSave>[1]>): Promise<void> {
    const due = await subject.store.claimCertificates({ now: NOW, limit: 100, leaseMs: 60_000, newNames: true });
    for (const each of due) await subject.store.saveCertificate(aSave(each, saves[each.certificate.hostname]));
  }

  /** Two environments, and domains in every state. Their names are in the order of this list. */
  async function stock() {
    const { store } = subject;
    const { workspace, app, environment } = await subject.plant();
    const sibling = anEnvironment(app);
    await store.createEnvironment(sibling);
    const zone = `${unique('zone')}.example`;
    const attached = async (label: string, at = environment) => attach(store, at, { name: `${label}.${zone}` });
    const saved = async (before: Domain, after: Domain) => {
      await store.saveTransition({ before, after, memory: NO_MEMORY, now: NOW });
      return after;
    };
    // Added in another order.
    const pending = await attached('d');
    const failed = await attached('c', sibling).then((domain) => saved(domain, failedAt(domain, NOW)));
    const verifying = await attached('a').then((domain) => saved(domain, verifyingAt(domain, NOW)));
    const served = await verify(store, sibling, { name: `e.${zone}` });
    const blocked = await verify(store, environment, { name: `b.${zone}` });
    const issued = anIssuedCertificate();
    await certify({
      [served.name]: { state: 'issued', issued },
      [blocked.name]: { state: 'waiting_for_routing', problem },
    });
    const wanted = await verify(store, environment, { name: `f.${zone}` });
    const certificate = (state: CertificateState) => ({ state, problem: null, notAfter: null, issuer: null });
    const listed: Omit<ListedDomain, 'live' | 'redirect' | 'suspension' | 'deployment' | 'settings'>[] = [
      { domain: verifying, certificate: null },
      { domain: blocked, certificate: { ...certificate('waiting_for_routing'), problem } },
      { domain: failed, certificate: null },
      { domain: pending, certificate: null },
      { domain: served, certificate: { ...certificate('issued'), notAfter: NOW + 90 * DAY_MS, issuer: 'internal' } },
      { domain: wanted, certificate: certificate('wanted') },
    ];
    const nothing = { live: null, redirect: null, suspension: null, deployment: null, settings: null };
    const all: ListedDomain[] = listed.map((each) => ({ ...each, ...nothing }));
    const remove = async () => {
      for (const { domain } of all) await store.deleteDomain(workspace.id, domain.id, NOW);
    };
    return { workspace, environment, sibling, all, remove };
  }

  describe('the domains of a workspace', () => {
    it('come from all of its environments in order of their names, each once, with what becomes of their certificates', async () => {
      const { workspace, all, remove } = await stock();
      const other = await stock();
      for (const limit of [1, 2, 6, 7]) {
        const { items, pages } = await list(workspace.id, {}, limit);
        expect(items).toEqual(all);
        expect(pages).toBe(Math.ceil(6 / limit));
      }
      expect(await list('ws_none')).toMatchObject({ items: [] });
      await Promise.all([remove(), other.remove()]);
    });

    it('are found by every combination of filters, and nothing else is', async () => {
      const { workspace, environment, sibling, all, remove } = await stock();
      const stranger = (await subject.plant()).environment.id;
      const statuses: (DomainStatus | undefined)[] = [undefined, 'pending', 'verifying', 'verified', 'failed'];
      const states: (CertificateState | undefined)[] = [undefined, 'wanted', 'waiting_for_routing', 'issued', 'failed'];
      const searches = [undefined, '', 'B.', all[0]?.domain.name, all[3]?.domain.id.slice(8).toUpperCase(), 'nothing'];
      const places = [undefined, new Set<string>(), new Set([environment.id]), new Set([sibling.id, stranger])];
      for (const status of statuses)
        for (const certificate of states)
          for (const search of searches)
            for (const environmentIds of places) {
              const query = { status, certificate, search, environmentIds };
              const wanted = all.filter(
                (each) =>
                  (status === undefined || each.domain.status === status) &&
                  (certificate === undefined || each.certificate?.state === certificate) &&
                  (environmentIds?.has(each.domain.environmentId) ?? true) &&
                  [each.domain.id, each.domain.name].some((text) => text.includes(search?.toLowerCase() ?? '')),
              );
              const { items } = await list(workspace.id, query);
              expect(items, JSON.stringify(query)).toEqual(
                environmentIds === undefined ? wanted : wanted.toSorted(byEnvironment),
              );
            }
      await remove();
    });

    it('are counted for a board exactly as they are listed, under the same filter, and those that are ready are found', async () => {
      const { store } = subject;
      const { workspace, environment, sibling, all, remove } = await stock();
      const stranger = await stock();
      const metadata = { moved_from: 'caddy' };
      for (const { domain } of all.slice(1, 5)) await store.updateDomain(workspace.id, domain.id, { metadata }, NOW);
      const places = [undefined, new Set([environment.id]), new Set([sibling.id, stranger.environment.id])];
      for (const at of [NOW, NOW + 90 * DAY_MS])
        for (const environmentIds of places)
          for (const pair of [undefined, metadata, { moved_from: 'vercel' }]) {
            const board = { environmentIds, metadata: pair };
            const { items } = await list(workspace.id, board);
            const counter = boardCounter(at);
            for (const each of items) counter.add(each);
            const expected = counter.counts();
            const { blockers, ...sums } = await store.countSites(workspace.id, board, at);
            const { blockers: expectedBlockers, ...expectedSums } = expected;
            expect(sums).toEqual(expectedSums);
            const counted = (groups: typeof blockers) => new Map(groups.map(({ reason, count }) => [reason, count]));
            expect(counted(blockers)).toEqual(counted(expectedBlockers));
            for (const is of [true, false]) {
              const ready = await list(workspace.id, { ...board, readyAt: { is, at } });
              expect(namesOf(ready)).toEqual(
                namesOf({ items: items.filter((each) => isReadyToSwitch(each, at) === is) }),
              );
            }
          }
      expect(await store.countSites('ws_none', {}, NOW)).toMatchObject({ total: 0 });
      await Promise.all([remove(), stranger.remove()]);
    });

    it('of some environments are read without those of others: no cursor names one of them, wherever pages end', async () => {
      const { workspace, environment, sibling, all, remove } = await stock();
      const stranger = (await subject.plant()).environment.id;
      for (const environmentIds of [
        new Set([environment.id]),
        new Set([sibling.id, stranger]),
        new Set([stranger, environment.id, sibling.id]),
      ]) {
        const own = all.filter(({ domain }) => environmentIds.has(domain.environmentId)).toSorted(byEnvironment);
        const places = own.map(({ domain }) => `${domain.environmentId}.${domain.id}`);
        for (const limit of [1, 2, 3, 7]) {
          const seen: ListedDomain[] = [];
          for (let cursor: string | undefined; ; ) {
            const page = await subject.store.listWorkspaceDomains(workspace.id, { limit, cursor, environmentIds });
            seen.push(...page.items);
            if (page.next === undefined) break;
            expect(places).toContain(page.next);
            cursor = page.next;
          }
          expect(seen).toEqual(own);
        }
      }
      await remove();
    });

    it('are searched for literally', async () => {
      const { workspace, remove } = await stock();
      for (const search of ['%', '_com', '\\', "'", '*', '?', '.*']) {
        expect(namesOf(await list(workspace.id, { search })), search).toEqual([]);
      }
      expect(namesOf(await list(workspace.id, { search: 'dom_' }))).toHaveLength(6);
      await remove();
    });

    it('begin at any lower bound, whatever it is', async () => {
      const { workspace, all, remove } = await stock();
      const from = async (cursor: string) =>
        (await subject.store.listWorkspaceDomains(workspace.id, { limit: 9, cursor })).items;
      expect(await from('c')).toEqual(all.slice(2));
      expect(await from(all[3]?.domain.name ?? '')).toEqual(all.slice(3));
      expect(await from("' or 1=1 --")).toEqual(all);
      expect(await from('~~~')).toEqual([]);
      await remove();
    });

    it('have the certificate of a name only where they hold it: not that of another workspace', async () => {
      const { store } = subject;
      const [holder, claimant] = [await subject.plant(), await subject.plant()];
      const { name } = await verify(store, holder.environment);
      await attach(store, claimant.environment, { name });
      expect(await list(claimant.workspace.id)).toMatchObject({ items: [{ certificate: null }] });
      expect(await list(claimant.workspace.id, { certificate: 'wanted' })).toMatchObject({ items: [] });
      expect(await list(holder.workspace.id, { certificate: 'wanted' })).toMatchObject({
        items: [{ domain: { name }, certificate: { state: 'wanted' } }],
      });
    });

    it('are listed by what they are now, not by what they were', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const before = await attach(store, environment);
      const after = verifyingAt(before, NOW);
      await store.saveTransition({ before, after, memory: NO_MEMORY, now: NOW });
      expect(namesOf(await list(workspace.id, { status: 'pending' }))).toEqual([]);
      expect(namesOf(await list(workspace.id, { status: 'verifying' }))).toEqual([before.name]);
      await store.deleteDomain(workspace.id, before.id, NOW);
      expect(namesOf(await list(workspace.id, { status: 'verifying' }))).toEqual([]);
    });
  });
}
