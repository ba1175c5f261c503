import { listCertificates } from '../../server/src/store/certificate/certificate-rows.ts';
import { selectOverdueOf, walkWorkspaces } from '../../server/src/store/certificate/fairness.ts';
import { pruneInheritedCertificates } from '../../server/src/store/certificate/inherited-certificates.ts';
import { findExpiring } from '../../server/src/store/certificate/issuance.ts';
import { certificateClaimer, isAnyDue } from '../../server/src/store/certificate/leases.ts';
import { findReachedLimit, pruneLedger } from '../../server/src/store/certificate/ledger.ts';
import { pruneChallenges } from '../../server/src/store/certificate/orders.ts';
import { countSites } from '../../server/src/store/domain/board-counts.ts';
import {
  listWorkspaceDomains,
  selectListed,
  selectWanted,
  wantedOf,
} from '../../server/src/store/domain/domain-lists.ts';
import { pruneEvents } from '../../server/src/store/domain/events.ts';
import { endRedirectsTo, selectSources } from '../../server/src/store/domain/redirect-rows.ts';
import { reads } from '../../server/src/store/engine/sql-store.ts';
import type { Transaction } from '../../server/src/store/engine/statement.ts';
import { pruneIdempotencyKeys } from '../../server/src/store/request/requests.ts';
import { countWorking, pruneSetupLinks } from '../../server/src/store/setup/setup.ts';
import type { CaLimit } from '../../server/src/store/store.ts';
import { projectChanges } from '../../server/src/store/tree/tree.ts';
import { clearOldResponses } from '../../server/src/store/webhook/delivery-results.ts';
import { listDeliveries, pruneDeliveries } from '../../server/src/store/webhook/delivery-rows.ts';
import { endQueue, leaseDelivery, resumeQueues } from '../../server/src/store/webhook/queue.ts';
import { AUTHOR } from './entities.ts';

const claim = { now: 0, limit: 1, leaseMs: 1, newNames: true };
const due = { begun: 0, now: 0, limit: 1 };
const entry = { issuer: '', hostname: '', registeredDomain: '', exempt: false };
const limitNames = ['orders', 'failures', 'certificates', 'duplicates'] as const;
const once = { id: '', fingerprint: '', made: new Uint8Array(), secret: false, at: 0 };
const project = { id: '', workspaceId: '', slug: '', name: null, createdAt: 0 };
const limits: CaLimit[] = limitNames.map((name) => ({ name, limit: 1, windowMs: 1 }));

const { listWorkspaces, findTargetOutside, listHeldCas, listCaAccounts, listConnectKeys, ...others } = reads;

