import Type from 'typebox';
import { signToken } from '../../access/dashboard-token.ts';
import { MAX_TOKEN_LIFE_MS } from '../../access/signed-token.ts';
import { currentSigningKey } from '../../access/signing-key.ts';
import { defineOperation } from '../operation.ts';
import { closed, pattern, TEXT, Time } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { MAKING_PROBLEMS, makerOf, Permissions, permissionsOf, problemOf } from './making.ts';

const DEFAULT_SECONDS = 60;

/** Timelines name an actor without its kind: a person must not pass for a key, a link or a command. */
const LIKE_AN_ACTOR = /^(key_|link_|nameplate )/i;

export const createToken = defineOperation({
  name: 'tokens.createToken',
  summary: 'Create a dashboard token',
  description:
    'Creates a token that stands for one person, with all or some of the permissions of the root key. Use it on pages of yours that call the API for someone who is signed in there. Send the token like a root key. It works for two minutes at most. It is refused as soon as the key is revoked, disabled or expired. It cannot create keys, tokens or workspaces.',
  permission: { resource: 'token', action: 'create_token' },
  onAll: 'workspace',
  creates: 'secret',
  request: Type.Object(
    {
      subject: Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: pattern(TEXT, 'may not hold control characters'),
        description:
          'The person, as timelines and the audit log show them, such as your own id for them. It must not begin with `key_`, `link_` or `nameplate ` (with a space), as the ids of keys and links and the names of commands do.',
      }),
      permissions: Type.Optional(Permissions),
      expiresInSeconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_TOKEN_LIFE_MS / 1000,
          description: `How long the token works, in seconds. Default: ${DEFAULT_SECONDS}.`,
        }),
      ),
    },
    closed,
  ),
  response: Type.Object(
    {
      token: Type.String({ description: 'For `Authorization: Bearer …`.' }),
      expiresAt: Time('When the token expires.'),
    },
    { title: 'CreatedToken' },
  ),
  problems: [...MAKING_PROBLEMS],
  example: {
    request: { subject: 'ada', permissions: ['environment.*.read_domain'] },
    response: {
      token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
      expiresAt: Date.UTC(2026, 10, 20, 12, 1),
    },
  },
  async handle({ principal, input, create, changes }, { store, clock, newId }) {
    const { subject, expiresInSeconds = DEFAULT_SECONDS } = input;
    const maker = await makerOf(principal, store);
    const permissions = permissionsOf(principal, { permissions: input.permissions ?? [...principal.grants] });
    if (LIKE_AN_ACTOR.test(subject))
      throw invalid('body.subject', 'may not look like a key, a link or a command', 'send an id of the person');
    const createdAt = clock.now();
    // The first token creates the signing key.
    const signingKeys = { ...store, replaceSigningKey: changes.replaceSigningKey };
    const signingKey = await currentSigningKey({ store: signingKeys, clock, newId });
    const claims = { sub: subject, workspaceId: principal.workspaceId, permissions, keyId: maker.id };
    const life = { now: createdAt, lifeMs: expiresInSeconds * 1000 };
    const signed = await signToken(signingKey, claims, life).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      throw invalid('body.permissions', 'make the token too long', 'name fewer permissions');
    });
    const expiresAt = Math.min(signed.expiresAt, maker.expiresAt ?? signed.expiresAt);
    const { made, outcome } = await create({ token: signed.token, expiresAt }, (changes) =>
      changes.recordToken(maker.id, { subject, permissions, expiresAt, createdAt }),
    );
    if (outcome !== 'recorded') throw problemOf(outcome);
    return made;
  },
});
