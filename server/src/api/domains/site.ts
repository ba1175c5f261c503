import Type, { type Static } from 'typebox';
import { BOARD_REASONS, boardBlocker, isReadyToSwitch } from '../../domain/board.ts';
import type { CertificateState } from '../../domain/certificate-state.ts';
import type { DomainStatus } from '../../domain/domain.ts';
import type { Finding } from '../../domain/finding.ts';
import { liveFindings } from '../../domain/findings/live-findings.ts';
import { LIVE_PROBLEMS, LIVE_STATES, presentLive } from '../../domain/live.ts';
import { presentOwnData } from '../../domain/own-data.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import { challengeDnsRecord } from '../../domain/records.ts';
import { isWildcard } from '../../domain/wildcard.ts';
import type { ListedDomain } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { type ApiSettings, defineOperation, type HandlerContext } from '../operation.ts';
import { closed, shownBy, Time } from '../schemas.ts';
import { forSupport } from '../setup/session-scope.ts';
import { FindingSchema } from './diagnosis-schema.ts';
import { CERTIFICATE_REASONS, CertificateProblemSchema, sourceOf } from './getCertificate.ts';
import { shownOwnData } from './own-data-schema.ts';
import { DnsRecordSchema, DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';
import { RedirectSchema } from './redirect-operations.ts';
import { SiteSettingsSchema } from './site-settings-schema.ts';
import { SuspensionSchema } from './suspension-operations.ts';

export const CERTIFICATE_STATES: CertificateState[] = [
  'wanted',
  'waiting_for_routing',
  'ordering',
  'issued',
  'renewing',
  'failed',
];

export const STATUSES: DomainStatus[] = ['pending', 'verifying', 'verified', 'failed'];

const SiteCertificateSchema = Type.Object(
  {
    state: Type.Enum(['none', ...CERTIFICATE_STATES], {
      type: 'string',
      description: 'As in domains.getCertificate.',
    }),
    problem: Type.Optional(CertificateProblemSchema),
    source: Type.Optional(
      Type.Enum(['managed', 'imported', 'moved'], {
        type: 'string',
        description:
          'Source of the certificate in use, as in domains.getCertificate; absent before the first certificate. More values may be added.',
      }),
    ),
    notAfter: Type.Optional(Time('When the certificate in use expires; absent before the first certificate.')),
  },
  {
    title: 'SiteCertificate',
    description: 'Summary of the certificate; domains.getCertificate returns all of it.',
  },
);

const SiteOriginSchema = Type.Object(
  {
    url: Type.String({ description: 'Scheme, host and port of the origin.' }),
    deploymentId: Type.Optional(
      Type.String({
        description: "The current deployment of the domain's environment; absent if the domain has its own origin.",
      }),
    ),
  },
  { title: 'SiteOrigin', description: 'Where the requests of visitors go; absent before the first deployment.' },
);

const LiveProblemSchema = Type.Enum([...LIVE_PROBLEMS], {
  type: 'string',
  description: 'Why visitors do not reach the site. More values may be added.',
});

/** A site as it was seen from outside. */
export const LiveSchema = Type.Object(
  {
    state: Type.Enum([...LIVE_STATES], {
      type: 'string',
      description:
        '`live`: visitors reach the site at every address of the name. `partly_live`: at some addresses. `unreachable`: at none. More values may be added.',
    }),
    problem: Type.Optional(LiveProblemSchema),
    addresses: Type.Array(
      Type.Object({
        address: Type.String({ description: 'IPv4 or IPv6 address.' }),
        problem: Type.Optional(LiveProblemSchema),
      }),
      { description: 'The addresses that Nameplate looked at, eight at most.' },
    ),
    since: Time('When the site was first seen in this state.'),
    checkedAt: Time('When the site was last looked at.'),
    from: Type.String({ description: 'Name of the node that looked (NAMEPLATE_NODE_NAME).' }),
  },
  {
    title: 'Live',
    description:
      'The site as seen from outside. Nameplate looks about once an hour, and every six hours once the site has been live for a day. A worse state counts only after two looks in a row. Absent until the first look after the domain is verified.',
  },
);

/** Why a name is not ready to switch. */
export const BlockerSchema = Type.Object(
  {
    reason: Type.Enum([...BOARD_REASONS, ...CERTIFICATE_REASONS], {
      type: 'string',
      description:
        '`not_checked`: no check has completed yet. `not_verified`: the records are not in place. `verification_failed`: the domain has the status `failed`. `not_ordered`: the certificate is about to be ordered. `ordering`: the order is in progress. The other reasons are those of domains.getCertificate. More may be added.',
    }),
    message: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'Human-readable message about the domain or its certificate; absent during normal progress.',
      }),
    ),
    since: Time('Since when the reason applies. Before the domain is verified: when the verification window began.'),
  },
  {
    title: 'Blocker',
    description:
      'Why the edge does not serve the name with a valid certificate yet. Absent if it does: in that case, DNS can lead here.',
  },
);