/** Use cases that scan no table, on any engine; for tests of query plans. */
export const indexed: Record<string, (tx: Transaction, ...args: never[]) => Promise<unknown>> = {
  ...others,
  listCertificatesInState: (tx: Transaction) => listCertificates(tx, { limit: 1, state: 'issued' }),
  listWorkspaceDomainsOfStatus: (tx: Transaction) => listWorkspaceDomains(tx, '', { limit: 1, status: 'failed' }),
  listWorkspaceDomainsOfCertificate: (tx: Transaction) =>
    listWorkspaceDomains(tx, '', { limit: 1, certificate: 'failed' }),
  listWorkspaceDomainsOfLive: (tx: Transaction) => listWorkspaceDomains(tx, '', { limit: 1, live: 'live' }),
  searchWorkspaceDomainsOfStatus: (tx: Transaction) =>
    listWorkspaceDomains(tx, '', { limit: 1, status: 'failed', search: 'a' }),
  searchWorkspaceDomainsOfCertificate: (tx: Transaction) =>
    listWorkspaceDomains(tx, '', { limit: 1, certificate: 'failed', search: 'a' }),
  listWorkspaceDomainsOfEnvironments: (tx: Transaction) =>
    listWorkspaceDomains(tx, '', { limit: 1, status: 'failed', search: 'a', environmentIds: new Set(['a']) }),
  listWorkspaceDomainsOfExternalId: (tx: Transaction) => listWorkspaceDomains(tx, '', { limit: 1, externalId: 'a' }),
  listWorkspaceDomainsOfMetadata: (tx: Transaction) =>
    listWorkspaceDomains(tx, '', { limit: 1, metadata: { a: '1', b: '2' }, status: 'failed', createdAfter: 1 }),
  listWorkspaceDomainsOfPairsInEnvironments: (tx: Transaction) =>
    listWorkspaceDomains(tx, '', { limit: 1, externalId: 'a', metadata: { b: '2' }, environmentIds: new Set(['a']) }),
  listReadyDomains: (tx: Transaction) => listWorkspaceDomains(tx, '', { limit: 1, readyAt: { is: false, at: 0 } }),
  countSitesOfMetadata: (tx: Transaction) => countSites(tx, '', { metadata: { a: '1' } }, 0),
  countSitesOfEnvironments: (tx: Transaction) => countSites(tx, '', { environmentIds: new Set(['a']) }, 0),
  showListedDomains: async (tx: Transaction) => tx.all(selectListed, {}),
  filterListedDomains: async (tx: Transaction) => tx.all(selectWanted, { ...wantedOf({ limit: 1 }) }),
  isAnyDue: (tx: Transaction) => isAnyDue(tx, claim),
  claimCertificates: (tx: Transaction) => certificateClaimer()(tx, claim),
  claimOfWorkspace: async (tx: Transaction) => tx.all(selectOverdueOf, { ...due, workspaceId: '' }),
  walkWorkspaces: async (tx: Transaction) => tx.all(walkWorkspaces, { ...due, after: '' }),
  countOrders: (tx: Transaction) => findReachedLimit(tx, entry, limits, 0),
  pruneChallenges: (tx: Transaction) => pruneChallenges(tx, 0),
  pruneInheritedCertificates: (tx: Transaction) => pruneInheritedCertificates(tx, 0),
  pruneLedger: (tx: Transaction) => pruneLedger(tx, 0),
  pruneEvents: (tx: Transaction) => pruneEvents(tx, 0, 1),
  pruneIdempotencyKeys: (tx: Transaction) => pruneIdempotencyKeys(tx, 0, 1),
  createOnce: (tx: Transaction) => projectChanges.createProject.perform(tx, { by: AUTHOR, once }, project),
  findExpiring: (tx: Transaction) => findExpiring(tx, 0, 1),
  leaseDelivery: (tx: Transaction) => leaseDelivery(tx, '', { now: 0, leaseMs: 1 }),
  endQueue: (tx: Transaction) => endQueue(tx, { webhookId: '', queue: '' }),
  resumeQueues: (tx: Transaction) => resumeQueues(tx, '', 0),
  clearOldResponses: async (tx: Transaction) => tx.execute(clearOldResponses, { webhookId: '' }),
  listDeliveriesThatWait: (tx: Transaction) => listDeliveries(tx, '', '', { limit: 1, state: 'waiting' }),
  listDeliveriesThatFailed: (tx: Transaction) => listDeliveries(tx, '', '', { limit: 1, state: 'failed' }),
  pruneDeliveries: (tx: Transaction) => pruneDeliveries(tx, 0, 1),
  pruneSetupLinks: (tx: Transaction) => pruneSetupLinks(tx, 0, 1),
  countSetupLinks: async (tx: Transaction) => tx.one(countWorking, { domainId: '', at: 0 }),
  endRedirectsTo: (tx: Transaction) =>
    endRedirectsTo(tx, { id: '', name: '' }, { reason: 'destination_failed', at: 0 }),
  redirectsTo: async (tx: Transaction) => tx.all(selectSources, { destinationId: '', rows: 1 }),
};

/** Those of them that find their rows in the order of an index, so that they cost the same in a table of any length. */
export const inOrder = [
  'listProjects',
  'listApps',
  'listEnvironments',
  'listDeployments',
  'listDomains',
  'listWorkspaceDomains',
  'listWorkspaceDomainsOfStatus',
  'listWorkspaceDomainsOfCertificate',
  'listWorkspaceDomainsOfLive',
  'listWorkspaceDomainsOfEnvironments',
  'listWorkspaceDomainsOfExternalId',
  'listWorkspaceDomainsOfMetadata',
  'listWorkspaceDomainsOfPairsInEnvironments',
  'searchWorkspaceDomainsOfStatus',
  'searchWorkspaceDomainsOfCertificate',
  'listDomainEvents',
  'countWorkspaceDomains',
  'listReadyDomains',
  'countSites',
  'countSitesOfMetadata',
  'countSitesOfEnvironments',
  'countDrifted',
  'listCertificates',
  'listCertificatesInState',
  'listExpiring',
  'listWaiting',
  'countCertificates',
  'listSecretPrefixes',
  'claimCertificates',
  'claimOfWorkspace',
  'walkWorkspaces',
  'countOrders',
  'listSetupLinks',
  'redirectsTo',
  'pruneSetupLinks',
  'listWebhooks',
  'listDeliveries',
  'listDeliveriesThatWait',
  'listDeliveriesThatFailed',
  'deliveryBacklog',
  'findExpiring',
  'findDueWebhooks',
  'leaseDelivery',
  'clearOldResponses',
  'pruneDeliveries',
];
