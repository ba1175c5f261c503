import { describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import type { Change } from '../../server/src/store/store.ts';
import {
  aDeployment,
  aKeyHash,
  anEnvironment,
  aRootKey,
  attach,
  failedAt,
  NOW,
  verifiedAt,
  verifyingAt,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

const memory = NO_MEMORY;
const NO_LIMITS = { rates: {}, domains: null };

export function describeChanges(subject: Subject): void {
  /** The changes that `action` logs, as `kind key`. */
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    const { changes } = await subject.store.changesSince(latest);
    return [...new Set(changes.map(({ kind, key }) => `${kind} ${key}`))];
  };

  describe('the change log', () => {
    it('has a new deployment of an environment', async () => {
      const { environment } = await subject.plant();
      const deploy = () => subject.store.createDeployment(aDeployment(environment));
      expect(await changesOf(deploy)).toEqual([`environment ${environment.id}`]);
    });

    it('has a route when it is created, moves to another workspace, or is deleted', async () => {
      const { store } = subject;
      const [a, b] = [await subject.plant(), await subject.plant()];
      const domain = await attach(store, a.environment);
      const claim = await attach(store, b.environment, { name: domain.name });
      const incumbent = verifiedAt(domain, NOW);
      const won = verifiedAt(claim, NOW);
      const loser = { before: incumbent, after: failedAt(incumbent, NOW) };
      const route = [`route ${domain.name}`];
      const save = { memory, now: NOW };
      const routesBy = async (action: () => Promise<unknown>) =>
        (await changesOf(action)).filter((change) => change.startsWith('route '));
      expect(await routesBy(() => store.saveTransition({ before: domain, after: incumbent, ...save }))).toEqual(route);
      expect(await routesBy(() => store.saveTransition({ before: claim, after: won, loser, ...save }))).toEqual(route);
      expect(await routesBy(() => store.deleteDomain(a.workspace.id, domain.id, NOW))).toEqual([]);
      expect(await routesBy(() => store.deleteDomain(b.workspace.id, claim.id, NOW))).toEqual(route);
    });

    it('has every change of a domain, and of the one that lost its name to it', async () => {
      const { store } = subject;
      const [a, b] = [await subject.plant(), await subject.plant()];
      const domain = await attach(store, a.environment);
      const claim = await attach(store, b.environment, { name: domain.name });
      const save = { memory, now: NOW };
      const domainsBy = async (action: () => Promise<unknown>) =>
        (await changesOf(action)).filter((change) => change.startsWith('domain ')).toSorted();
      const incumbent = verifiedAt(domain, NOW);
      const failed = failedAt(incumbent, NOW);
      const taken = { before: claim, after: verifiedAt(claim, NOW), loser: { before: incumbent, after: failed } };
      const both = [`domain ${claim.id}`, `domain ${domain.id}`].toSorted();
      expect(await domainsBy(() => store.saveTransition({ before: domain, after: incumbent, ...save }))).toEqual([
        `domain ${domain.id}`,
      ]);
      expect(await domainsBy(() => store.saveTransition({ ...taken, ...save }))).toEqual(both);
      expect(await domainsBy(() => store.retryVerification(a.workspace.id, domain.id, NOW, WINDOW_MS))).toEqual([
        `domain ${domain.id}`,
      ]);
      expect(await domainsBy(() => store.deleteDomain(b.workspace.id, claim.id, NOW))).toEqual([`domain ${claim.id}`]);
    });

    it('has nothing where nothing changed, or nothing that is cached', async () => {
      const { store } = subject;
      const { app, environment, workspace } = await subject.plant();
      const domain = await attach(store, environment);
      const before = { before: domain, memory, now: NOW };
      expect(
        await changesOf(async () => {
          await store.setRootKeyDisabled('key_none', NOW);
          await store.revokeRootKey('key_none');
          await store.setWorkspaceDisabled('ws_none', NOW);
          await store.setWorkspaceLimits('ws_none', NO_LIMITS);
          await store.createDeployment(aDeployment(anEnvironment(app)));
          await store.createRootKey(aRootKey({ workspaceId: 'ws_none' }), aKeyHash());
          await store.saveTransition({ ...before, after: domain });
          await store.saveTransition({ ...before, before: verifyingAt(domain, NOW), after: verifiedAt(domain, NOW) });
          await store.retryVerification(workspace.id, domain.id, NOW, WINDOW_MS);
          await store.claimDue(NOW, 1, 60_000, () => 0);
          await store.deleteDomain('ws_none', domain.id, NOW);
        }),
      ).toEqual([]);
    });

    it('is read from any point on, oldest first', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const { latest } = await store.changesSince(0);
      for (let i = 0; i < 3; i++) await store.setWorkspaceLimits(workspace.id, NO_LIMITS);
      const { changes, latest: newest, truncated } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toEqual(Array(3).fill(['workspace', workspace.id]));
      const seqs = changes.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect([newest, truncated]).toEqual([seqs[2], false]);
      expect((await store.changesSince(seqs[0] ?? 0)).changes).toEqual(changes.slice(1));
      expect(await store.changesSince(newest)).toMatchObject({ changes: [], latest: newest, truncated: false });
      expect(await store.changesSince(Number.MAX_SAFE_INTEGER)).toMatchObject({
        changes: [],
        latest: newest,
        truncated: false,
      });
    });

    it('is empty in a new store', async () => {
      const { store, close } = await subject.open();
      expect(await store.changesSince(0)).toMatchObject({ changes: [], latest: 0, truncated: false });
      await close();
    });

    it('is truncated for a reader that missed pruned changes, and its numbers go on', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const change = () => store.setWorkspaceLimits(workspace.id, NO_LIMITS);
      const { latest: start } = await store.changesSince(0);
      await change();
      await change();
      const { latest } = await store.changesSince(0);
      await store.pruneChanges(Number.MAX_SAFE_INTEGER);
      expect(await store.changesSince(start)).toMatchObject({ latest, truncated: true });
      expect(await store.changesSince(latest)).toMatchObject({ changes: [], latest, truncated: false });
      await change();
      const after = await store.changesSince(latest);
      expect(after.truncated).toBe(false);
      expect(after.changes).toHaveLength(1);
      expect(after.latest).toBeGreaterThan(latest);
    });

    it('keeps changes that are not older than asked', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const { latest } = await store.changesSince(0);
      for (let i = 0; i < 2; i++) await store.setWorkspaceLimits(workspace.id, NO_LIMITS);
      await store.pruneChanges(0);
      expect((await store.changesSince(latest)).changes).toHaveLength(2);
    });

    it('reaches followers with every change, in order', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const changes = startChangeFeed(store, { intervalMs: 3_600_000 });
      const seen: (Change['kind'] | null)[] = [];
      changes.subscribe((change) => seen.push(change?.kind ?? null));
      await changes.poll();
      await store.setWorkspaceLimits(workspace.id, NO_LIMITS);
      await store.createDeployment(aDeployment(environment));
      await changes.poll();
      await changes.stop();
      expect(seen.filter((kind) => kind !== null)).toEqual(['workspace', 'environment']);
      expect(seen[0]).toBeNull();
      expect(changes.isFresh()).toBe(true);
    });
  });
}
