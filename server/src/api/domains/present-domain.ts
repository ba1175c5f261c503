import Type from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import { closed, Id, Time } from '../schemas.ts';

export const DnsRecordSchema = Type.Object(
  {
    type: Type.Enum(['CNAME', 'ALIAS', 'TXT'], {
      type: 'string',
      description:
        '`ALIAS` stands for the record that DNS providers call ALIAS, ANAME or flattened CNAME. An apex domain needs it in place of a CNAME.',
    }),
    name: Type.String({ minLength: 1, maxLength: 253, description: 'Fully qualified name of the record.' }),
    value: Type.String({ minLength: 1, maxLength: 512, description: 'The exact value to publish.' }),
    ttl: Type.Integer({ minimum: 1, description: 'How many seconds resolvers may cache the record.' }),
    verified: Type.Boolean({ description: 'Whether the record was found with the expected value.' }),
    note: Type.Optional(
      Type.String({ maxLength: 512, description: 'Human-readable note on the purpose of the record.' }),
    ),
  },
  { ...closed, title: 'DnsRecord' },
);

export const dnsRecordsSchema = Type.Array(DnsRecordSchema, {
  minItems: 1,
  description: 'The DNS records that the domain needs. Their values never change.',
});

export const DomainSchema = Type.Object(
  {
    id: Type.String({ minLength: 3, maxLength: 255, pattern: '^[a-zA-Z0-9_-]+$', description: 'Begins with `dom_`.' }),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Canonical name: lower case, Punycode.' }),
    projectId: Id('proj', "The project of the domain's environment."),
    appId: Id('app', "The app of the domain's environment."),
    environmentId: Id('env', 'The environment that the domain is attached to.'),
    status: Type.Enum(['pending', 'verifying', 'verified', 'failed'], {
      type: 'string',
      description:
        '`pending`: no check has completed yet. `verifying`: the records do not prove ownership yet. `verified`: they do. `failed`: they did not within 24 hours, or the domain was lost later; `verificationError` says why.',
    }),
    verificationError: Type.Optional(
      Type.String({
        maxLength: 512,
        description:
          'Why the domain failed, or what prevents its verification. While checks run, records that are only missing are not reported here.',
      }),
    ),
    dnsRecords: dnsRecordsSchema,
    createdAt: Time('Creation.'),
    updatedAt: Type.Optional(Time('Last change; absent if there was none.')),
  },
  { ...closed, title: 'Domain', description: 'The domain and its verification.' },
);

/** Identifies a domain in a request (spec: domains.getDomain). */
export const DomainIdentifier = Type.String({
  minLength: 4,
  maxLength: 253,
  description: 'Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode.',
});

const NOON = Date.UTC(2026, 10, 20, 12);

/** A domain for the examples of the documentation. */
export const exampleDomain: Domain = {
  id: 'dom_01kaghn1h2f7n8v3q0y6w5t4r9',
  workspaceId: 'ws_01kaghm5q6e8x9b2c3d4f5g6h7',
  projectId: 'proj_01kaghm8z1c2v3b4n5m6a7s8d9',
  appId: 'app_01kaghmc3w4e5r6t7y8a9p0s1d',
  environmentId: 'env_01kaghmf7g8h9j0k1m2n3b4v5c',
  name: 'api.example.com',
  kind: 'subdomain',
  service: 'service',
  target: 'k7q2m9x4c1v8b3n6.cname.nameplate.example',
  token: 'Zt4mQ8rV1xKc7NwLb2YpH5sJ',
  status: 'verifying',
  routingVerifiedAt: null,
  ownershipVerifiedAt: NOON,
  challengeZone: null,
  challengeVerifiedAt: null,
  verificationError: null,
  createdAt: NOON,
  updatedAt: NOON + 60_000,
  verifiedAt: null,
  windowStartedAt: NOON,
  revision: 1,
  externalId: null,
  metadata: null,
  sharedAddresses: null,
};
