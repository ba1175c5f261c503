import type { Store } from '../contract/store.ts';
import { findApp, listApps } from './apps.ts';
import { listAuditEntries } from './audit/entries.ts';
import { findCaAccount, listHeldCas } from './certificates/ca-accounts.ts';
import * as certificates from './certificates/certificate-rows.ts';
import { findChallenge } from './certificates/challenge-rows.ts';
import { findExpiring } from './certificates/expiry.ts';
import { countLedgerEntries } from './certificates/ledger.ts';
import { findOperatorSite } from './certificates/operator-names.ts';
import { findCheckResult, packed } from './check-results.ts';
import { earliestDueAt } from './check-schedule.ts';
import { findIncumbent, findNameByToken } from './checks.ts';
import { findDeletedDomain, listRestorable } from './deleted-domains.ts';
import { listDeployments } from './deployments.ts';
import { countDomains } from './domain-counts.ts';
import * as domains from './domains.ts';
import { listDomains } from './environment-domains.ts';
import { findEnvironment, listEnvironments } from './environments.ts';
import { findFailedAfter, listDomainEvents } from './events.ts';
import { findLastBackup, findLastIssuing } from './heartbeats.ts';
import { countDrifted } from './monitor-schedule.ts';
import { findProject, listProjects } from './projects.ts';
import { findRedirect } from './redirect-rows.ts';
import * as access from './root-keys.ts';
import { countSecrets, listSecretPrefixes, listSecrets } from './sealed-values.ts';
import { findSetupLink, findSetupLinkByToken, listSetupLinks } from './setup-links.ts';
import { findSetupPage, isSetupOrigin } from './setup-pages.ts';
import { findCurrentSigningKey, findSigningKey } from './signing-keys.ts';
import { findOrigin, findSite } from './sites.ts';
import type { Reader } from './statement.ts';
import { findSuspension, findWorkspaceSuspension } from './suspensions.ts';
import { deliveryBacklog, findDelivery, listDeliveries } from './webhooks/delivery-rows.ts';
import { findDueWebhooks } from './webhooks/queue.ts';
import { findWebhook, listWebhooks } from './webhooks/webhook-rows.ts';
import { listWorkspaceDomains } from './workspace-domains.ts';
import { type WriteUseCase, writes } from './writes.ts';

export type ReadUseCase<Args extends unknown[], T> = (reader: Reader, ...args: Args) => Promise<T>;

/** What SQLite and PostgreSQL each do in their own way. */
export interface Engine
  extends Pick<
    Store,
    | 'claimDue'
    | 'claimMonitored'
    | 'claimCertificates'
    | 'createOnce'
    | 'addRequests'
    | 'changesSince'
    | 'ping'
    | 'poolUsage'
    | 'serverTime'
    | 'close'
  > {
  /** Runs a use case that reads. It is one statement, and so sees one moment; but for those that search many rows. */
  read<Args extends unknown[], T>(useCase: ReadUseCase<Args, T>, ...args: Args): Promise<T>;
  /** Runs a use case that writes, in one transaction. */
  write<Args extends unknown[], T>(useCase: WriteUseCase<Args, T>, ...args: Args): Promise<T>;
}

