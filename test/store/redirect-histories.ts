import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { RedirectStatus } from '../../server/src/domain/redirect.ts';
import { lose, prove } from '../support/certificates.ts';
import { aDomain, NOW, type Planted, timelineOf, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

/**
 * Two workspaces claim the same few names, verify, lose and delete them, and redirect them to each other, several at
 * once.
 */
const WORKSPACES = 2;
const NAMES = 3;

interface Step {
  do: 'create' | 'verify' | 'lose' | 'delete' | 'set' | 'remove';
  by: number;
  name: number;
  to: number;
  status: RedirectStatus;
}

const STEP: Step = { do: 'create', by: 0, name: 0, to: 0, status: 308 };
const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom('create', 'verify', 'verify', 'lose', 'delete', 'set', 'set', 'set', 'remove'),
  by: fc.nat(WORKSPACES - 1),
  name: fc.nat(NAMES - 1),
  to: fc.nat(NAMES - 1),
  status: fc.constantFrom<RedirectStatus[]>(301, 308),
});
/** Steps that are asked for at once. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 5, maxLength: 30, size: 'max' });

export function describeRedirectHistories(subject: Subject): void {
  it('whatever happens, a redirect is one hop to a verified domain of the same workspace, and the timelines say which there are', async () => {
    const seen = { redirects: 0, ended: 0 };
    await fc.assert(
      fc.asyncProperty(history, async (rounds) => {
        const workspaces = [await subject.plant(), await subject.plant()];
        const names = Array.from({ length: NAMES }, () => `${unique('history')}.example.com`);
        const created: Domain[] = [];
        let now = NOW;
        // All claim all names, and the first has them.
        const all = (what: Step['do'], by: number) =>
          Promise.all(
            names.map((_, name) => perform({ ...STEP, do: what, by, name }, workspaces, names, created, now)),
          );
        for (const by of workspaces.keys()) await all('create', by);
        await all('verify', 0);
        for (const steps of rounds) {
          now += 3_600_001;
          await Promise.all(steps.map((each) => perform(each, workspaces, names, created, now)));
          await check(names, created);
        }
        // The next history begins with names of its own, and without checks that are due.
        for (const { workspaceId, id } of created) await subject.store.deleteDomain(workspaceId, id, now);
      }),
      { numRuns: 20 },
    );
    // The histories have both.
    expect(seen.redirects).toBeGreaterThan(0);
    expect(seen.ended).toBeGreaterThan(0);

    async function check(names: string[], created: Domain[]): Promise<void> {
      const { store } = subject;
      for (const name of names) {
        const site = await store.findSite(name);
        if (site?.redirect == null) continue;
        seen.redirects += 1;
        const destination = await store.findSite(site.redirect.hostname);
        expect(destination).toMatchObject({ domainId: site.redirect.domainId, redirect: null });
        const [from, to] = [site.domainId, destination?.domainId].map((id) => created.find((each) => each.id === id));
        expect(to?.workspaceId).toBe(from?.workspaceId);
      }
      for (const domain of created) {
        const found = await store.findRedirect(domain.workspaceId, domain.id);
        const events = await timelineOf(store, domain);
        const last = events.findLast(({ type }) => type.startsWith('redirect.') || type === 'domain.deleted');
        if (last?.data.redirect?.reason?.startsWith('destination_')) seen.ended += 1;
        const told = last?.type === 'redirect.set' ? last.data.redirect : undefined;
        expect(found && { to: found.to, status: found.status }).toEqual(told ?? null);
      }
    }
  });

  async function perform(
    { do: what, by, name, to, status }: Step,
    workspaces: Planted[],
    names: string[],
    created: Domain[],
    now: number,
  ): Promise<void> {
    const { store } = subject;
    const { workspace, environment } = workspaces[by] as Planted;
    if (what === 'create') {
      const domain = aDomain(environment, { name: names[name] as string, createdAt: now, windowStartedAt: now });
      if ((await store.createDomain(domain, now + WINDOW_MS)).kind === 'created') created.push(domain);
      return;
    }
    const domain = await store.findDomainByName(workspace.id, names[name] as string);
    if (domain === null) return;
    const { id } = domain;
    switch (what) {
      case 'verify':
        if (domain.status === 'failed') await store.retryVerification(workspace.id, id, now, WINDOW_MS);
        else if (domain.status !== 'verified') await prove(store, domain, now);
        return;
      case 'lose':
        if (domain.status === 'verified') await lose(store, domain, now);
        return;
      case 'delete':
        await store.deleteDomain(workspace.id, id, now);
        return;
      case 'set': {
        const destination = await store.findDomainByName(workspace.id, names[to] as string);
        if (destination !== null)
          await store.setRedirect(workspace.id, { domainId: id, destinationId: destination.id, status }, now);
        return;
      }
      case 'remove':
        await store.removeRedirect(workspace.id, id, now);
        return;
      default:
        what satisfies never;
    }
  }
}
