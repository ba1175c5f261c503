import type { CaLimit } from '../../src/store/contract/store.ts';
import { selectOverdueOf, walkWorkspaces } from '../../src/store/sql/certificates/fairness.ts';
import { certificateClaimer, isAnyDue } from '../../src/store/sql/certificates/leases.ts';
import { findReachedLimit } from '../../src/store/sql/certificates/ledger.ts';
import type { Writing } from '../../src/store/sql/query.ts';
import { reads, writes } from '../../src/store/sql/use-cases.ts';

const claim = { now: 0, limit: 1, leaseMs: 1, newNames: true };
const due = { begun: 0, now: 0, limit: 1 };
const entry = { issuer: '', hostname: '', registeredDomain: '', exempt: false };
const limitNames = ['orders', 'failures', 'certificates', 'duplicates'] as const;
const limits: CaLimit[] = limitNames.map((name) => ({ name, limit: 1, windowMs: 1 }));

// Whoever lists the workspaces of a server wants all of them.
const { listWorkspaces, ...others } = reads;

/** Operations that read no table from end to end, on any engine; for tests of query plans. */
export const indexed = {
  ...others,
  listCertificatesInState: (run: Writing) => reads.listCertificates(run, { limit: 1, state: 'issued' }),
  isAnyDue: (run: Writing) => isAnyDue(run, claim),
  claimCertificates: (run: Writing) => certificateClaimer()(run, claim),
  claimOfWorkspace: async (run: Writing) => run.all(selectOverdueOf, { ...due, workspaceId: '' }),
  walkWorkspaces: async (run: Writing) => run.all(walkWorkspaces, { ...due, after: '' }),
  countOrders: (run: Writing) => findReachedLimit(run, entry, limits, 0),
  pruneChallenges: (run: Writing) => writes.pruneChallenges(run, 0),
  pruneLedger: (run: Writing) => writes.pruneLedger(run, 0),
};

/** Those of them that find their rows in order, so that they cost the same in a table of any length. */
export const inOrder = [
  'listProjects',
  'listApps',
  'listEnvironments',
  'listDeployments',
  'listDomains',
  'listEvents',
  'listCertificates',
  'listCertificatesInState',
  'listExpiring',
  'countCertificates',
  'listSecretPrefixes',
  'claimCertificates',
  'claimOfWorkspace',
  'walkWorkspaces',
  'countOrders',
] as const satisfies (keyof typeof indexed)[];
