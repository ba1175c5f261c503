import type { RateLimits } from '../access/ratelimit/decision.ts';
import { listEntries } from './audit/listEntries.ts';
import { createDeployment, listDeployments } from './deployment-operations.ts';
import { removeCertificate, uploadCertificate } from './domains/certificate-operations.ts';
import { checkName } from './domains/checkName.ts';
import { countDomains } from './domains/countDomains.ts';
import { countSites } from './domains/countSites.ts';
import { createDomain } from './domains/createDomain.ts';
import { createDomains } from './domains/createDomains.ts';
import { deleteDomain, restoreDomain } from './domains/deleteDomain.ts';
import { diagnoseDomain } from './domains/diagnoseDomain.ts';
import { getCertificate } from './domains/getCertificate.ts';
import { getDomain, watchDomain } from './domains/getDomain.ts';
import { listDomains, listWorkspaceDomains } from './domains/listDomains.ts';
import { listEvents } from './domains/listEvents.ts';
import { moveDomain } from './domains/moveDomain.ts';
import { getRedirect, removeRedirect, setRedirect } from './domains/redirect-operations.ts';
import { createSetupLink, listSetupLinks, revokeSetupLink } from './domains/setup-link-operations.ts';
import { getSite } from './domains/site.ts';
import { resumeDomain, suspendDomain } from './domains/suspension-operations.ts';
import { updateDomain } from './domains/updateDomain.ts';
import { verifyDomain } from './domains/verifyDomain.ts';
import { createToken } from './keys/createToken.ts';
import { createKey, getKey, listKeys, revokeKey, rotateKey } from './keys/key-operations.ts';
import { createWorkspace, listWorkspaces } from './keys/workspace-operations.ts';
import type { OpenOperation, Operation } from './operation.ts';
import { getOriginSettings, rotateOriginSecret, updateOriginSettings } from './origin-operations.ts';
import { getBrand, setBrand } from './setup/brand-operations.ts';
import { getDomainConnect } from './setup/getDomainConnect.ts';
import { openSession } from './setup/openSession.ts';
import { listTargets } from './targets/listTargets.ts';
import { treeOperations } from './tree.ts';
import { getUsage, listUsage } from './usage/usage-operations.ts';
import { getDelivery, listDeliveries, redeliver, sendTest } from './webhooks/delivery-operations.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './webhooks/webhook-operations.ts';

/** Every operation that needs a key, in the order of the documentation. */
export const operations: readonly Operation[] = [
  createDomain,
  createDomains,
  getDomain,
  getSite,
  watchDomain,
  listDomains,
  listWorkspaceDomains,
  countDomains,
  countSites,
  updateDomain,
  verifyDomain,
  deleteDomain,
  restoreDomain,
  moveDomain,
  suspendDomain,
  resumeDomain,
  diagnoseDomain,
  listEvents,
  checkName,
  getCertificate,
  uploadCertificate,
  removeCertificate,
  setRedirect,
  getRedirect,
  removeRedirect,
  createSetupLink,
  listSetupLinks,
  revokeSetupLink,
  setBrand,
  getBrand,
  getDomainConnect,
  listTargets,
  ...treeOperations,
  updateOriginSettings,
  getOriginSettings,
  rotateOriginSecret,
  createDeployment,
  listDeployments,
  createWebhook,
  getWebhook,
  listWebhooks,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  sendTest,
  listDeliveries,
  getDelivery,
  redeliver,
  getUsage,
  listUsage,
  listEntries,
  createKey,
  getKey,
  listKeys,
  rotateKey,
  revokeKey,
  createToken,
  createWorkspace,
  listWorkspaces,
];

/** Operations that need none. */
export const openOperations: readonly OpenOperation[] = [openSession];

/** The limits of operations that have one of their own, whatever the operator's default is. */
export const DEFAULT_RATE_LIMITS: RateLimits = Object.fromEntries(
  operations.flatMap(({ name, rateLimit }) => (rateLimit === undefined ? [] : [[name, rateLimit]])),
);
