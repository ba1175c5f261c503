import { createSetupToken, hashSetupToken, setupLinkError } from '../server/src/access/setup-link.ts';
import { LINKS_PER_DOMAIN } from '../server/src/api/domains/setup-link-operations.ts';
import { newTarget, newToken } from '../server/src/base/ids.ts';
import { type Domain, newDomain } from '../server/src/domain/domain.ts';
import { windowEndsAt } from '../server/src/domain/status.ts';
import { deploy, type SeedDeps, type Seeded } from './seed.ts';

/**
 * The domain of the customer whom a newcomer plays. Its environment is its own, so that lists of the others have what
 * people put there, and nothing else.
 */
export const EXAMPLE_ZONE = 'customer.test';
export const EXAMPLE_NAME = `shop.${EXAMPLE_ZONE}`;
const ENVIRONMENT = 'example';

const DAY_MS = 24 * 60 * 60 * 1000;
const LINK_LIFE_MS = 30 * DAY_MS;
/** A link is kept over a restart if it works for at least this long. */
const KEPT_MS = DAY_MS;

interface ExampleSettings {
  /** URL of the server that the domain leads to. */
  origin: string;
  service: string;
  cnameZone: string;
  windowMs: number;
}

/**
 * Finds or creates the example domain, and begins a new window for one that failed. Resolves with the token of a set-up
 * link for it: `token` if that still works, else a new one; null if the workspace may have no more domains, or the
 * domain no more links.
 */
export async function prepareExample(
  deps: SeedDeps,
  seeded: Seeded,
  settings: ExampleSettings,
  token: string | undefined,
): Promise<string | null> {
  const { store, clock } = deps;
  const { workspaceId } = seeded;
  const environmentId = await ensureEnvironment(deps, seeded);
  await deploy(deps, seeded, environmentId, settings.origin);
  const found = await store.findDomainByName(workspaceId, EXAMPLE_NAME);
  const domain = found ?? (await createDomain(deps, seeded, settings, environmentId));
  if (domain === null) return null;
  if (domain.status === 'failed') {
    await store.retryVerification(workspaceId, domain.id, clock.now(), settings.windowMs);
  }
  return token !== undefined && (await opens(deps, token, domain)) ? token : createLink(deps, domain);
}

async function ensureEnvironment(deps: SeedDeps, { workspaceId, project, app }: Seeded): Promise<string> {
  const { store, clock, newId } = deps;
  const path = { project: project.id, app: app.id, environment: ENVIRONMENT };
  const found = await store.findEnvironment(workspaceId, path);
  if (found !== null) return found.id;
  const id = newId('env');
  const place = { id, workspaceId, projectId: project.id, appId: app.id };
  const fields = { slug: ENVIRONMENT, name: null, currentDeploymentId: null, createdAt: clock.now() };
  await store.createEnvironment({ ...place, ...fields });
  return id;
}

async function createDomain(
  { store, clock, newId, randomBytes }: SeedDeps,
  { workspaceId, project, app }: Seeded,
  { service, cnameZone, windowMs }: ExampleSettings,
  environmentId: string,
): Promise<Domain | null> {
  const domain = newDomain({
    id: newId('dom'),
    workspaceId,
    projectId: project.id,
    appId: app.id,
    environmentId,
    name: EXAMPLE_NAME,
    kind: 'subdomain',
    service,
    target: newTarget(cnameZone, randomBytes),
    token: newToken(randomBytes),
    createdAt: clock.now(),
  });
  const { kind } = await store.createDomain(domain, windowEndsAt(domain, windowMs));
  return kind === 'created' ? domain : null;
}

async function opens({ store, clock }: SeedDeps, token: string, domain: Domain): Promise<boolean> {
  const link = await store.findSetupLinkByToken(hashSetupToken(token));
  return link?.domainId === domain.id && setupLinkError(link, clock.now() + KEPT_MS) === null;
}

async function createLink(
  { store, clock, newId, randomBytes }: SeedDeps,
  { id: domainId, workspaceId }: Domain,
): Promise<string | null> {
  const { token, hash } = createSetupToken(randomBytes);
  const createdAt = clock.now();
  const link = { id: newId('link'), workspaceId, domainId, createdAt, expiresAt: createdAt + LINK_LIFE_MS };
  const nobody = { purpose: 'setup' as const, createdBy: null, revokedAt: null, revokedBy: null };
  const outcome = await store.createSetupLink({ ...link, ...nobody }, hash, LINKS_PER_DOMAIN);
  return outcome === 'created' ? token : null;
}