/** A domain with everything that serves it. */
export const SiteSchema = Type.Object(
  {
    domain: DomainSchema,
    live: Type.Optional(LiveSchema),
    findings: Type.Optional(
      Type.Array(FindingSchema, {
        description: 'Why visitors do not reach the site, if its owner can fix that, as in domains.diagnoseDomain.',
      }),
    ),
    certificate: SiteCertificateSchema,
    challengeRecord: Type.Optional(
      Type.Object(DnsRecordSchema.properties, {
        title: 'ChallengeRecord',
        description:
          'An optional record. With it and the TXT record, the certificate is ordered before the domain is verified. Absent if the operator has not set up a challenge zone, and for a wildcard, which has the record in its `dnsRecords`.',
      }),
    ),
    readyToSwitch: Type.Optional(
      Type.Literal(true, {
        description:
          'True if the certificate is in use although the domain is not verified yet: when the customer changes the routing record, visitors notice nothing. Absent otherwise.',
      }),
    ),
    blocker: Type.Optional(BlockerSchema),
    redirect: Type.Optional(RedirectSchema),
    suspension: Type.Optional(SuspensionSchema),
    origin: Type.Optional(SiteOriginSchema),
    settings: Type.Optional(SiteSettingsSchema),
    ...shownOwnData,
  },
  { title: 'Site', description: 'A domain, and what serves it. More properties may be added.' },
);

const show = shownBy(SiteSchema);

/** Those of what visitors get, seen from outside. */
export function findingsOutside(
  { domain, live, certificate }: ListedDomain,
  { edgeAddresses = [] }: ApiSettings,
): Finding[] {
  return liveFindings(domain, live, { edgeAddresses, isServed: (certificate?.notAfter ?? null) !== null });
}

function presentCertificate(certificate: ListedDomain['certificate']) {
  if (certificate === null) return { state: 'none' as const };
  const { issuer } = certificate;
  return { ...certificate, source: issuer === null ? null : sourceOf({ issuer }) };
}

export function presentSite(
  site: ListedDomain,
  { apexNote, settings, clock }: Pick<HandlerContext, 'apexNote' | 'settings' | 'clock'>,
): Static<typeof SiteSchema> {
  const now = clock.now();
  const { deployment, live, ...listed } = site;
  const own = listed.settings?.origin;
  const { domain, certificate } = listed;
  const findings = findingsOutside(site, settings);
  return show({
    ...listed,
    ...presentOwnData(listed.domain),
    domain: presentDomain(listed.domain, apexNote),
    live: live && presentLive(live),
    findings: findings.length > 0 ? findings : undefined,
    certificate: presentCertificate(certificate),
    challengeRecord: isWildcard(domain.name) ? null : challengeDnsRecord(domain, settings.challengeZone ?? null),
    readyToSwitch: domain.status !== 'verified' && isReadyToSwitch(site, now) ? true : null,
    blocker: boardBlocker(site, now),
    origin: own === undefined ? deployment && { url: deployment.origin, deploymentId: deployment.id } : { url: own },
  });
}

export const exampleLive: Static<typeof LiveSchema> = {
  state: 'partly_live',
  problem: 'answered_by_another',
  addresses: [{ address: '93.184.215.14' }, { address: '151.101.1.69', problem: 'answered_by_another' }],
  since: 1_763_990_400_000,
  checkedAt: 1_763_993_700_000,
  from: 'fra-1',
};

export const exampleSite: Static<typeof SiteSchema> = {
  domain: presentDomain(exampleDomain),
  certificate: { state: 'none' },
  blocker: { reason: 'not_verified', since: exampleDomain.createdAt },
  origin: { url: 'https://app.example.net', deploymentId: 'dep_01kaghp9a8b7c6d5e4f3g2h1j0' },
  externalId: 'customer_42',
  metadata: { plan: 'pro' },
};

export const getSite = defineOperation({
  name: 'domains.getSite',
  summary: 'Get a domain with everything that serves it',
  description:
    'Returns the domain as domains.getDomain does, together with all that concerns its site. That is: whether visitors reach it, a summary of its certificate, its redirect, suspension, origin and settings, and your own data (`externalId` and `metadata`). The operation domains.listWorkspaceDomains returns the same for many domains.',
  permission: { resource: 'environment', action: 'read_domain' },
  sessions: ['support'],
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: SiteSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: exampleSite },
  async handle({ principal: { workspaceId, session }, input, find }, { store, ...context }) {
    const { id } = await find.domain(input.domain);
    const found = await store.findListedDomain(workspaceId, id);
    if (found === null) throw new Problem('data/domain_not_found');
    return presentSite(session === undefined ? found : { ...found, domain: forSupport(found.domain) }, context);
  },
});
