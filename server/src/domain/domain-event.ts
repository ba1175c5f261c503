import type { CertificateReason, CertificateState } from './certificate-state.ts';

/** Types of the events of a domain's timeline, which webhooks may subscribe to. */
export const DOMAIN_EVENT_TYPES = [
  'domain.created',
  'domain.retried',
  'domain.verified',
  'domain.failed',
  'domain.superseded',
  'domain.drifted',
  'domain.recovered',
  'domain.deleted',
  'domain.restored',
  'domain.moved',
  'domain.suspended',
  'domain.resumed',
  'redirect.set',
  'redirect.removed',
  'record.seen',
  'record.lost',
  'diagnosis.changed',
  'certificate.issued',
  'certificate.renewed',
  'certificate.failed',
  'certificate.expiring',
  'site.ready_to_switch',
  'site.live',
  'site.unreachable',
] as const;

export type DomainEventType = (typeof DOMAIN_EVENT_TYPES)[number];

/** At most one `diagnosis.changed` of a domain in this time: a customer who edits records each minute does not flood its webhooks. */
export const DIAGNOSIS_EVERY_MS = 600_000;

/** Why a domain was deleted, where nobody asked for just that: another one of its name took its place. */
export interface Deletion {
  reason: 'replaced';
  /** Id of the other one. */
  by: string;
}

/** The certificate after the change, in events of type `certificate.*` and `site.ready_to_switch`. */
export interface CertificateAfter {
  state: CertificateState;
  reason: CertificateReason | null;
  message: string | null;
  issuer: string | null;
  notAfter: number | null;
}

/** Absent values are left out, never null. */
export function presentCertificateAfter({ state, reason, message, issuer, notAfter }: CertificateAfter) {
  return {
    state,
    ...(reason !== null && { reason }),
    ...(message !== null && { message }),
    ...(issuer !== null && { issuer }),
    ...(notAfter !== null && { notAfter }),
  };
}
