import { type Domain, newDomain } from '../../domain/domain.ts';
import { type InvalidName, type NameRule, type ParsedName, parseName } from '../../domain/name.ts';
import type { Creation, Environment } from '../../store/contract/store.ts';
import { Problem } from '../errors.ts';
import type { ApiSettings, HandlerContext } from '../operation.ts';
import { invalid } from '../validation.ts';
import { newTarget, newToken } from './record-values.ts';

/** What domains.createDomain and domains.createDomains have in common. */

export function parseNewName(name: string, { service, cnameZone, reservedNames }: ApiSettings): ParsedName {
  return parseName(name, { service, reserved: [...reservedNames, cnameZone] });
}

/** A domain that has yet to be stored. */
export function domainIn(
  environment: Environment,
  { name, kind }: Pick<Domain, 'name' | 'kind'>,
  { clock, settings: { service, cnameZone }, newId, randomBytes }: HandlerContext,
): Domain {
  return newDomain({
    id: newId('dom'),
    workspaceId: environment.workspaceId,
    projectId: environment.projectId,
    appId: environment.appId,
    environmentId: environment.id,
    name,
    kind,
    service,
    target: newTarget(cnameZone, randomBytes),
    token: newToken(randomBytes),
    createdAt: clock.now(),
  });
}

/** Names reserved by the operator or the Internet are forbidden; any other invalid name is a mistake in the input. */
const FORBIDDEN: readonly NameRule[] = ['reserved', 'special_use'];

export function nameProblem({ rule, message, fix }: InvalidName, location: string): Problem {
  if (FORBIDDEN.includes(rule)) return new Problem('authorization/forbidden', { detail: `The domain ${message}.` });
  return invalid(location, message, fix);
}

/** Why the store did not create a domain; null: it did. */
export function creationProblem(creation: Creation, name: string): Problem | null {
  switch (creation.kind) {
    case 'created':
      return null;
    case 'environment_missing':
      return new Problem('data/environment_not_found');
    case 'held':
      return new Problem('data/domain_already_exists', { detail: `The workspace already has the domain ${name}.` });
    case 'quota':
      return new Problem('limits/custom_domain_limit_exceeded', {
        detail: `The workspace has reached its domain limit of ${creation.limit}.`,
      });
    default:
      return creation satisfies never;
  }
}
