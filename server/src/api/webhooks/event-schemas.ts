import Type, { type TObject } from 'typebox';
import type { WebhookEventType } from '../../domain/webhook-message.ts';
import { EventDataSchema, EventSchema } from '../domains/listEvents.ts';
import { shownOwnData } from '../domains/own-data-schema.ts';
import { DomainSchema } from '../domains/present-domain.ts';
import { Id } from '../schemas.ts';

/**
 * The bodies that webhooks send, from which the OpenAPI document and the types of the client are made.
 * `webhookBody` writes them, and `test/docs/webhooks.test.ts` holds what it writes to these schemas.
 */

const { record, certificate, redirect, move, suspension, live } = Type.Required(EventDataSchema).properties;
const { seen, findings, deletion } = EventDataSchema.properties;
const changed = { domain: DomainSchema, ...shownOwnData, actor: EventSchema.properties.actor };

const DomainChange = Type.Object(changed, { title: 'DomainChange', description: 'The domain after the change.' });
const DomainFinding = Type.Object({ ...changed, findings }, { title: 'DomainFinding' });
const RecordChange = Type.Object({ ...changed, record, seen, findings }, { title: 'RecordChange' });
const CertificateChange = Type.Object({ ...changed, certificate }, { title: 'CertificateChange' });
const RedirectChange = Type.Object({ ...changed, redirect }, { title: 'RedirectChange' });
const SiteChange = Type.Object({ ...changed, live, findings }, { title: 'SiteChange' });

/** The `data` of each type of event. */
const DATA: Record<WebhookEventType, TObject> = {
  'domain.created': DomainChange,
  'domain.retried': DomainChange,
  'domain.verified': DomainChange,
  'domain.failed': DomainFinding,
  'domain.superseded': DomainChange,
  'domain.drifted': DomainFinding,
  'domain.recovered': DomainChange,
  'domain.deleted': Type.Object({ ...changed, deletion }, { title: 'DomainDeletion' }),
  'domain.restored': DomainChange,
  'domain.moved': Type.Object({ ...changed, move }, { title: 'DomainMove' }),
  'domain.suspended': Type.Object({ ...changed, suspension }, { title: 'SuspensionChange' }),
  'domain.resumed': Type.Object({ ...changed, suspension }, { title: 'SuspensionChange' }),
  'redirect.set': RedirectChange,
  'redirect.removed': RedirectChange,
  'record.seen': RecordChange,
  'record.lost': RecordChange,
  'diagnosis.changed': Type.Object(
    { ...changed, findings: Type.Required(EventDataSchema).properties.findings },
    { title: 'DiagnosisChange' },
  ),
  'certificate.issued': CertificateChange,
  'certificate.renewed': CertificateChange,
  'certificate.failed': CertificateChange,
  'certificate.expiring': CertificateChange,
  'site.ready_to_switch': CertificateChange,
  'site.live': SiteChange,
  'site.unreachable': SiteChange,
  'webhook.test': Type.Object({ webhookId: Id('wh', 'The webhook.') }, { title: 'WebhookTest' }),
};

/** The body of each type of event, by the type. */
export const eventSchemas: ReadonlyMap<string, TObject> = new Map(
  Object.entries(DATA).map(([type, data]) => {
    const timestamp = Type.String({ format: 'date-time', description: 'When it happened; the same in every attempt.' });
    return [type, Type.Object({ type: Type.Literal(type), timestamp, data }, { title: titleOf(type) })];
  }),
);

/** `DomainVerifiedEvent` for `domain.verified`. */
function titleOf(type: string): string {
  return `${type.replace(/(?:^|\.)[a-z]/g, (start) => start.slice(-1).toUpperCase())}Event`;
}
