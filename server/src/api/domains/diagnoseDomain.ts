import Type from 'typebox';
import { askedTryAt } from '../../domain/certificate-state.ts';
import type { Finding } from '../../domain/finding.ts';
import { findingsOf } from '../../domain/findings/findings.ts';
import { askedLookAt } from '../../domain/live.ts';
import { NO_MEMORY } from '../../domain/status.ts';
import { sharedTargetsIn, tokenOwners } from '../../verification/observation/token-owners.ts';
import { Problem } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { diagnosisShare, findingForCustomer } from '../setup/session-scope.ts';
import { type DiagnosisData, DiagnosisSchema } from './diagnosis-schema.ts';
import { findingContext, lookedAt } from './dns-look.ts';
import { exampleDiagnosis } from './example-diagnosis.ts';
import { type DiagnosedDns, presentDiagnosis } from './present-diagnosis.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';
import { presentRedirect } from './redirect-operations.ts';
import { findingsOutside } from './site.ts';
import { presentSuspension } from './suspension-operations.ts';

export const diagnoseDomain = defineOperation({
  name: 'domains.diagnoseDomain',
  summary: 'Find out what is wrong with the DNS of a domain',
  description:
    'Queries the nameservers now. The response shows what each of them answered, what is wrong and how to fix it. The operation changes neither the status of the domain nor the schedule of its checks. For a verified domain, it also triggers a look at the site from outside within half a minute (`live` in domains.getSite). A certificate that is `waiting_for_routing` and has no `failures` is attempted within 10 s. A request takes at most 10 s, usually less than 1 s. Requests for one domain within 5 s share a result. A workspace can have 10 of these requests in flight. With `cached`, the response comes from the last background check.',
  // The permission of getDomain: DNS is public, and the schedule reveals no more than the status.
  permission: { resource: 'environment', action: 'read_domain' },
  sessions: ['setup', 'support'],
  request: Type.Object(
    {
      domain: DomainIdentifier,
      cached: Type.Optional(
        Type.Boolean({
          description:
            'If true, respond with the result of the last background check, without DNS queries. Default: false.',
        }),
      ),
    },
    closed,
  ),
  response: DiagnosisSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: exampleDiagnosis },
  async handle({ principal, input, find }, { store, diagnoser, clock, settings }) {
    const { workspaceId } = principal;
    const domain = await find.domain(input.domain);
    const lastCheck = async () => {
      const last = await store.findCheckResult(workspaceId, domain.id);
      // The domain was deleted meanwhile.
      if (last === null) throw new Problem('data/domain_not_found');
      const redirect = await store.findRedirect(workspaceId, domain.id);
      return { ...last, redirect, suspension: await store.findSuspension(workspaceId, domain.id) };
    };
    const forReader = (dns: DiagnosedDns): DiagnosedDns =>
      principal.session === undefined ? dns : { ...dns, findings: dns.findings.map(findingForCustomer) };
    const present = (
      dns: DiagnosedDns | null,
      { schedule, redirect, suspension }: Awaited<ReturnType<typeof lastCheck>>,
    ): DiagnosisData => ({
      ...presentDiagnosis(domain, dns && forReader(dns), schedule, clock.now(), settings),
      ...(redirect && { redirect: presentRedirect(redirect) }),
      ...(suspension && { suspension: presentSuspension(suspension) }),
    });
    // Where the DNS is wrong, that is why.
    const withOutside = async (findings: Finding[]) => {
      const isExplained = domain.status !== 'verified' || findings.some(({ severity }) => severity === 'blocking');
      const site = isExplained ? null : await store.findListedDomain(workspaceId, domain.id);
      return site === null ? findings : [...findingsOutside(site, settings), ...findings];
    };
    if (input.cached) {
      const last = await lastCheck();
      const { result } = last;
      return present(result && { ...result, findings: await withOutside(result.findings) }, last);
    }
    const askedAt = clock.now();
    const incumbent = await store.findIncumbent(domain);
    const { observation, at } = lookedAt(
      await diagnoser.diagnose({ workspaceId: diagnosisShare(principal), domain, incumbent }),
    );
    if (domain.status === 'verified') await store.lookSoon(domain.name, askedLookAt(clock.now()));
    // Somebody may just have mended what the preflight has found.
    const certificate = at < askedAt ? null : await store.findCertificate(domain.name);
    if (certificate?.domainId === domain.id && certificate.state === 'waiting_for_routing')
      await store.retryBlocked(domain.name, askedTryAt(clock.now()));
    const domainOfToken = await tokenOwners(store, domain, observation);
    const sharedTargets = await sharedTargetsIn(store, domain, observation);
    const context = { ...findingContext(settings, at), domainOfToken, sharedTargets };
    const findings = findingsOf({ domain, incumbent, memory: NO_MEMORY }, observation, context);
    // Read after the checks, so that a refused request costs little.
    return present({ observation, findings: await withOutside(findings), checkedAt: at }, await lastCheck());
  },
});
