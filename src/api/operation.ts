import Type, { type Static, type TSchema } from 'typebox';
import type { Permission } from '../access/permissions.ts';
import type { Principal } from '../access/principal-cache.ts';
import type { Clock } from '../clock.ts';
import type { NewId } from '../ids.ts';
import type { RateLimits } from '../ratelimit/decision.ts';
import type { Paged, Store } from '../store/contract/store.ts';
import type { ErrorNaming, ProblemCode } from './errors.ts';
import { closed, Meta, Pagination } from './schemas.ts';

/** What the operator decides about the API. */
export interface ApiSettings extends ErrorNaming {
  /** Targets of new domains are made under this zone. Canonical form. */
  cnameZone: string;
  /** Names that may not be attached, with everything below them; the CNAME zone is one anyway. */
  reservedNames: readonly string[];
  /** Defaults, which a workspace's own limits override. */
  rateLimits: RateLimits;
  /** Networks (`10.0.0.0/8`) of proxies that are believed about where a request comes from (`X-Forwarded-For`). */
  trustedProxies?: readonly string[] | undefined;
  /** Length of the verification window. */
  windowMs: number;
}

/** What handlers work with. */
export interface Context {
  store: Store;
  clock: Clock;
  newId: NewId;
  /** From a CSPRNG. */
  randomBytes: (bytes: number) => Uint8Array;
  settings: ApiSettings;
}

/** One call of an operation: a caller who was let in, and an input that fulfils the request schema. */
export interface Call<Input> extends Context {
  principal: Principal;
  input: Input;
}

/** What every operation says of itself. */
interface Description<Request extends TSchema> {
  /** `<group>.<operation>`: its path, and the name under which it is limited, counted and logged. */
  name: string;
  summary: string;
  description: string;
  permission: Permission;
  /** The permission is needed for all resources of its kind: the one concerned is not there yet, or there are many. */
  onAll?: true;
  request: Request;
  /** Refusals of its own; those that every operation has are added. */
  problems: readonly ProblemCode[];
}

/** An operation as the server and the documentation see it. */
export interface Operation extends Description<TSchema> {
  status: 200 | 202;
  /** Schema of the whole answer. */
  answer: TSchema;
  example: { request: unknown; answer: Answer };
  handle(call: Call<unknown>): Promise<Answer>;
}

/** An answer before its `meta` is added. */
export interface Answer {
  data: unknown;
  pagination?: { cursor?: string; hasMore: boolean };
}

/** Defines an operation that answers with one object. */
export function defineOperation<Request extends TSchema, Data extends TSchema>(
  operation: Description<Request> & {
    status?: 202;
    response: Data;
    example: { request: Static<Request>; response: Static<Data> };
    handle(call: Call<Static<Request>>): Promise<Static<Data>>;
  },
): Operation {
  const { example, response, status = 200 } = operation;
  return {
    ...operation,
    status,
    answer: Type.Object({ meta: Meta, data: response }, closed),
    example: { request: example.request, answer: { data: example.response } },
    // The server has validated the input against the request schema.
    handle: async (call) => ({ data: await operation.handle(call as Call<Static<Request>>) }),
  };
}

/** Defines an operation that answers with one page of a list. */
export function defineList<Request extends TSchema, Item extends TSchema>(
  operation: Description<Request> & {
    item: Item;
    example: { request: Static<Request>; items: Static<Item>[] };
    handle(call: Call<Static<Request>>): Promise<Paged<Static<Item>>>;
  },
): Operation {
  const { example, item } = operation;
  return {
    ...operation,
    status: 200,
    answer: Type.Object({ meta: Meta, data: Type.Array(item), pagination: Pagination }, closed),
    example: { request: example.request, answer: page({ items: example.items }) },
    handle: async (call) => page(await operation.handle(call as Call<Static<Request>>)),
  };
}

function page({ items, next }: Paged<unknown>): Answer {
  return { data: items, pagination: next === undefined ? { hasMore: false } : { cursor: next, hasMore: true } };
}
