import type { FastifyReply } from 'fastify';
import type { Principal, SessionScope } from '../../access/root-key-cache.ts';
import { canonicalName } from '../../domain/name.ts';
import type { RateLimitDecision } from '../../ratelimit/decision.ts';
import type { Limiter } from '../../ratelimit/limiter.ts';
import type { RateLimit } from '../../store/contract/store.ts';
import { Problem } from '../errors.ts';
import { rateLimited, rateLimitHeaders } from '../request-hooks.ts';

const MINUTE_MS = 60_000;

/** Of one link, all its sessions together: a customer uses up nothing of the workspace's own limits. */
const PER_LINK: RateLimit = { limit: 120, windowMs: MINUTE_MS };
/** Of these, those that make us ask the DNS. */
const PER_OPERATION: Record<string, RateLimit> = {
  'domains.verifyDomain': { limit: 6, windowMs: MINUTE_MS },
  'domains.diagnoseDomain': { limit: 20, windowMs: MINUTE_MS },
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

/**
 * The input of a request for a domain, as a session may make it: the domain is that of its link, by its id, so that it is never another one that has taken the
 * name since. Throws a `Problem` for any other, as for one that does not exist, and above the limits of the link.
 */
export function confine(
  session: SessionScope,
  operation: string,
  body: unknown,
  limiter: Pick<Limiter, 'take'>,
): object {
  const input = body as { domain: string; cached?: boolean };
  const { domainId, domainName, linkId } = session;
  if (input.domain !== domainId && canonicalName(input.domain) !== domainName)
    throw new Problem('data/domain_not_found');
  const limit = PER_OPERATION[operation];
  if (limit !== undefined && input.cached !== true) check(limiter.take(linkId, operation, limit));
  return { ...input, domain: domainId };
}

/** Whose share of the process a principal's looks at the DNS take: customers of a workspace leave the workspace its own. */
export function diagnosisShare({ workspaceId, session }: Principal): string {
  return session === undefined ? workspaceId : `links of ${workspaceId}`;
}
