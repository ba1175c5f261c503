import Type, { type Static } from 'typebox';
import type { OriginSettingsChange, ShownOriginSettings } from '../store/store.ts';
import { readCaCertificate, readClientCertificate } from './client-certificate.ts';
import { Problem } from './errors.ts';
import { defineOperation } from './operation.ts';
import { closed, environmentPath, exampleEnvironmentPath, Id, orNull, pattern, shownBy, Time } from './schemas.ts';
import { exampleEnvironment } from './tree.ts';

/** How the edge asks the origins of an environment. */

/** Some ten certificates. */
const MAX_PEM = 16_384;
const HOST_HEADER = pattern(
  '^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$',
  'must be "visitor", "origin", or the name of a host in lower case, without a port',
);
const DAY_SECONDS = 86_400;
/** 256 bits. */
const SECRET_BYTES = 32;

const OriginSettingsSchema = Type.Object(
  {
    environmentId: Id('env', 'The environment.'),
    hostHeader: Type.String({
      description:
        "`Host` that the origin gets: `visitor` (the name that was asked for), `origin` (that of its URL), or a fixed name. `X-Forwarded-Host` is always the visitor's.",
    }),
    secret: Type.Optional(
      Type.Object(
        {
          createdAt: Time('Creation of the secret that is sent.'),
          previousExpiresAt: Type.Optional(Time('Until when the secret before is sent too.')),
        },
        { description: 'Absent: no secret is sent. The secret itself is shown only when it is made.' },
      ),
    ),
    clientCertificate: Type.Optional(
      Type.String({ description: 'Certificate that the edge shows to https origins, PEM.' }),
    ),
    sendExternalId: Type.Boolean({ description: 'Whether origins get `Nameplate-External-Id`.' }),
    caCertificate: Type.Optional(
      Type.String({
        description: 'The CAs that certificates of https origins have to be of, PEM. Absent: public CAs.',
      }),
    ),
  },
  { title: 'OriginSettings' },
);
const show = shownBy(OriginSettingsSchema);

const NOTHING_SET: Omit<ShownOriginSettings, 'environmentId'> = {
  hostHeader: 'visitor',
  caCertificate: null,
  clientCertificate: null,
  secretCreatedAt: null,
  previousExpiresAt: null,
  sendExternalId: false,
};

function present(settings: ShownOriginSettings, now: number): Static<typeof OriginSettingsSchema> {
  const { secretCreatedAt: createdAt, previousExpiresAt, ...shown } = settings;
  const isPreviousSent = previousExpiresAt !== null && now < previousExpiresAt;
  return show({
    ...shown,
    secret: createdAt === null ? null : { createdAt, previousExpiresAt: isPreviousSent ? previousExpiresAt : null },
  });
}

const exampleSettings = present(
  {
    ...NOTHING_SET,
    environmentId: exampleEnvironment.id,
    hostHeader: 'origin',
    secretCreatedAt: exampleEnvironment.createdAt,
  },
  exampleEnvironment.createdAt,
);

