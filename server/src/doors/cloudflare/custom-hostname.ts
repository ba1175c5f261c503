import type { ShownSite } from '../shown-sites.ts';

/** A site as the vendor shows a custom hostname. docs/reference/compat-cloudflare.md has every field. */

export type Hostname = ReturnType<typeof customHostname>;

/** Clients compare it, so it has the vendor's own words. */
const NOT_ROUTED = 'custom hostname does not CNAME to this zone.';

function statusOf(site: ShownSite): string {
  if (site.suspension !== undefined) return 'blocked';
  if (site.domain.status !== 'verified') return 'pending';
  return leadsElsewhere(site) ? 'moved' : 'active';
}

/** Seen from outside: another server answers at every address. */
function leadsElsewhere({ live }: ShownSite): boolean {
  return live?.state === 'unreachable' && live.problem === 'answered_by_another';
}

function sslStatusOf({ domain, certificate }: ShownSite): string {
  if (certificate.notAfter !== undefined) return 'active';
  switch (certificate.state) {
    case 'ordering':
    case 'wanted':
      return 'pending_issuance';
    case 'failed':
      return 'issuance_timed_out';
    case 'none':
      return domain.status === 'failed' ? 'validation_timed_out' : 'pending_validation';
    default:
      return 'pending_validation';
  }
}

export function customHostname(site: ShownSite) {
  const { domain, metadata, settings } = site;
  const [, ownership] = domain.dnsRecords;
  const errors = verificationErrors(site);
  return {
    id: domain.id,
    hostname: domain.domain,
    status: statusOf(site),
    ssl: sslOf(site),
    ...(errors.length > 0 && { verification_errors: errors }),
    ...(ownership && { ownership_verification: { type: 'txt', name: ownership.name, value: ownership.value } }),
    ...(metadata && { custom_metadata: metadata }),
    ...(settings?.origin !== undefined && { custom_origin_server: new URL(settings.origin).hostname }),
    created_at: new Date(domain.createdAt).toISOString(),
    nameplate: { dns_records: domain.dnsRecords },
  };
}

/** The vendor's words first where the name does not lead here, then those of the last check. */
function verificationErrors(site: ShownSite): string[] {
  const { status, verificationError, dnsRecords } = site.domain;
  const isRouted = status === 'verified' ? !leadsElsewhere(site) : dnsRecords[0]?.verified === true;
  return [isRouted ? [] : NOT_ROUTED, verificationError ?? []].flat();
}

function sslOf(site: ShownSite) {
  const { domain, certificate, challengeRecord, settings } = site;
  const [, ownership, ownChallenge] = domain.dnsRecords;
  const challenge = ownChallenge ?? challengeRecord;
  const status = sslStatusOf(site);
  const pending = status === 'active' ? 'active' : 'pending';
  return {
    id: domain.id,
    type: 'dv',
    method: 'txt',
    status,
    wildcard: domain.domain.startsWith('*.'),
    bundle_method: 'ubiquitous',
    settings: {
      http2: 'on',
      tls_1_3: 'on',
      early_hints: 'off',
      min_tls_version: settings?.minTlsVersion ?? '1.2',
    },
    ...(status !== 'active' &&
      ownership && {
        validation_records: [{ status: pending, txt_name: ownership.name, txt_value: ownership.value }],
      }),
    ...(challenge && {
      dcv_delegation_records: [{ status: pending, cname: challenge.name, cname_target: challenge.value }],
    }),
    ...(certificate.problem && { validation_errors: [{ message: certificate.problem.message }] }),
    ...(certificate.notAfter !== undefined && { expires_on: new Date(certificate.notAfter).toISOString() }),
  };
}
