import type { FastifyReply } from 'fastify';
import type { RateLimitDecision } from '../../access/ratelimit/decision.ts';
import type { Limiter } from '../../access/ratelimit/limiter.ts';
import type { Principal, SessionScope } from '../../access/root-key-cache.ts';
import type { Domain } from '../../domain/domain.ts';
import type { Finding } from '../../domain/finding.ts';
import { withoutOwner } from '../../domain/findings/sentences.ts';
import { canonicalName } from '../../domain/name.ts';
import { TEXT_LIMIT } from '../../domain/text.ts';
import type { DomainEvent } from '../../store/domain/domain-store.ts';
import type { RateLimit } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { rateLimited, rateLimitHeaders } from '../request-hooks.ts';

const MINUTE_MS = 60_000;

/** The limit of one link, for all its sessions together: a customer uses up nothing of the workspace's own limits. */
const PER_LINK: RateLimit = { limit: 120, windowMs: MINUTE_MS };
/** The limits of requests that make us query the DNS, or unpack usage. */
const PER_OPERATION: Record<string, RateLimit> = {
  'domains.verifyDomain': { limit: 6, windowMs: MINUTE_MS },
  'domains.diagnoseDomain': { limit: 20, windowMs: MINUTE_MS },
  'setup.getDomainConnect': { limit: 20, windowMs: MINUTE_MS },
  'usage.getUsage': { limit: 20, windowMs: MINUTE_MS },
};

const LIMITED = 'The set-up link has reached its rate limit. Try again after the time in Retry-After.';

/** Counts a request of a link; throws a `Problem` above its limit. */
export function limitLink(limiter: Pick<Limiter, 'take'>, linkId: string, reply: FastifyReply): void {
  const decision = limiter.take(linkId, 'setup', PER_LINK);
  reply.headers(rateLimitHeaders(decision));
  check(decision);
}

function check(decision: RateLimitDecision): void {
  if (!decision.allowed) throw rateLimited(decision, LIMITED);
}

/** The session of a caller who is known to be a customer. */
export function sessionOf({ session }: Principal): SessionScope {
  if (session === undefined) throw new Error('an operation for customers was called by somebody else');
  return session;
}

/** Properties that a session may send. */
interface SessionInput {
  domain: string;
  cached?: boolean;
}

/**
 * The input of a request for a domain, as a session may make it: the domain is that of its link, by its id, so that it
 * is never another one that has taken the name since. Throws a `Problem` for any other, as for one that does not exist.
 */
export function forOwnDomain({ domainId, domainName }: SessionScope, body: unknown): SessionInput {
  const input = body as SessionInput;
  if (input.domain !== domainId && canonicalName(input.domain) !== domainName)
    throw new Problem('data/domain_not_found');
  return { ...input, domain: domainId };
}

/** Counts a request that has a limit of its own; throws a `Problem` above the limit of the link. */
export function limitOperation(
  limiter: Pick<Limiter, 'take'>,
  { linkId }: SessionScope,
  operation: string,
  { cached }: SessionInput,
): void {
  const limit = PER_OPERATION[operation];
  if (limit !== undefined && cached !== true) check(limiter.take(linkId, operation, limit));
}

/**
 * A domain as its customer may see it, who must not learn of other customers: the same object where nothing is hidden.
 */
export function forCustomer(domain: Domain): Domain {
  const { verificationError } = domain;
  if (verificationError === null) return domain;
  const shown = withoutOwner(verificationError);
  return shown === verificationError
    ? domain
    : { ...domain, verificationError: [...shown].slice(0, TEXT_LIMIT).join('') };
}

/** A domain as somebody with a support link may see it: without the platform's own data too. */
export function forSupport(domain: Domain): Domain {
  return { ...forCustomer(domain), externalId: null, metadata: null };
}

/** An event as somebody with a support link may see it: without who did it, and without other customers. */
export function eventForSupport({ data, ...event }: DomainEvent): DomainEvent {
  const { verificationError, findings } = data;
  return {
    ...event,
    actor: null,
    data: {
      ...data,
      ...(verificationError && { verificationError: withoutOwner(verificationError) }),
      ...(findings && { findings: findings.map(findingForCustomer) }),
    },
  };
}

/** A finding as a customer may see it. */
export function findingForCustomer(finding: Finding): Finding {
  if (finding.code !== 'txt_other_domain') return finding;
  const { owner: _, ...facts } = finding.facts ?? {};
  return { ...finding, code: 'txt_stale', facts, message: withoutOwner(finding.message) };
}

/** Whose share of the process's diagnoses a principal uses: customers of a workspace leave the workspace its own. */
export function diagnosisShare({ workspaceId, session }: Principal): string {
  return session === undefined ? workspaceId : `links of ${workspaceId}`;
}
