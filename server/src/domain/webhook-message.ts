import type { Domain } from './domain.ts';
import { type CertificateAfter, type Deletion, type DomainEventType, presentCertificateAfter } from './domain-event.ts';
import type { Finding } from './finding.ts';
import { type Live, presentLive } from './live.ts';
import { type PresentedOwnData, presentOwnData } from './own-data.ts';
import { type PresentedDomain, presentDomain } from './presented-domain.ts';
import type { RedirectChange } from './redirect.ts';
import type { SuspensionStatus } from './suspension.ts';

/** Webhooks send the events of the timeline, each with the domain as it was after the change. */

/** Sent by `webhooks.sendTest` alone, whatever the webhook subscribes to. */
export const TEST_EVENT_TYPE = 'webhook.test';

export type WebhookEventType = DomainEventType | typeof TEST_EVENT_TYPE;

/** An event's content, as it is stored in the transaction of the change. */
export interface WebhookMessage {
  /** After the transaction of the change; in `domain.deleted` before it. */
  domain: Domain;
  actor: string | null;
  /** In `record.seen` and `record.lost`. */
  record?: 'ownership' | 'routing';
  seen?: string[];
  /** In `diagnosis.changed`, `domain.failed`, `domain.drifted` and `record.lost`. */
  findings?: Finding[] | undefined;
  /** In `certificate.*` and `site.ready_to_switch`. */
  certificate?: CertificateAfter;
  /** In `redirect.*`. */
  redirect?: RedirectChange;
  /** In `domain.moved`: ids of the environments. */
  move?: { from: string; to: string };
  /** In `domain.deleted`, if another domain of its name took its place. */
  deletion?: Deletion;
  /** In `domain.suspended` and `domain.resumed`. */
  suspension?: { status: SuspensionStatus };
  /** In `site.live` and `site.unreachable`. */
  live?: Live;
}

/** An event as a webhook sends it. */
export interface WebhookEvent {
  webhookId: string;
  type: WebhookEventType;
  /** When it happened (Unix ms). */
  happenedAt: number;
  /** Null in a test. */
  message: WebhookMessage | null;
}

/** The changes besides the domain. Absent values are left out, never null. */
interface PresentedChange {
  actor?: string;
  record?: 'ownership' | 'routing';
  seen?: string[];
  findings?: Finding[];
  certificate?: Partial<Record<keyof CertificateAfter, string | number>>;
  redirect?: RedirectChange;
  move?: { from: string; to: string };
  deletion?: Deletion;
  suspension?: { status: SuspensionStatus };
  live?: ReturnType<typeof presentLive>;
}

type WebhookData = { webhookId: string } | ({ domain: PresentedDomain } & PresentedOwnData & PresentedChange);

/**
 * The body of a request: JSON of `{type, timestamp, data}` (Standard Webhooks 1.0.0, "Webhook payload structure"). The same for every attempt,
 * as long as release and `apexNote` (from `apexRoutingNote`) are.
 */
export function webhookBody({ webhookId, type, happenedAt, message }: WebhookEvent, apexNote?: string): string {
  const data: WebhookData = message === null ? { webhookId } : presentMessage(message, apexNote);
  return JSON.stringify({ type, timestamp: new Date(happenedAt).toISOString(), data });
}

function presentMessage(message: WebhookMessage, apexNote?: string) {
  const { domain, actor, record, seen, findings, certificate, redirect, move, deletion, suspension, live } = message;
  return {
    domain: presentDomain(domain, apexNote),
    ...presentOwnData(domain),
    ...(actor !== null && { actor }),
    ...(record && { record }),
    ...(seen && { seen }),
    ...(findings && { findings }),
    ...(certificate && { certificate: presentCertificateAfter(certificate) }),
    ...(redirect && { redirect }),
    ...(move && { move }),
    ...(deletion && { deletion }),
    ...(suspension && { suspension }),
    ...(live && { live: presentLive(live) }),
  };
}