export const updateOriginSettings = defineOperation({
  name: 'environments.updateOriginSettings',
  summary: 'Set how the edge sends requests to the origins of an environment',
  description:
    'Changes what is given: null removes, and what is absent stays. The settings apply to every origin of the environment, from the next request within a second on. `secret: null` ends the secret at once; `environments.rotateOriginSecret` makes one.',
  permission: { resource: 'environment', action: 'update_origin_settings' },
  gives:
    'the settings as they are now, without `read_origin_settings`. Where an origin is a host that serves many sites, `hostHeader` decides which of them gets the traffic',
  request: Type.Object(
    {
      ...environmentPath,
      hostHeader: orNull(
        Type.String({
          minLength: 1,
          maxLength: 253,
          pattern: HOST_HEADER,
          description:
            '`Host` that the origin gets: `visitor`, `origin` (the host of its URL), or a name. An https origin is then also asked for that name (SNI), and its certificate has to be for it. Null: `visitor`.',
        }),
      ),
      clientCertificate: orNull(
        Type.Object(
          {
            certificate: Type.String({ minLength: 1, maxLength: MAX_PEM, description: 'PEM, with its chain.' }),
            privateKey: Type.String({
              minLength: 1,
              maxLength: MAX_PEM,
              description: 'Its private key, PEM, not encrypted. It is stored sealed and never shown.',
            }),
          },
          { ...closed, description: 'The edge shows it to https origins (mTLS). Null: nothing is shown.' },
        ),
      ),
      caCertificate: orNull(
        Type.String({
          minLength: 1,
          maxLength: MAX_PEM,
          description: 'PEM. Only certificates below these CAs are accepted from https origins. Null: public CAs.',
        }),
      ),
      sendExternalId: orNull(
        Type.Boolean({
          description:
            'If true, each request to an origin has the external id of its domain as `Nameplate-External-Id`, percent-encoded UTF-8 (`decodeURIComponent` decodes it). Visitors cannot send this field.',
        }),
      ),
      secret: Type.Optional(Type.Unsafe<null>({ type: ['null'], description: 'Null: no secret is sent any more.' })),
    },
    closed,
  ),
  response: OriginSettingsSchema,
  problems: ['data/environment_not_found', 'application/sealing_unavailable'],
  example: { request: { ...exampleEnvironmentPath, hostHeader: 'origin' }, response: exampleSettings },
  async handle({ principal: { workspaceId }, input, find, changes }, { clock }) {
    const { hostHeader, clientCertificate, caCertificate, sendExternalId, secret } = input;
    const change: OriginSettingsChange = {
      hostHeader: hostHeader === 'visitor' ? null : hostHeader,
      clientCertificate: clientCertificate && readClientCertificate(clientCertificate, clock.now()),
      caCertificate: caCertificate && readCaCertificate(caCertificate),
      sendExternalId,
      secret,
    };
    const { id } = await find.environment(input);
    const updated = await changes.updateOriginSettings(workspaceId, id, change);
    if (updated === null) throw new Problem('data/environment_not_found');
    return present(updated, clock.now());
  },
});

export const getOriginSettings = defineOperation({
  name: 'environments.getOriginSettings',
  summary: 'Get how the edge sends requests to the origins of an environment',
  description: 'Retrieves the settings, without the secret and the private key.',
  permission: { resource: 'environment', action: 'read_origin_settings' },
  request: Type.Object(environmentPath, closed),
  response: OriginSettingsSchema,
  problems: ['data/environment_not_found'],
  example: { request: exampleEnvironmentPath, response: exampleSettings },
  async handle({ input, find }, { store, clock }) {
    const { id } = await find.environment(input);
    const found = await store.findOriginSettings(id);
    return present(found ?? { ...NOTHING_SET, environmentId: id }, clock.now());
  },
});

export const rotateOriginSecret = defineOperation({
  name: 'environments.rotateOriginSecret',
  summary: 'Make a secret for the origins of an environment',
  description:
    'Makes the first secret, or replaces it. The edge sends it with every request as `Nameplate-Edge-Secret`. During the overlap it sends the new one and the previous one, separated by a comma and a space. The secret is shown only once. Whoever may deploy to the environment can have it sent to their own server.',
  permission: { resource: 'environment', action: 'update_origin_settings' },
  replaces: 'secret',
  request: Type.Object(
    {
      ...environmentPath,
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description: 'How long the secret before is sent too; a day if absent. 0 if it has leaked.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object({
    secret: Type.String({ description: 'The new secret. Begins with `npe_`.' }),
    previousExpiresAt: Time('Until when the secret before is sent too, if there was one.'),
  }),
  problems: ['data/environment_not_found', 'application/sealing_unavailable'],
  example: {
    request: exampleEnvironmentPath,
    response: {
      secret: `npe_${'example0'.repeat(5)}000`,
      previousExpiresAt: exampleEnvironment.createdAt + DAY_SECONDS * 1000,
    },
  },
  async handle({ principal: { workspaceId }, input, find, create }, { clock, randomBytes }) {
    const { id } = await find.environment(input);
    const createdAt = clock.now();
    // Without characters that the configuration of a server would have to quote.
    const secret = `npe_${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64url')}`;
    const previousExpiresAt = createdAt + (input.overlapSeconds ?? DAY_SECONDS) * 1000;
    const text = new TextEncoder().encode(secret);
    const { made, outcome } = await create({ secret, previousExpiresAt }, (changes) =>
      changes.rotateOriginSecret(workspaceId, id, { text, createdAt }, previousExpiresAt),
    );
    if (outcome === 'missing') throw new Problem('data/environment_not_found');
    return made;
  },
});
