import Type from 'typebox';
import { mayGrant } from '../../access/permissions.ts';
import { createRootKey } from '../../access/secret-text.ts';
import type { ListedRootKey } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import { defineList, defineOperation } from '../operation.ts';
import { closed, Empty, GivenTime, Id, Name, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';
import { invalid } from '../validation.ts';
import {
  EXAMPLE_KEY,
  grantedInRequest,
  keyMakerOf,
  MAKING_PROBLEMS,
  madeKey,
  permissionsOf,
  problemOf,
} from './making.ts';

const KeyId = Type.String({
  minLength: 3,
  maxLength: 255,
  pattern: '^[a-zA-Z0-9_]+$',
  description: 'Id of the root key (`key_…`).',
});

const KeySchema = Type.Object(
  {
    id: Id('key', 'The root key.'),
    name: Type.String({ description: 'Display name; may be empty.' }),
    start: Type.String({ description: 'First characters of the key, to distinguish keys.' }),
    permissions: Type.Array(Type.String(), { description: 'Its permissions.' }),
    createdAt: Time('Creation.'),
    createdBy: Type.Optional(
      Type.String({
        description:
          'Id of the key that created it, even if that key is deleted. Absent if the operator or another workspace created it.',
      }),
    ),
    expiresAt: Type.Optional(Time('When the key expires; absent if it does not.')),
    disabledAt: Type.Optional(Time('Since when it is disabled, which only the operator can do.')),
    lastUsedAt: Type.Optional(Time('When it was last used, accurate to an hour; absent before the first use.')),
    replacedBy: Type.Optional(Type.String({ description: 'Id of the key that replaced it in a rotation.' })),
  },
  { title: 'RootKey' },
);

const presentKey = shownBy(KeySchema);

const exampleKey: ListedRootKey = {
  id: 'key_01kaghn1h2f7n8v3q0y6w5t4r9',
  workspaceId: 'ws_01kaghm5q6e8x9b2c3d4f5g6h7',
  name: 'support desk',
  start: EXAMPLE_KEY.slice(0, 8),
  permissions: ['environment.*.read_domain', 'environment.*.verify_domain'],
  createdAt: Date.UTC(2026, 10, 20, 12),
  createdBy: 'key_01kaghm6r7t8y9u0p1a2s3d4f5',
  expiresAt: Date.UTC(2027, 10, 20, 12),
  disabledAt: null,
  lastUsedAt: null,
  replacedBy: null,
};

export const createKey = defineOperation({
  name: 'keys.createKey',
  summary: 'Create a root key',
  description:
    'Creates a key of the workspace, which is shown only once. The key can do no more than the caller: a permission that the caller lacks is refused. A permission on all resources of a kind (`*`) includes the permission on each of them. The key expires when the caller does, unless `expiresAt` is earlier. If the caller is revoked later, the key still works: `createdBy` shows which keys a key created.',
  permission: { resource: 'key', action: 'create_key' },
  onAll: 'workspace',
  rateLimit: { limit: 60, windowMs: 60_000 },
  creates: 'secret',
  request: Type.Object(
    {
      name: Name,
      ...grantedInRequest,
      expiresAt: Type.Optional(GivenTime('When the key expires. Default: when the caller expires.')),
    },
    closed,
  ),
  response: Type.Object(
    { ...madeKey, expiresAt: Type.Optional(Time('When the key expires; absent if it does not.')) },
    { title: 'CreatedKey' },
  ),
  problems: [...MAKING_PROBLEMS],
  example: {
    request: { name: exampleKey.name, permissions: exampleKey.permissions },
    response: { keyId: exampleKey.id, key: EXAMPLE_KEY },
  },
  async handle({ principal, input, create }, { store, clock, newId, randomBytes }) {
    const maker = await keyMakerOf(principal, store);
    const permissions = permissionsOf(principal, input);
    const createdAt = clock.now();
    if (input.expiresAt !== undefined && input.expiresAt <= createdAt)
      throw invalid('body.expiresAt', 'must be in the future', 'send Unix time in milliseconds');
    const expiresAt = input.expiresAt ?? maker.expiresAt;
    const { key, hash, start } = createRootKey(randomBytes);
    const keyId = newId('key');
    const about = { id: keyId, name: input.name, start, permissions, expiresAt, createdAt };
    const shown = { keyId, key, ...(expiresAt !== null && { expiresAt }) };
    const { made, outcome } = await create(shown, (changes) => changes.createKeyBy(maker.id, about, hash));
    if (outcome !== 'created') throw problemOf(outcome);
    return made;
  },
});

export const getKey = defineOperation({
  name: 'keys.getKey',
  summary: 'Get a root key',
  description: 'Retrieves a key by its id, without its secret, which cannot be retrieved.',
  permission: { resource: 'key', action: 'read_key' },
  request: Type.Object({ keyId: KeyId }, closed),
  response: KeySchema,
  problems: ['data/key_not_found'],
  example: { request: { keyId: exampleKey.id }, response: presentKey(exampleKey) },
  handle: async ({ input: { keyId }, find }) => presentKey(await find.key(keyId)),
});

export const listKeys = defineList({
  name: 'keys.listKeys',
  summary: 'List the root keys of the workspace',
  description:
    'Returns the keys in order of creation, one page at a time, without their secrets. Revoked keys are not listed.',
  permission: { resource: 'key', action: 'read_key' },
  onAll: 'workspace',
  request: Type.Object({ ...pageRequest }, closed),
  item: KeySchema,
  problems: [],
  example: { request: { limit: 10 }, items: [presentKey(exampleKey)] },
  async handle({ principal: { workspaceId }, input }, { store }) {
    const page = await store.listKeysOfWorkspace(workspaceId, pageOf(input));
    return { ...page, items: page.items.map(presentKey) };
  },
});

const DAY_SECONDS = 86_400;

export const rotateKey = defineOperation({
  name: 'keys.rotateKey',
  summary: 'Rotate a root key',
  description:
    'Replaces a key with a new one that has the same name, permissions and expiry. The old key works until the overlap ends. The caller must have every permission of the old key, and must not expire before it. A key can be rotated only once: after that, rotate its successor.',
  permission: { resource: 'key', action: 'rotate_key' },
  gives: 'the old key stops working when the overlap ends, which can be at once, without `revoke_key`',
  rateLimit: { limit: 60, windowMs: 60_000 },
  replaces: 'secret',
  request: Type.Object(
    {
      keyId: KeyId,
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description: 'How long the old key still works; one day if absent. Use 0 if it has leaked.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object(
    { ...madeKey, previousExpiresAt: Time('Until when the old key works.') },
    { title: 'RotatedKey' },
  ),
  problems: ['data/key_not_found', 'application/key_not_rotatable', ...MAKING_PROBLEMS],
  example: {
    request: { keyId: exampleKey.createdBy ?? '' },
    response: {
      keyId: exampleKey.id,
      key: EXAMPLE_KEY,
      previousExpiresAt: exampleKey.createdAt + DAY_SECONDS * 1000,
    },
  },
  async handle({ principal, input, find, create }, { store, clock, newId, randomBytes }) {
    const old = await find.key(input.keyId);
    const maker = await keyMakerOf(principal, store);
    if (!old.permissions.every((grant) => mayGrant(principal.grants, grant)))
      throw new Problem('authorization/exceeds_caller', {
        detail: 'The root key lacks permissions of the key, so it cannot make its successor.',
      });
    const createdAt = clock.now();
    const overlapEndsAt = createdAt + (input.overlapSeconds ?? DAY_SECONDS) * 1000;
    const { key, hash, start } = createRootKey(randomBytes);
    const successor = { id: newId('key'), start, createdAt };
    const previousExpiresAt = Math.min(overlapEndsAt, old.expiresAt ?? overlapEndsAt);
    const { made, outcome } = await create({ keyId: successor.id, key, previousExpiresAt }, (changes) =>
      changes.rotateRootKey(maker.id, old.id, successor, hash, overlapEndsAt),
    );
    if (outcome === 'rotated') return made;
    if (outcome === 'missing') throw new Problem('data/key_not_found');
    if (outcome === 'not_rotatable') throw new Problem('application/key_not_rotatable');
    throw problemOf(outcome);
  },
});

export const revokeKey = defineOperation({
  name: 'keys.revokeKey',
  summary: 'Revoke a root key',
  description:
    'Deletes the key. Within a second, every node refuses it and the dashboard tokens created with it. The caller can have fewer permissions than the key.',
  permission: { resource: 'key', action: 'revoke_key' },
  request: Type.Object({ keyId: KeyId }, closed),
  response: Empty,
  problems: ['data/key_not_found'],
  example: { request: { keyId: exampleKey.id }, response: {} },
  async handle({ input, find, changes }) {
    const { id } = await find.key(input.keyId);
    if (!(await changes.revokeRootKey(id))) throw new Problem('data/key_not_found');
    return {};
  },
});