/** The store on a SQL database: each method of the contract is a use case that the engine runs, or the engine's own. */
export function sqlStore(engine: Engine): Store {
  const { read, write } = engine;
  /** Id of the domain, whose lock the write takes. */
  const certificateOwner = async (hostname: string) => (await read(certificates.findCertificate, hostname))?.domainId;
  return {
    findPrincipal: (...args) => read(access.findPrincipal, ...args),
    createWorkspace: (...args) => write(writes.createWorkspace, ...args),
    findWorkspace: (...args) => read(access.findWorkspace, ...args),
    listWorkspaces: () => read(access.listWorkspaces),
    setWorkspaceDisabled: (...args) => write(writes.setWorkspaceDisabled, ...args),
    setWorkspaceLimits: (...args) => write(writes.setWorkspaceLimits, ...args),
    deleteWorkspace: (...args) => write(writes.deleteWorkspace, ...args),
    createRootKey: (...args) => write(writes.createRootKey, ...args),
    listRootKeys: (...args) => read(access.listRootKeys, ...args),
    setRootKeyDisabled: (...args) => write(writes.setRootKeyDisabled, ...args),
    revokeRootKey: (...args) => write(writes.revokeRootKey, ...args),
    findSigningKey: (...args) => read(findSigningKey, ...args),
    findCurrentSigningKey: () => read(findCurrentSigningKey),
    replaceSigningKey: (...args) => write(writes.replaceSigningKey, ...args),

    createSetupLink: (...args) => write(writes.createSetupLink, ...args),
    findSetupLinkByToken: (...args) => read(findSetupLinkByToken, ...args),
    findSetupLink: (...args) => read(findSetupLink, ...args),
    listSetupLinks: (...args) => read(listSetupLinks, ...args),
    revokeSetupLink: (...args) => write(writes.revokeSetupLink, ...args),
    pruneSetupLinks: (...args) => write(writes.pruneSetupLinks, ...args),
    findSetupPage: (...args) => read(findSetupPage, ...args),
    saveSetupPage: (...args) => write(writes.saveSetupPage, ...args),
    isSetupOrigin: (...args) => read(isSetupOrigin, ...args),

    createProject: (...args) => write(writes.createProject, ...args),
    findProject: (...args) => read(findProject, ...args),
    listProjects: (...args) => read(listProjects, ...args),
    deleteProject: (...args) => write(writes.deleteProject, ...args),
    createApp: (...args) => write(writes.createApp, ...args),
    findApp: (...args) => read(findApp, ...args),
    listApps: (...args) => read(listApps, ...args),
    deleteApp: (...args) => write(writes.deleteApp, ...args),
    createEnvironment: (...args) => write(writes.createEnvironment, ...args),
    findEnvironment: (...args) => read(findEnvironment, ...args),
    listEnvironments: (...args) => read(listEnvironments, ...args),
    deleteEnvironment: (...args) => write(writes.deleteEnvironment, ...args),
    createDeployment: (...args) => write(writes.createDeployment, ...args),
    listDeployments: (...args) => read(listDeployments, ...args),

    findDomainByName: (...args) => read(domains.findDomainByName, ...args),
    findDomainById: (...args) => read(domains.findDomainById, ...args),
    findTargetOutside: (...args) => read(domains.findTargetOutside, ...args),
    countDomains: () => read(countDomains),
    listDomains: (...args) => read(listDomains, ...args),
    listWorkspaceDomains: (...args) => read(listWorkspaceDomains, ...args),
    createDomain: (...args) => write(writes.createDomain, ...args),
    createDomains: (...args) => write(writes.createDomains, ...args),
    retryVerification: (...args) => write(writes.retryVerification, ...args),
    deleteDomain: (...args) => write(writes.deleteDomain, ...args),
    moveDomain: (...args) => write(writes.moveDomain, ...args),
    findDeletedDomain: (...args) => read(findDeletedDomain, ...args),
    listRestorable: (...args) => read(listRestorable, ...args),
    restoreDomain: (...args) => write(writes.restoreDomain, ...args),
    pruneDeletedDomains: (...args) => write(writes.pruneDeletedDomains, ...args),

    claimDue: engine.claimDue,
    earliestDueAt: () => read(earliestDueAt),
    findFailedAfter: (...args) => read(findFailedAfter, ...args),
    findIncumbent: (...args) => read(findIncumbent, ...args),
    findNameByToken: (...args) => read(findNameByToken, ...args),
    saveTransition: (save) => write(writes.saveTransition, packed(save)),
    findCheckResult: (...args) => read(findCheckResult, ...args),

    claimMonitored: engine.claimMonitored,
    saveMonitoring: (save) => write(writes.saveMonitoring, packed(save)),
    countDrifted: () => read(countDrifted),

    listDomainEvents: (...args) => read(listDomainEvents, ...args),
    pruneEvents: (...args) => write(writes.pruneEvents, ...args),

    createWebhook: (...args) => write(writes.createWebhook, ...args),
    findWebhook: (...args) => read(findWebhook, ...args),
    listWebhooks: (...args) => read(listWebhooks, ...args),
    updateWebhook: (...args) => write(writes.updateWebhook, ...args),
    deleteWebhook: (...args) => write(writes.deleteWebhook, ...args),
    rotateWebhookSecret: (...args) => write(writes.rotateWebhookSecret, ...args),
    findDueWebhooks: (...args) => read(findDueWebhooks, ...args),
    leaseDelivery: (...args) => write(writes.leaseDelivery, ...args),
    saveDelivery: (...args) => write(writes.saveDelivery, ...args),
    deliveryBacklog: () => read(deliveryBacklog),
    addTestDelivery: (...args) => write(writes.addTestDelivery, ...args),
    redeliver: (...args) => write(writes.redeliver, ...args),
    findDelivery: (...args) => read(findDelivery, ...args),
    listDeliveries: (...args) => read(listDeliveries, ...args),
    pruneDeliveries: (...args) => write(writes.pruneDeliveries, ...args),

    findCertificate: (...args) => read(certificates.findCertificate, ...args),
    listCertificates: (...args) => read(certificates.listCertificates, ...args),
    countCertificates: () => read(certificates.countCertificates),
    listExpiring: (...args) => read(certificates.listExpiring, ...args),
    listWaiting: (...args) => read(certificates.listWaiting, ...args),
    claimCertificates: engine.claimCertificates,
    extendLease: (...args) => write(writes.extendLease, ...args),
    beginOrder: (...args) => write(writes.beginOrder, ...args),
    saveOrderUrl: (...args) => write(writes.saveOrderUrl, ...args),
    async saveCertificate(save) {
      return write(writes.saveCertificate, save, await certificateOwner(save.hostname));
    },
    async importCertificate(hostname, issued, now) {
      return write(writes.importCertificate, hostname, issued, now, await certificateOwner(hostname));
    },
    renewCertificate: (...args) => write(writes.renewCertificate, ...args),
    async recordExpiring(now, limit) {
      const expiring = await read(findExpiring, now, limit);
      for (const each of expiring) await write(writes.recordExpiring, each, now);
      return expiring.length;
    },
    claimOperatorName: (...args) => write(writes.claimOperatorName, ...args),
    recordIssuing: (...args) => write(writes.recordIssuing, ...args),
    findLastIssuing: () => read(findLastIssuing),
    pruneInheritedCertificates: (...args) => write(writes.pruneInherited, ...args),
    putChallenge: (...args) => write(writes.putChallenge, ...args),
    pruneChallenges: (...args) => write(writes.pruneChallenges, ...args),
    findCaAccount: (...args) => read(findCaAccount, ...args),
    createCaAccount: (...args) => write(writes.createCaAccount, ...args),
    updateCaAccount: (...args) => write(writes.updateCaAccount, ...args),
    replaceCaAccount: (...args) => write(writes.replaceCaAccount, ...args),
    replaceRevoked: (...args) => write(writes.replaceRevoked, ...args),
    listHeldCas: (...args) => read(listHeldCas, ...args),
    resumeCas: (...args) => write(writes.resumeCas, ...args),
    countLedgerEntries: (...args) => read(countLedgerEntries, ...args),
    pruneLedger: (...args) => write(writes.pruneLedger, ...args),

    setRedirect: (...args) => write(writes.setRedirect, ...args),
    removeRedirect: (...args) => write(writes.removeRedirect, ...args),
    findRedirect: (...args) => read(findRedirect, ...args),

    suspendDomain: (...args) => write(writes.suspendDomain, ...args),
    resumeDomain: (...args) => write(writes.resumeDomain, ...args),
    findSuspension: (...args) => read(findSuspension, ...args),
    setWorkspaceSuspension: (...args) => write(writes.setWorkspaceSuspension, ...args),
    findWorkspaceSuspension: (...args) => read(findWorkspaceSuspension, ...args),

    findSite: (...args) => read(findSite, ...args),
    findOperatorSite: (...args) => read(findOperatorSite, ...args),
    findOrigin: (...args) => read(findOrigin, ...args),
    findChallenge: (...args) => read(findChallenge, ...args),

    listSecretPrefixes: () => read(listSecretPrefixes),
    listSecrets: (...args) => read(listSecrets, ...args),
    replaceSecret: (...args) => write(writes.replaceSecret, ...args),
    countSecrets: (...args) => read(countSecrets, ...args),
    forgetSecrets: (...args) => write(writes.forgetSecrets, ...args),

    changesSince: engine.changesSince,
    pruneChanges: (...args) => write(writes.pruneChanges, ...args),
    addRequests: engine.addRequests,
    pruneRequests: (...args) => write(writes.pruneRequests, ...args),
    createOnce: engine.createOnce,
    async recorded(by, method, ...args) {
      const lookedUp = method === 'importCertificate' ? [await certificateOwner(args[0] as string)] : [];
      return write(writes.recorded, by, method, ...args, ...lookedUp) as Promise<never>;
    },
    listAuditEntries: (...args) => read(listAuditEntries, ...args),
    pruneAuditEntries: (...args) => write(writes.pruneAuditEntries, ...args),
    saveKeyUses: (...args) => write(writes.saveKeyUses, ...args),
    pruneIdempotencyKeys: (...args) => write(writes.pruneIdempotencyKeys, ...args),

    recordBackup: (...args) => write(writes.recordBackup, ...args),
    findLastBackup: () => read(findLastBackup),

    ping: engine.ping,
    poolUsage: engine.poolUsage,
    serverTime: engine.serverTime,
    close: engine.close,
  };
}
