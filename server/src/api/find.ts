import { type Permission, permits, sufficientGrants } from '../access/permissions.ts';
import type { Principal } from '../access/root-key-cache.ts';
import { isId } from '../base/ids.ts';
import type { Domain } from '../domain/domain.ts';
import { canonicalName } from '../domain/name.ts';
import type {
  AccessStore,
  App,
  AppPath,
  DomainStore,
  Environment,
  EnvironmentPath,
  ListedRootKey,
  Project,
  TreeStore,
  Webhook,
  WebhookStore,
} from '../store/store.ts';
import { Problem, type ProblemCode } from './errors.ts';
import { invalid } from './validation.ts';

/** An operation asks this of its caller. */
export interface Needed {
  permission: Permission;
  /** As in the operation. */
  onAll?: true | 'workspace';
  /** Beside that permission. */
  needs?: readonly Need[];
}

/** Another permission that an operation asks for, beside its own. */
export interface Need {
  permission: Permission;
  /** On which resource, or when: it goes on after "needs it ", such as "on the environment that the domain is moved to". */
  where: string;
}

/** A key with this permission on a resource sees it, so a refusal of anything else may say that it is there. */
const READING: Partial<Record<ProblemCode, Permission>> = {
  'data/domain_not_found': { resource: 'environment', action: 'read_domain' },
  'data/redirect_destination_not_found': { resource: 'environment', action: 'read_domain' },
  'data/environment_not_found': { resource: 'environment', action: 'read_environment' },
  'data/app_not_found': { resource: 'app', action: 'read_app' },
  'data/project_not_found': { resource: 'project', action: 'read_project' },
  'data/webhook_not_found': { resource: 'webhook', action: 'read_webhook' },
  'data/key_not_found': { resource: 'key', action: 'read_key' },
};

/** Whether a refusal of the operation may name a permission that the caller lacks. */
export function mayNamePermission({
  permission,
  onAll,
  needs = [],
  problems,
}: Needed & { problems: readonly ProblemCode[] }) {
  const isMore = (reading: Permission | undefined) =>
    reading !== undefined && (onAll !== undefined || reading.action !== permission.action);
  return onAll === 'workspace' || needs.length > 0 || problems.some((code) => isMore(READING[code]));
}

type FindingStore = Pick<DomainStore, 'findDomainByName' | 'findDomainById'> &
  Pick<TreeStore, 'findProject' | 'findApp' | 'findEnvironment'> &
  Pick<WebhookStore, 'findWebhook'> &
  Pick<AccessStore, 'findRootKey'>;

/**
 * Finds what the input of a call names. Each method rejects with a `Problem` where there is no such thing, or none for
 * which the caller has the permission of the operation: the same one, so that keys cannot be used to find out what
 * exists (spec: Authentication, 6). Only to a caller who may read it, another one names the permission.
 */
export class Find {
  readonly #store: FindingStore;
  readonly #principal: Principal;
  readonly #needed: Needed | undefined;
  readonly #noteDomain: (domainId: string) => void;

  /**
   * `needed`: undefined for an operation that needs no key, which finds nothing. `noteDomain` is called with each
   * domain that was found.
   */
  constructor(
    store: FindingStore,
    principal: Principal,
    needed: Needed | undefined,
    noteDomain: (domainId: string) => void,
  ) {
    this.#store = store;
    this.#principal = principal;
    this.#needed = needed;
    this.#noteDomain = noteDomain;
  }

  async project(identifier: string): Promise<Project> {
    const found = await this.#store.findProject(this.#principal.workspaceId, identifier);
    return this.permitted(found, found?.id, 'data/project_not_found');
  }

  async app(path: AppPath): Promise<App> {
    if (path.project === undefined && !isId(path.app)) throw needsParents('app');
    const found = await this.#store.findApp(this.#principal.workspaceId, path);
    return this.permitted(found, found?.id, 'data/app_not_found');
  }

