import Type, { type Static, type TObject } from 'typebox';
import { closed, GivenTime, orNull } from '../../api/schemas.ts';
import { checkerOf, invalid } from '../../api/validation.ts';
import { REDIRECT_STATUSES } from '../../domain/redirect.ts';

/** Bodies and queries of the vendor's API, as its reference describes them. */

const redirection = {
  gitBranch: orNull(Type.String({ maxLength: 250 })),
  redirect: orNull(Type.String()),
  redirectStatusCode: orNull(Type.Enum([301, 302, 307, 308], { type: 'integer' })),
};

const Addition = Type.Object(
  { name: Type.String(), customEnvironmentId: Type.Optional(Type.String()), ...redirection },
  closed,
);
const Update = Type.Object(redirection, closed);
const Removal = Type.Object({ removeRedirects: Type.Optional(Type.Boolean()) }, closed);

const Flag = Type.Optional(Type.Enum(['true', 'false'], { type: 'string' }));
const Filters = Type.Object({
  production: Flag,
  target: Type.Optional(Type.Enum(['production', 'preview'], { type: 'string' })),
  customEnvironmentId: Type.Optional(Type.String()),
  gitBranch: Type.Optional(Type.String()),
  redirects: Flag,
  redirect: Type.Optional(Type.String()),
  verified: Flag,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  since: Type.Optional(GivenTime('Only domains created after that.')),
  until: Type.Optional(GivenTime('Only domains created before this time.')),
  order: Type.Optional(Type.Enum(['ASC', 'DESC'], { type: 'string' })),
});

export type Listing = Static<typeof Filters>;
export type Redirection = Pick<Static<typeof Update>, 'redirect' | 'redirectStatusCode'>;

export const readAddition = (body: unknown) => supported(reader(Addition)(body));
export const readUpdate = (body: unknown) => supported(reader(Update)(body));
export const readRemoval = reader(Removal);

export function readListing(query: unknown): Listing {
  const numbers = Object.entries(query as Record<string, unknown>)
    .filter(([name, value]) => ['limit', 'since', 'until'].includes(name) && value !== '')
    .map(([name, value]) => [name, Number(value)]);
  return reader(Filters)({ ...(query as object), ...Object.fromEntries(numbers) });
}

/** Reads what a schema describes. Throws a `Problem` that names each violation. */
function reader<Schema extends TObject>(schema: Schema): (value: unknown) => Static<Schema> {
  const check = checkerOf(schema);
  return (value) => {
    check(value);
    return value as Static<Schema>;
  };
}

type Unsupported = { gitBranch?: string | null; customEnvironmentId?: string } & Redirection;

/** Refuses what the vendor's API has and this server does not. */
function supported<Request extends Unsupported>(request: Request): Request {
  const { gitBranch = null, customEnvironmentId, redirect = null, redirectStatusCode: status = null } = request;
  if (gitBranch !== null) throw invalid('body.gitBranch', 'is not supported: this server has no branches');
  if (customEnvironmentId !== undefined) {
    throw invalid('body.customEnvironmentId', 'is not supported: each environment of this server is a project here');
  }
  if (status !== null && !REDIRECT_STATUSES.some((known) => known === status)) {
    throw invalid('body.redirectStatusCode', 'must be 301 or 308: this server has no temporary redirects');
  }
  if ('name' in request && status !== null && redirect === null) {
    throw invalid('body.redirectStatusCode', 'must come with `redirect`');
  }
  return request;
}
