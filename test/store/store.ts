import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { Store } from '../../server/src/store/store.ts';
import { type Planted, plant } from '../support/entities.ts';
import { describeAccess } from './access.ts';
import { describeAudit } from './audit.ts';
import { describeCertificates } from './certificates.ts';
import { describeChanges } from './changes.ts';
import { describeChecks } from './checks.ts';
import { describeDashboardSessions } from './dashboard-sessions.ts';
import { describeDeletedDomains } from './deleted-domains.ts';
import { describeDeliveries } from './deliveries.ts';
import { describeDnsAnswers } from './dns-answers.ts';
import { describeDomains } from './domains.ts';
import { describeEdge } from './edge.ts';
import { describeIdempotency } from './idempotency.ts';
import { describeLeases } from './leases.ts';
import { describeLedgerHistories } from './ledger-histories.ts';
import { describeLife } from './life.ts';
import { describeLiveChecks } from './live-checks.ts';
import { describeMadeKeys } from './made-keys.ts';
import { describeMonitors } from './monitors.ts';
import { describeOperatorNames } from './operator-names.ts';
import { describeOrders } from './orders.ts';
import { describeOwnData } from './own-data.ts';
import { describePrepared } from './prepared.ts';
import { describeRaces } from './races.ts';
import { describeRedirectHistories } from './redirect-histories.ts';
import { describeRedirects } from './redirects.ts';
import { describeRequests } from './requests.ts';
import { describeResults } from './results.ts';
import { describeSecrets } from './secrets.ts';
import { describeSettings } from './settings.ts';
import { describeSetup } from './setup.ts';
import { describeSharedTargets } from './shared-targets.ts';
import { describeStaged } from './staged.ts';
import type { OpenedStore, Subject } from './subject.ts';
import { describeSuspensions } from './suspensions.ts';
import { describeTakeovers } from './takeovers.ts';
import { describeTimelines } from './timelines.ts';
import { describeTree } from './tree.ts';
import { describeUndoHistories } from './undo-histories.ts';
import { describeUsage } from './usage.ts';
import { describeWebhookUpkeep } from './webhook-upkeep.ts';
import { describeWebhooks } from './webhooks.ts';
import { describeWildcards } from './wildcards.ts';
import { describeWorkspaceDomains } from './workspace-domains.ts';

/** The contract of `server/src/store/store.ts`, as tests that every engine passes. */
export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore;
    const planted: Planted[] = [];
    const subject: Subject = {
      get store() {
        return opened.store;
      },
      async plant(about) {
        const tree = await plant(opened.store, about);
        planted.push(tree);
        return tree;
      },
      open,
    };

    beforeAll(async () => {
      opened = await open();
    });
    afterEach(async () => {
      // Checks that are left would be claimed by the next test.
      for (const { environment } of planted.splice(0)) await clear(opened.store, environment);
    });
    afterAll(() => opened.close());

    describeAccess(subject);
    describeMadeKeys(subject);
    describeAudit(subject);
    describeSetup(subject);
    describeDashboardSessions(subject);
    describeTree(subject);
    describeDomains(subject);
    describeWorkspaceDomains(subject);
    describeSharedTargets(subject);
    describeOwnData(subject);
    describeChecks(subject);
    describeResults(subject);
    describeMonitors(subject);
    describeLiveChecks(subject);
    describeTimelines(subject);
    describeWebhooks(subject);
    describeDeliveries(subject);
    describeWebhookUpkeep(subject);
    describeLeases(subject);
    describeOrders(subject);
    describeLedgerHistories(subject);
    describeCertificates(subject);
    describeStaged(subject);
    describeTakeovers(subject);
    describePrepared(subject);
    describeEdge(subject);
    describeDnsAnswers(subject);
    describeOperatorNames(subject);
    describeRedirects(subject);
    describeDeletedDomains(subject);
    describeSettings(subject);
    describeSuspensions(subject);
    describeRedirectHistories(subject);
    describeWildcards(subject);
    describeUndoHistories(subject);
    describeSecrets(subject);
    describeRaces(subject);
    describeChanges(subject);
    describeRequests(subject);
    describeUsage(subject);
    describeIdempotency(subject);
    describeLife(subject);
  });
}

async function clear(store: Store, { workspaceId, id }: { workspaceId: string; id: string }): Promise<void> {
  const { items, next } = await store.listDomains(workspaceId, id, { limit: 100 });
  await Promise.all(items.map((domain) => store.deleteDomain(workspaceId, domain.id, 0)));
  if (next !== undefined) await clear(store, { workspaceId, id });
}