  /** `need`: one of the `needs` of the operation, in place of its permission. */
  async environment(path: EnvironmentPath, need?: Need): Promise<Environment> {
    if (path.app === undefined && !isId(path.environment)) throw needsParents('environment');
    if (path.app !== undefined && path.project === undefined && !isId(path.app)) throw needsParents('app');
    const found = await this.#store.findEnvironment(this.#principal.workspaceId, path);
    return this.permitted(found, found?.id, 'data/environment_not_found', need && this.#declared(need));
  }

  /** By its name, in any form, or else by its id. */
  async domain(identifier: string, code: ProblemCode = 'data/domain_not_found'): Promise<Domain> {
    const { workspaceId } = this.#principal;
    const found = await findDomain(this.#store, workspaceId, identifier);
    const domain = this.permitted(found, found?.environmentId, code);
    this.#noteDomain(domain.id);
    return domain;
  }

  async webhook(webhookId: string): Promise<Webhook> {
    const found = await this.#store.findWebhook(this.#principal.workspaceId, webhookId);
    return this.permitted(found, found?.id, 'data/webhook_not_found');
  }

  async key(keyId: string): Promise<ListedRootKey> {
    const found = await this.#store.findRootKey(keyId);
    const own = found?.workspaceId === this.#principal.workspaceId ? found : null;
    return this.permitted(own, own?.id, 'data/key_not_found');
  }

  /** Whether the caller has a permission on the resource with this id. It is one of the `needs` of the operation. */
  may(need: Need, id: string): boolean {
    return permits(this.#principal.grants, this.#declared(need), id);
  }

  /** Throws a `Problem` that names the permission, unless the caller has it on all resources of its kind. */
  demandOnAll(need: Need): void {
    const permission = this.#declared(need);
    if (!permits(this.#principal.grants, permission)) throw lacksPermission({ permission, onAll: 'workspace' });
  }

  /** The table of permissions is made of what operations declare, so nothing else may be asked for. */
  #declared(need: Need): Permission {
    if (!this.#needed?.needs?.includes(need))
      throw new Error(`an operation does not declare ${need.permission.action}`);
    return need.permission;
  }

  /**
   * Returns what was found, if the caller has the permission for the resource with this id. Throws a `Problem`
   * otherwise: one that names the permission, if the caller may read what was found, and else the one with this code.
   */
  permitted<Found>(
    found: Found | null,
    id: string | undefined,
    code: ProblemCode,
    permission = this.#needed?.permission,
  ): Found {
    if (permission === undefined) throw new Error('an operation without a permission finds something');
    const { grants } = this.#principal;
    const onAll = this.#needed?.onAll;
    const onOne = onAll === undefined ? id : undefined;
    if (found !== null && permits(grants, permission, onOne)) return found;
    const reading = READING[code];
    const isSeen = found !== null && reading !== undefined && permits(grants, reading, id);
    throw isSeen ? lacksPermission({ permission, ...(onAll && { onAll }) }, onOne) : new Problem(code);
  }
}

/** Other parents may have the same slug. */
function needsParents(kind: 'app' | 'environment'): Problem {
  const parents = kind === 'app' ? '"project"' : '"project" and "app"';
  return invalid(
    `body.${kind}`,
    'must be an id: a slug is unique only in its parent',
    `send the id, or ${parents} too`,
  );
}

/** Other text is not looked up as an id. */
const ID = /^[a-zA-Z0-9_-]{3,255}$/;

/** The canonical name, or else the id, that an identifier is; null: it is neither. */
export function canonicalIdentifier(identifier: string): string | null {
  return canonicalName(identifier) ?? (ID.test(identifier) ? identifier : null);
}

/** Finds a domain by its name, in any form, or else by its id. */
export async function findDomain(
  store: Pick<DomainStore, 'findDomainByName' | 'findDomainById'>,
  workspaceId: string,
  identifier: string,
): Promise<Domain | null> {
  const name = canonicalName(identifier);
  if (name !== null) return await store.findDomainByName(workspaceId, name);
  return ID.test(identifier) ? await store.findDomainById(workspaceId, identifier) : null;
}

/**
 * The refusal of an operation to a key without its permission, on the workspace itself or on what the key may read: they
 * are no secret to it, so the refusal names the permission. `id`: that of the resource.
 */
export function lacksPermission({ permission, onAll }: Needed, id?: string): Problem {
  const grants = sufficientGrants(permission, onAll !== undefined, id).map((grant) => `"${grant}"`);
  return new Problem('authorization/insufficient_permissions', {
    detail: `The root key lacks the permission for this operation: ${grants.join(' or ')}.`,
  });
}
