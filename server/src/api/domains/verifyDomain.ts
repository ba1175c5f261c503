import Type from 'typebox';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed, Empty } from '../schemas.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';

export const verifyDomain = defineOperation({
  name: 'domains.verifyDomain',
  summary: 'Check a domain now',
  description:
    'Starts a check of the DNS records. Poll domains.getDomain for the result. A failed domain gets a new verification window of 24 hours, and keeps its status until the check completes. For a verified domain, the operation is refused (412); use domains.diagnoseDomain.',
  permission: { resource: 'environment', action: 'verify_domain' },
  sessions: ['setup'],
  status: 202,
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: Empty,
  problems: ['data/domain_not_found', 'application/precondition_failed'],
  example: { request: { domain: exampleDomain.name }, response: {} },
  async handle({ principal, input, changes, find }, { clock, settings }) {
    const { workspaceId } = principal;
    const domain = await find.domain(input.domain);
    const retried = await changes.retryVerification(workspaceId, domain.id, clock.now(), settings.windowMs);
    switch (retried) {
      case 'accepted':
        return {};
      case 'verified':
        throw new Problem('application/precondition_failed');
      case 'missing':
        throw new Problem('data/domain_not_found');
      default:
        return retried satisfies never;
    }
  },
});
