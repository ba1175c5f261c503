import { type Permission, permits, sufficientGrants } from '../access/permissions.ts';
import type { Principal } from '../access/root-key-cache.ts';
import { isId } from '../base/ids.ts';
import type { Domain } from '../domain/domain.ts';
import { canonicalName } from '../domain/name.ts';
import type {
  App,
  AppPath,
  DomainStore,
  Environment,
  EnvironmentPath,
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
}

type FindingStore = Pick<DomainStore, 'findDomainByName' | 'findDomainById'> &
  Pick<TreeStore, 'findProject' | 'findApp' | 'findEnvironment'> &
  Pick<WebhookStore, 'findWebhook'>;

/**
 * Finds what the input of a call names. Each method rejects with a `Problem` where there is no such thing, or none for
 * which the caller has the permission of the operation: the same one, so that keys cannot be used to find out what
 * exists (spec: Authentication, 6).
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

  /** `permission`: replaces that of the operation. */
  async environment(path: EnvironmentPath, permission?: Permission): Promise<Environment> {
    if (path.app === undefined && !isId(path.environment)) throw needsParents('environment');
    if (path.app !== undefined && path.project === undefined && !isId(path.app)) throw needsParents('app');
    const found = await this.#store.findEnvironment(this.#principal.workspaceId, path);
    return this.permitted(found, found?.id, 'data/environment_not_found', permission);
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

  /**
   * Returns what was found, if the caller has the permission for the resource with this id. Throws the `Problem` with
   * this code otherwise.
   */
  permitted<Found>(
    found: Found | null,
    id: string | undefined,
    code: ProblemCode,
    permission = this.#needed?.permission,
  ): Found {
    if (permission === undefined) throw new Error('an operation without a permission finds something');
    const onOne = this.#needed?.onAll === undefined ? id : undefined;
    if (found === null || !permits(this.#principal.grants, permission, onOne)) throw new Problem(code);
    return found;
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
 * The refusal of an operation on the workspace itself to a key without its permission. The workspace is no secret to
 * its key, so the refusal names the permission.
 */
export function lacksPermission({ permission, onAll }: Needed): Problem {
  const grants = sufficientGrants(permission, onAll !== undefined).map((grant) => `"${grant}"`);
  return new Problem('authorization/insufficient_permissions', {
    detail: `The root key lacks the permission for this operation: ${grants.join(' or ')}.`,
  });
}
