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
        "The `Host` header that the origin gets: `visitor` (the name that was requested), `origin` (the host of the origin's URL), or a fixed name. `X-Forwarded-Host` is always the requested name.",
    }),
    secret: Type.Optional(
      Type.Object(
        {
          createdAt: Time('When the secret was created.'),
          previousExpiresAt: Type.Optional(Time('Until when the edge also sends the previous secret.')),
        },
        {
          description:
            'About the secret that the edge sends; absent if it sends none. The secret itself is shown only when it is created.',
        },
      ),
    ),
    clientCertificate: Type.Optional(
      Type.String({ description: 'Certificate that the edge presents to https origins, PEM.' }),
    ),
    sendExternalId: Type.Boolean({ description: 'Whether origins get the header `Nameplate-External-Id`.' }),
    caCertificate: Type.Optional(
      Type.String({
        description: 'The CAs whose certificates the edge accepts from https origins, PEM. Absent: public CAs.',
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
  summary: 'Change the origin settings of an environment',
  description:
    'Changes the settings in the request: null removes a setting, and absent settings stay as they are. Within a second, the settings apply to every origin of the environment. `secret: null` ends the secret at once; `environments.rotateOriginSecret` creates one.',
  permission: { resource: 'environment', action: 'update_origin_settings' },
  gives:
    'the response contains the current settings, without `read_origin_settings`. If an origin is a host that serves many sites, `hostHeader` decides which site gets the traffic',
  request: Type.Object(
    {
      ...environmentPath,
      hostHeader: orNull(
        Type.String({
          minLength: 1,
          maxLength: 253,
          pattern: HOST_HEADER,
          description:
            "The `Host` header that the origin gets: `visitor` (the name that was requested), `origin` (the host of the origin's URL), or a fixed name. An https origin also gets this name as the server name (SNI), and its certificate must be valid for it. Null: `visitor`.",
        }),
      ),
      clientCertificate: orNull(
        Type.Object(
          {
            certificate: Type.String({
              minLength: 1,
              maxLength: MAX_PEM,
              description: 'The certificate and its chain, PEM.',
            }),
            privateKey: Type.String({
              minLength: 1,
              maxLength: MAX_PEM,
              description:
                'The private key of the certificate, PEM, not encrypted. It is stored encrypted and never shown.',
            }),
          },
          { ...closed, description: 'Certificate that the edge presents to https origins (mTLS). Null: none.' },
        ),
      ),
      caCertificate: orNull(
        Type.String({
          minLength: 1,
          maxLength: MAX_PEM,
          description:
            'CA certificates, PEM. The edge accepts only certificates from these CAs from https origins. Null: public CAs.',
        }),
      ),
      sendExternalId: orNull(
        Type.Boolean({
          description:
            'If true, each request to an origin has the header `Nameplate-External-Id` with the external id of the domain, in percent-encoded UTF-8 (`decodeURIComponent` decodes it). Visitors cannot set this header.',
        }),
      ),
      secret: Type.Optional(Type.Unsafe<null>({ type: ['null'], description: 'Null: stop sending a secret.' })),
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
  summary: 'Get the origin settings of an environment',
  description:
    'Retrieves how the edge sends requests to the origins of the environment, without the secret and the private key.',
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
  summary: 'Create or rotate the origin secret of an environment',
  description:
    'Creates the first secret or replaces the current one. The edge sends the secret with every request to an origin, in the header `Nameplate-Edge-Secret`. During the overlap it sends the new secret and the previous one, separated by a comma and a space. The secret is shown only once. Anyone who can create a deployment in the environment can have the secret sent to their own server.',
  permission: { resource: 'environment', action: 'update_origin_settings' },
  replaces: 'secret',
  request: Type.Object(
    {
      ...environmentPath,
      overlapSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 30 * DAY_SECONDS,
          description: 'How long the edge also sends the previous secret; one day if absent. Use 0 if it has leaked.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object({
    secret: Type.String({ description: 'The new secret. Begins with `npe_`.' }),
    previousExpiresAt: Time('Until when the edge also sends the previous secret, if there was one.'),
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
