import type { RateLimits } from '../ratelimit/decision.ts';
import { createApp } from './apps/createApp.ts';
import { deleteApp } from './apps/deleteApp.ts';
import { getApp } from './apps/getApp.ts';
import { listApps } from './apps/listApps.ts';
import { listEntries } from './audit/listEntries.ts';
import { createDeployment } from './deployments/createDeployment.ts';
import { listDeployments } from './deployments/listDeployments.ts';
import { checkName } from './domains/checkName.ts';
import { createDomain } from './domains/createDomain.ts';
import { createDomains } from './domains/createDomains.ts';
import { createSetupLink } from './domains/createSetupLink.ts';
import { deleteDomain } from './domains/deleteDomain.ts';
import { diagnoseDomain } from './domains/diagnoseDomain.ts';
import { getCertificate } from './domains/getCertificate.ts';
import { getDomain } from './domains/getDomain.ts';
import { getRedirect } from './domains/getRedirect.ts';
import { listDomains } from './domains/listDomains.ts';
import { listEvents } from './domains/listEvents.ts';
import { listSetupLinks } from './domains/listSetupLinks.ts';
import { listWorkspaceDomains } from './domains/listWorkspaceDomains.ts';
import { moveDomain } from './domains/moveDomain.ts';
import { removeRedirect } from './domains/removeRedirect.ts';
import { restoreDomain } from './domains/restoreDomain.ts';
import { resumeDomain } from './domains/resumeDomain.ts';
import { revokeSetupLink } from './domains/revokeSetupLink.ts';
import { setRedirect } from './domains/setRedirect.ts';
import { suspendDomain } from './domains/suspendDomain.ts';
import { verifyDomain } from './domains/verifyDomain.ts';
import { watchDomain } from './domains/watchDomain.ts';
import { createEnvironment } from './environments/createEnvironment.ts';
import { deleteEnvironment } from './environments/deleteEnvironment.ts';
import { getEnvironment } from './environments/getEnvironment.ts';
import { listEnvironments } from './environments/listEnvironments.ts';
import type { OpenOperation, Operation } from './operation.ts';
import { createProject } from './projects/createProject.ts';
import { deleteProject } from './projects/deleteProject.ts';
import { getProject } from './projects/getProject.ts';
import { listProjects } from './projects/listProjects.ts';
import { getBrand } from './setup/getBrand.ts';
import { openSession } from './setup/openSession.ts';
import { setBrand } from './setup/setBrand.ts';
import { createWebhook } from './webhooks/createWebhook.ts';
import { deleteWebhook } from './webhooks/deleteWebhook.ts';
import { getDelivery } from './webhooks/getDelivery.ts';
import { getWebhook } from './webhooks/getWebhook.ts';
import { listDeliveries } from './webhooks/listDeliveries.ts';
import { listWebhooks } from './webhooks/listWebhooks.ts';
import { redeliver } from './webhooks/redeliver.ts';
import { rotateSecret } from './webhooks/rotateSecret.ts';
import { sendTest } from './webhooks/sendTest.ts';
import { updateWebhook } from './webhooks/updateWebhook.ts';

/** Every operation that needs a key, in the order of the documentation. */
export const operations: readonly Operation[] = [
  createDomain,
  createDomains,
  getDomain,
  watchDomain,
  listDomains,
  listWorkspaceDomains,
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
  setRedirect,
  getRedirect,
  removeRedirect,
  createSetupLink,
  listSetupLinks,
  revokeSetupLink,
  setBrand,
  getBrand,
  createProject,
  getProject,
  listProjects,
  deleteProject,
  createApp,
  getApp,
  listApps,
  deleteApp,
  createEnvironment,
  getEnvironment,
  listEnvironments,
  deleteEnvironment,
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
  listEntries,
];

/** Operations that need none. */
export const openOperations: readonly OpenOperation[] = [openSession];

/** Of operations that have a limit of their own, whatever the operator says of others. */
export const DEFAULT_RATE_LIMITS: RateLimits = Object.fromEntries(
  operations.flatMap(({ name, rateLimit }) => (rateLimit === undefined ? [] : [[name, rateLimit]])),
);
