import Type, { type Static } from 'typebox';
import { DOMAIN_EVENT_TYPES, presentCertificateAfter } from '../../domain/domain-event.ts';
import { presentLive } from '../../domain/live.ts';
import type { DomainEvent } from '../../store/domain/domain-store.ts';
import { defineList } from '../operation.ts';
import { closed, Id, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';
import { eventForSupport } from '../setup/session-scope.ts';
import { FindingSchema } from './diagnosis-schema.ts';
import { DomainIdentifier, exampleDomain } from './present-domain.ts';
import { RedirectStatusSchema } from './redirect-operations.ts';
import { LiveSchema } from './site.ts';
import { SuspensionStatusSchema } from './suspension-operations.ts';

export const EventDataSchema = Type.Object(
  {
    status: Type.Enum(['pending', 'verifying', 'verified', 'failed'], { type: 'string', description: 'Its status.' }),
    routingVerified: Type.Boolean({ description: 'Whether the routing record was in place at that time.' }),
    ownershipVerified: Type.Boolean({ description: 'Whether the ownership record was in place at that time.' }),
    verificationError: Type.Optional(Type.String({ maxLength: 512, description: 'As in domains.getDomain.' })),
    record: Type.Optional(
      Type.Enum(['routing', 'ownership'], {
        type: 'string',
        description: 'In `record.seen` and `record.lost`: which record.',
      }),
    ),
    seen: Type.Optional(
      Type.Array(Type.String(), {
        description: 'In `record.seen` and `record.lost`: the values that were there, as they are in DNS.',
      }),
    ),
    findings: Type.Optional(
      Type.Array(FindingSchema, {
        description:
          'In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about that record. In `site.unreachable`: the cause, if the owner of the domain can fix it. Findings beyond 8 KiB are left out.',
      }),
    ),
    certificate: Type.Optional(
      Type.Object(
        {
          state: Type.String({ maxLength: 64, description: 'As in domains.getCertificate.' }),
          reason: Type.Optional(Type.String({ maxLength: 64, description: 'Why it is blocked, as a code.' })),
          message: Type.Optional(
            Type.String({ maxLength: 512, description: 'Why it is blocked, as a human-readable message.' }),
          ),
          issuer: Type.Optional(Type.String({ maxLength: 2048, description: 'The issuer of the certificate in use.' })),
          notAfter: Type.Optional(Time('When the certificate in use expires.')),
        },
        { description: 'In `certificate.*` and `site.ready_to_switch`: the certificate.' },
      ),
    ),
    redirect: Type.Optional(
      Type.Object(
        {
          to: Type.String({ maxLength: 253, description: 'Name of the destination, or of the former one.' }),
          status: RedirectStatusSchema,
          reason: Type.Optional(
            Type.Enum(['requested', 'destination_deleted', 'destination_failed', 'destination_superseded'], {
              type: 'string',
              description:
                'In `redirect.removed`: why. `requested`: by domains.removeRedirect. The others: the destination was deleted, is no longer verified, or was taken over by another workspace. More values may be added.',
            }),
          ),
        },
        { description: 'In `redirect.*`: the redirect.' },
      ),
    ),
    move: Type.Optional(
      Type.Object(
        {
          from: Id('env', 'The environment that it left.'),
          to: Id('env', 'The environment that it entered.'),
        },
        { description: 'In `domain.moved`: the two environments.' },
      ),
    ),
    deletion: Type.Optional(
      Type.Object(
        {
          reason: Type.Enum(['replaced'], {
            type: 'string',
            description:
              '`replaced`: a request with `replaceUnverified` put another domain of the same name in its place. More values may be added.',
          }),
          by: Id('dom', 'The domain that replaced it.'),
        },
        {
          description: 'In `domain.deleted`, if another domain replaced it: why. Absent otherwise.',
        },
      ),
    ),
    suspension: Type.Optional(
      Type.Object(
        { status: SuspensionStatusSchema },
        { description: 'In `domain.suspended`: the suspension. In `domain.resumed`: the suspension that ended.' },
      ),
    ),
    live: Type.Optional(LiveSchema),
  },
  { title: 'DomainEventData', description: 'The domain after the change, and what changed.' },
);

export const EventSchema = Type.Object(
  {
    id: Type.String({ maxLength: 255, description: 'Begins with `evt_`.' }),
    type: Type.Enum([...DOMAIN_EVENT_TYPES], {
      type: 'string',
      description:
        'Type of the event. `diagnosis.changed`: the mistakes in its DNS differ from those that the last event reported, or none is left; at most one event in ten minutes. `domain.drifted`: a verified domain no longer leads here. `domain.recovered`: it leads here again. `domain.restored`: the domain was deleted and has been restored. `domain.superseded`: another workspace proved that it owns the name. `site.ready_to_switch`: the domain is not verified, but its certificate is in use, so its routing record can be changed. `site.live`: visitors reach the site at every address. `site.unreachable`: visitors no longer reach it at any address. More values may be added.',
    }),
    at: Time('When it happened.'),
    actor: Type.Optional(
      Type.String({
        description:
          'Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check.',
      }),
    ),
    data: EventDataSchema,
  },
  { title: 'DomainEvent' },
);

const show = shownBy(EventSchema);

function presentEvent({ createdAt, data, ...event }: DomainEvent): Static<typeof EventSchema> {
  const certificate = data.certificate && presentCertificateAfter(data.certificate);
  const live = data.live && presentLive(data.live);
  return show({ ...event, at: createdAt, data: { ...data, certificate, live } });
}

const { createdAt } = exampleDomain;
const data = { status: 'verifying', routingVerified: false, ownershipVerified: true } as const;

export const listEvents = defineList({
  name: 'domains.listEvents',
  summary: 'List what happened to a domain',
  description:
    'Returns the timeline of a domain, newest first, one page at a time. It has actions and who did them, records that appeared or disappeared, and changes of the status and the certificate. A check that changes nothing adds no event. Events are kept for 90 days unless the operator sets another time.',
  // The permission of getDomain: events say how the domain came to its state.
  permission: { resource: 'environment', action: 'read_domain' },
  sessions: ['support'],
  request: Type.Object({ domain: DomainIdentifier, ...pageRequest }, closed),
  item: EventSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name, limit: 2 },
    items: [
      {
        id: 'evt_01kaghp5d6f7g8h9j0k1m2n3b4',
        type: 'record.seen',
        at: createdAt + 60_000,
        data: { ...data, record: 'ownership', seen: ['service-domain-verify=Zt4mQ8rV1xKc7NwLb2YpH5sJ'] },
      },
      {
        id: 'evt_01kaghn1h2f7n8v3q0y6w5t4r9',
        type: 'domain.created',
        at: createdAt,
        actor: 'key_01kaghm6r7t8y9u0p1a2s3d4f5',
        data: { ...data, status: 'pending', ownershipVerified: false },
      },
    ],
  },
  async handle({ principal: { workspaceId, session }, input, find }, { store }) {
    const domain = await find.domain(input.domain);
    const page = await store.listDomainEvents(workspaceId, domain.id, pageOf(input));
    const shown = session === undefined ? page.items : page.items.map(eventForSupport);
    return { ...page, items: shown.map(presentEvent) };
  },
});
