import Type, { type Static } from 'typebox';
import { DOMAIN_EVENT_TYPES, presentCertificateAfter } from '../../domain/domain-event.ts';
import type { DomainEvent } from '../../store/contract/domain-store.ts';
import { closed, Id, Time } from '../schemas.ts';
import { RedirectStatusSchema } from './present-redirect.ts';
import { SuspensionStatusSchema } from './present-suspension.ts';

const EventDataSchema = Type.Object(
  {
    status: Type.Enum(['pending', 'verifying', 'verified', 'failed'], { type: 'string', description: 'Its status.' }),
    routingVerified: Type.Boolean({ description: 'Whether the routing record was in place.' }),
    ownershipVerified: Type.Boolean({ description: 'Whether the ownership record was in place.' }),
    verificationError: Type.Optional(Type.String({ maxLength: 512, description: 'As in domains.getDomain.' })),
    record: Type.Optional(
      Type.Enum(['routing', 'ownership'], {
        type: 'string',
        description: 'In `record.seen` and `record.lost`: the record.',
      }),
    ),
    seen: Type.Optional(
      Type.Array(Type.String(), {
        description: 'In the same: the values that were there, text from the DNS as it is.',
      }),
    ),
    certificate: Type.Optional(
      Type.Object(
        {
          state: Type.String({ maxLength: 64, description: 'As in domains.getCertificate.' }),
          reason: Type.Optional(Type.String({ maxLength: 64, description: 'What blocks it, for programs.' })),
          message: Type.Optional(Type.String({ maxLength: 512, description: 'The same for people.' })),
          issuer: Type.Optional(Type.String({ maxLength: 2048, description: 'Of the certificate in use.' })),
          notAfter: Type.Optional(Time('When the certificate in use expires.')),
        },
        { ...closed, description: 'In `certificate.*`: the certificate.' },
      ),
    ),
    redirect: Type.Optional(
      Type.Object(
        {
          to: Type.String({ maxLength: 253, description: 'Name of the domain that it leads, or led, to.' }),
          status: RedirectStatusSchema,
          reason: Type.Optional(
            Type.Enum(['requested', 'destination_deleted', 'destination_failed', 'destination_superseded'], {
              type: 'string',
              description:
                'In `redirect.removed`: `requested`, or that the domain it led to was deleted, is no longer verified, or was taken over by another workspace. More values may be added.',
            }),
          ),
        },
        { ...closed, description: 'In `redirect.*`: the redirect.' },
      ),
    ),
    move: Type.Optional(
      Type.Object(
        { from: Id('env', 'The environment that it left.'), to: Id('env', 'The environment that it is in since.') },
        { ...closed, description: 'In `domain.moved`: from where to where.' },
      ),
    ),
    suspension: Type.Optional(
      Type.Object(
        { status: SuspensionStatusSchema },
        { ...closed, description: 'In `domain.suspended`; in `domain.resumed`: what it was.' },
      ),
    ),
  },
  { ...closed, title: 'DomainEventData', description: 'The domain after the change, and what changed.' },
);

export const EventSchema = Type.Object(
  {
    id: Type.String({ maxLength: 255, description: 'Begins with `evt_`.' }),
    type: Type.Enum([...DOMAIN_EVENT_TYPES], {
      type: 'string',
      description:
        'What happened. `domain.drifted`: a verified domain no longer leads here, and `domain.recovered`: it does again. `domain.restored`: it was deleted, and is there again as before. `domain.superseded`: another workspace proved that it owns the name. More values may be added.',
    }),
    at: Time('When it happened.'),
    actor: Type.Optional(
      Type.String({
        description:
          'Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself.',
      }),
    ),
    data: EventDataSchema,
  },
  { ...closed, title: 'DomainEvent' },
);

/** An event as the API shows it. Absent values are left out, never null. */
export function presentEvent({ id, type, createdAt, actor, data }: DomainEvent): Static<typeof EventSchema> {
  const { status, routingVerified, ownershipVerified, verificationError, record, seen, certificate } = data;
  const { redirect, move, suspension } = data;
  return {
    id,
    type,
    at: createdAt,
    ...(actor !== null && { actor }),
    data: {
      status,
      routingVerified,
      ownershipVerified,
      ...(verificationError !== null && { verificationError }),
      ...(record && { record }),
      ...(seen && { seen }),
      ...(certificate && { certificate: presentCertificateAfter(certificate) }),
      ...(redirect && { redirect }),
      ...(move && { move }),
      ...(suspension && { suspension }),
    },
  };
}
