import Type, { type Static } from 'typebox';
import type { AuditEntry } from '../../store/store.ts';
import { exampleDomain } from '../domains/present-domain.ts';
import { defineList } from '../operation.ts';
import { closed, Id, pageOf, pageRequest, shownBy, TEXT, Time } from '../schemas.ts';

const KINDS: AuditEntry['kind'][] = ['root_key', 'dashboard_token', 'setup_link', 'command'];

function Exactly(description: string) {
  return Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: TEXT, description }));
}

export const AuditEntrySchema = Type.Object(
  {
    id: Id('aud', 'Entry.'),
    at: Time('When the change was made.'),
    action: Type.String({
      description: 'The operation, such as `domains.deleteDomain`, or the command, such as `keys create`.',
    }),
    actorKind: Type.Enum(KINDS, {
      type: 'string',
      description: 'The credential of the caller. `command`: the operator ran a command on the server.',
    }),
    actor: Type.String({
      description:
        'Who made the change: the id of the root key or set-up link, or the subject of the dashboard token; `operator` for a command.',
    }),
    from: Type.Optional(Type.String({ description: 'IP address of the client; absent for a command.' })),
    requestId: Type.Optional(Type.String({ description: '`meta.requestId` of the response; absent for a command.' })),
    target: Type.String({ description: 'Id of the resource that was changed; for a certificate, its name.' }),
    targetName: Type.Optional(
      Type.String({ description: 'Name or slug of the resource at that time, if it had one.' }),
    ),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: 'A summary of the new values, never with a secret. Its properties depend on the action.',
    }),
  },
  { title: 'AuditEntry' },
);

const show = shownBy(AuditEntrySchema);

export const listEntries = defineList({
  name: 'audit.listEntries',
  summary: 'List who changed what',
  description:
    'Returns the audit log of the workspace, newest first, one page at a time. It has one entry for each resource that a call of the API or a command of the operator changed. Entries remain when the resource is deleted. For the results of checks, see domains.listEvents. With a filter, each page searches a limited number of entries: it may have fewer items than `limit`, or none, although more follow. Continue until `hasMore` is false. Entries are kept for a year unless the operator sets another time.',
  permission: { resource: 'audit', action: 'read_entries' },
  onAll: 'workspace',
  request: Type.Object(
    {
      ...pageRequest,
      actor: Exactly(
        'Only entries of this actor: the id of a root key or set-up link, or the subject of a dashboard token.',
      ),
      action: Exactly('Only entries of this operation or command.'),
      target: Exactly('Only entries about the resource that has, or had, this id or name.'),
    },
    closed,
  ),
  item: AuditEntrySchema,
  problems: [],
  example: {
    request: { target: exampleDomain.name, limit: 10 },
    items: [
      {
        id: 'aud_01kaghp5d6f7g8h9j0k1m2n3b4',
        at: exampleDomain.createdAt,
        action: 'domains.createDomain',
        actorKind: 'root_key',
        actor: 'key_01kaghm6r7t8y9u0p1a2s3d4f5',
        from: '192.0.2.7',
        requestId: 'req_01kaghn1h2f7n8v3q0y6w5t4r9',
        target: exampleDomain.id,
        targetName: exampleDomain.name,
        detail: {},
      },
    ],
  },
  async handle({ principal: { workspaceId }, input }, { store }) {
    const { actor, action, target } = input;
    const page = await store.listAuditEntries(workspaceId, { ...pageOf(input), actor, action, target });
    return { ...page, items: page.items.map(presentEntry) };
  },
});

/** A workspace does not learn who administers the server, nor from which machine. */
function presentEntry({ kind, actor, from, ...entry }: AuditEntry): Static<typeof AuditEntrySchema> {
  const isCommand = kind === 'command';
  return show({ ...entry, actorKind: kind, actor: isCommand ? 'operator' : actor, from: isCommand ? null : from });
}
