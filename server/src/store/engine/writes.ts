import { saveKeyUses } from '../access/access.ts';
import { pruneDashboardSessions } from '../access/dashboard-sessions.ts';
import { pruneAuditEntries } from '../audit/entries.ts';
import { pruneChanges } from '../cache/change-log.ts';
import { createCaAccount, replaceCaAccount, sealedAccount, updateCaAccount } from '../certificate/ca-accounts.ts';
import { addDnsChallenge, recordEdgeAddresses, removeDnsChallenge } from '../certificate/dns-answers.ts';
import { pruneInheritedCertificates } from '../certificate/inherited-certificates.ts';
import { ownerOf, recordExpiring, saveCertificate } from '../certificate/issuance.ts';
import { extendLease, retryBlocked } from '../certificate/leases.ts';
import { pruneLedger } from '../certificate/ledger.ts';
import { claimOperatorName } from '../certificate/operator-names.ts';
import { beginOrder, pruneChallenges, putChallenge, saveOrderUrl } from '../certificate/orders.ts';
import { sealedIssued } from '../certificate/staged-certificates.ts';
import { packed } from '../check/check-results.ts';
import { saveTransition } from '../check/checks.ts';
import { claimLooks, saveLook } from '../check/live-checks.ts';
import { saveMonitoring } from '../check/monitors.ts';
import { lookSoon } from '../check/schedules.ts';
import { pruneDeletedDomains } from '../domain/deleted-domains.ts';
import { pruneEvents } from '../domain/events.ts';
import { recordBackup, recordIssuing } from '../heartbeats.ts';
import { pruneIdempotencyKeys, pruneRequests } from '../request/requests.ts';
import { replaceSecret } from '../sealing/sealed-values.ts';
import { pruneSetupLinks } from '../setup/setup.ts';
import { addUsage, pruneUsage } from '../usage/usage.ts';
import { saveDelivery } from '../webhook/delivery-results.ts';
import { pruneDeliveries } from '../webhook/delivery-rows.ts';
import { leaseDelivery } from '../webhook/queue.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET, plain, upkeep, write } from './write.ts';

/** The writes of roles, but for those that each engine does in its own way (`Engine`). */
export const writes = {
  pruneAuditEntries: upkeep(pruneAuditEntries),
  saveKeyUses: upkeep(saveKeyUses),
  pruneSetupLinks: upkeep(pruneSetupLinks),
  pruneDashboardSessions: upkeep(pruneDashboardSessions),
  pruneDeletedDomains: upkeep(pruneDeletedDomains),
  saveTransition: write({
    perform: saveTransition,
    prepare: async (_, save) => [packed(save)],
    locks({ before, after, loser, prepares = false }) {
      // A transition to verified, and a route before it, rely on who else has the name verified.
      const name = after.status === 'verified' || prepares ? [before.name] : [];
      return [before.id, ...(loser === undefined ? [] : [loser.before.id]), ...name];
    },
    secret: NO_SECRET,
    invalidates: ({ before, loser }) => (loser === undefined ? [before.id] : [before.id, loser.before.id]),
    synced: ({ before, after }) => after.status !== before.status,
  }),
  saveMonitoring: write({
    perform: saveMonitoring,
    prepare: async (_, save) => [packed(save)],
    // Nothing but what the domain's own lock isolates: a transition to verified that relies on this domain as its incumbent takes it too.
    locks: ({ before }) => [before.id],
    secret: NO_SECRET,
    invalidates: ({ before }) => [before.id],
    synced: ({ before, after }) => after.status !== before.status,
  }),
  claimLooks: upkeep(claimLooks),
  lookSoon: upkeep(lookSoon),
  saveLook: write({
    perform: saveLook,
    // For its event: it has the domain as the events before it left it.
    locks: ({ domain, event }) => (event === null ? [] : [domain.id]),
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
    synced: ({ event }) => event !== null,
  }),
  pruneEvents: upkeep(pruneEvents),
  leaseDelivery: upkeep(leaseDelivery),
  saveDelivery: upkeep(saveDelivery),
  pruneDeliveries: upkeep(pruneDeliveries),
  retryBlocked: upkeep(retryBlocked),
  extendLease: upkeep(extendLease),
  beginOrder: write({
    perform: beginOrder,
    // The ledger of the issuer, which is counted before an entry is added.
    locks: ({ entry }) => [`ledger of ${entry.issuer}`],
    secret(seal, { order, ...begin }) {
      const privateKey = seal(order.privateKey, { kind: 'order', id: order.hostname });
      return [{ ...begin, order: { ...order, privateKey } }];
    },
    invalidates: NO_DOMAINS,
  }),
  saveOrderUrl: plain(saveOrderUrl),
  saveCertificate: write({
    perform: saveCertificate,
    prepare: async (reader, save) => [save, await ownerOf(reader, save.hostname)],
    // The domain, for its event: it has the domain as the events before it left it.
    locks: (_, domainId) => (domainId === undefined ? [] : [domainId]),
    secret: (seal, save) => [{ ...save, issued: save.issued && sealedIssued(seal, save.hostname, save.issued) }],
    invalidates: NO_DOMAINS,
  }),
  recordExpiring: write({ ...upkeep(recordExpiring), locks: ({ domainId }) => [domainId] }),
  // The name, as those who add a route of it.
  claimOperatorName: write({ ...plain(claimOperatorName), locks: (hostname: string) => [hostname] }),
  recordIssuing: upkeep(recordIssuing),
  recordBackup: plain(recordBackup),
  pruneInheritedCertificates: upkeep(pruneInheritedCertificates),
  putChallenge: upkeep(putChallenge),
  pruneChallenges: upkeep(pruneChallenges),
  addDnsChallenge: upkeep(addDnsChallenge),
  removeDnsChallenge: upkeep(removeDnsChallenge),
  recordEdgeAddresses: upkeep(recordEdgeAddresses),
  createCaAccount: write({
    perform: createCaAccount,
    locks: NO_LOCKS,
    secret: (seal, account) => [sealedAccount(seal, account)],
    invalidates: NO_DOMAINS,
  }),
  updateCaAccount: write({ ...plain(updateCaAccount), locks: (issuer) => [`account of ${issuer}`] }),
  replaceCaAccount: write({
    perform: replaceCaAccount,
    locks: (_, { issuer }) => [`account of ${issuer}`],
    secret: (seal, before, after) => [before, sealedAccount(seal, after)],
    invalidates: NO_DOMAINS,
  }),
  pruneLedger: upkeep(pruneLedger),
  replaceSecret: plain(replaceSecret),
  pruneChanges: upkeep(pruneChanges),
  pruneRequests: upkeep(pruneRequests),
  pruneIdempotencyKeys: upkeep(pruneIdempotencyKeys),
  // Rows are read before they are written.
  addUsage: write({ ...upkeep(addUsage), locks: () => ['usage'] }),
  pruneUsage: upkeep(pruneUsage),
};
