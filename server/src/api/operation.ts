import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import type { RateLimits } from '../access/ratelimit/decision.ts';
import type { Principal } from '../access/root-key-cache.ts';
import type { Clock } from '../base/clock.ts';
import type { NewId } from '../base/ids.ts';
import type { BoardCounts } from '../domain/board.ts';
import type { ConnectSettings } from '../domain/domain-connect.ts';
import type { Kept } from '../store/cache/kept-counts.ts';
import type {
  AuditedStore,
  Board,
  CaLimit,
  Changes,
  DomainCounts,
  LinkPurpose,
  Paged,
  RateLimit,
} from '../store/store.ts';
import type { Diagnoser } from '../verification/observation/diagnoser.ts';
import type { DashboardProxy } from './dashboard/proxy-identity.ts';
import type { ErrorNaming, ProblemCode } from './errors.ts';
import type { Find, Needed } from './find.ts';
import type { Create, Creates } from './idempotency.ts';
import type { CountRequest } from './request-hooks.ts';
import { closed, Meta, Pagination } from './schemas.ts';
import type { Watchers } from './watchers/watchers.ts';

/** The operator's settings of the API. */
export interface ApiSettings extends ErrorNaming {
  /** Targets of new domains are created under this zone. Canonical form. */
  cnameZone: string;
  /** The CAs that certificates are ordered from, and the limits of each; absent where there are none. */
  ordering?: { issuers: readonly string[]; limits: readonly CaLimit[] } | undefined;
  /** The zone for challenges, where the operator has one. */
  challengeZone?: string | undefined;
  /**
   * IP addresses that lead to the edge: what customers publish for an apex domain whose provider has no ALIAS record.
   */
  edgeAddresses?: readonly string[] | undefined;
  /** How the certificate authorities identify themselves in CAA records; empty where they are not known. */
  caNames?: readonly string[] | undefined;
  /** The zone for challenges that new wildcards get; null: they need none. Absent: no certificate could be had, so they are refused. */
  wildcards?: { challengeZone: string | null } | undefined;
  /** How DNS providers know this installation; absent: the operator has not set it up. */
  domainConnect?: ConnectSettings | undefined;
  /** Names that may not be attached, with everything below them; the CNAME zone is always one. */
  reservedNames: readonly string[];
  /** Defaults; a workspace's own limits override them. */
  rateLimits: RateLimits;
  /** Origin at which browsers reach this API: set-up links lead there. Without it there are none. */
  publicUrl?: string | undefined;
  /** Networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: readonly string[] | undefined;
  /** This process has an edge or a DNS server too, which serves what it has cached while the store is down. */
  servesNames?: boolean;
  /** The edge of this process, if it forwards requests to this API, and where it connects from. */
  edge?: { secret: string; networks: readonly string[] } | null | undefined;
  /** A reverse proxy that signs people in to the dashboard. */
  dashboardProxy?: DashboardProxy | undefined;
  webhooks: WebhookSettings;
  /** Length of the verification window. */
  windowMs: number;
  /** How long a deleted domain can be restored; 0: not at all. */
  deletedKeepMs: number;
}

export interface WebhookSettings {
  perWorkspace: number;
  /** Schemes that a webhook's URL may have. */
  schemes: readonly ('https' | 'http')[];
  /** Networks of special addresses that a webhook's URL may have. */
  allowedNetworks: readonly string[];
}

/** Handlers may use these; they are the same for every call. */
export interface HandlerContext {
  /** Reads the store. Changes go through `create` and `changes` of a call, which know the caller. */
  store: AuditedStore;
  clock: Clock;
  newId: NewId;
  /** From a CSPRNG. */
  randomBytes: (bytes: number) => Uint8Array;
  settings: ApiSettings;
  diagnoser: Diagnoser;
  /** The note of an apex's routing record. */
  apexNote: string;
  /** Counts a call against the rate limit of another operation than its own. */
  countRequest: CountRequest;
  /** Counts the domains of a workspace, or answers with what it counted less than a minute ago. */
  countDomains(workspaceId: string): Promise<Kept<DomainCounts>>;
  /** The same for what a board shows. */
  countSites(workspaceId: string, board: Board): Promise<Kept<BoardCounts>>;
}

/** One call of an operation: an authenticated caller, and an input that is valid by the request schema. */
export interface OperationCall<Input> {
  principal: Principal;
  input: Input;
  /** Creates or replaces something; for operations that declare `creates` or `replaces`. */
  create: Create;
  /** Changes of the store; they add entries to the audit log that name the caller. */
  changes: Changes;
  find: Find;
  /** Names the domain of the call in the request log, where `find` does not. */
  noteDomain(domainId: string): void;
}

type Handler<Input, Result> = (call: OperationCall<Input>, context: HandlerContext) => Promise<Result>;

interface OperationBase<Request extends TSchema> {
  /** `<group>.<operation>`: its path, and its name in rate limits, metrics and logs. */
  name: string;
  summary: string;
  description: string;
  /** The limit of a workspace, unless the operator or the limits of the workspace set another. */
  rateLimit?: RateLimit;
  /**
   * It creates something, and takes an `Idempotency-Key`. `secret`: what it makes holds a secret, which is sealed where
   * it is kept for repeats.
   */
  creates?: Creates;
  /** The same for an operation that replaces something by what it makes, so that a repeat must not do it again. */
  replaces?: Creates;
  request: Request;
  /** Errors of its own, besides those of every operation. */
  problems: readonly ProblemCode[];
}

/** Its caller has a root key or a dashboard token, with the permission and those that it `needs` beside. */
interface Keyed extends Needed {
  /** Its holder can do or learn this by it, beyond its name: for the table of permissions. */
  gives?: string;
  /**
   * The permission must be on all resources of its kind: the resource does not exist yet, or there are many.
   * `workspace`: they are those of the workspace, and a caller without the permission is refused by name; otherwise
   * `find` looks for their parent, with this permission.
   */
  onAll?: true | 'workspace';
  /** Sessions of links with these purposes may call it too, for their domain: the property `domain` of the request. */
  sessions?: readonly LinkPurpose[];
}

/** Its caller has the token of a set-up link, which is the property `token` of the request. */
interface Open {
  credential: 'setup_token';
}

interface Json {
  status: 200 | 202;
  /** Schema of the response, envelope included. */
  response: TSchema;
  example: { request: unknown; result: OperationResult };
  handle: Handler<unknown, OperationResult>;
}

/** An operation that needs a key, as the server and the documentation use it. */
export type Operation = JsonOperation | StreamOperation;

/** Responds with one JSON document. */
export interface JsonOperation extends OperationBase<TSchema>, Keyed, Json {}

/** Responds with one JSON document, and needs no key. */
export interface OpenOperation extends OperationBase<TSchema>, Open, Json {}

/** Responds with server-sent events, for as long as there may be any. */
export interface StreamOperation extends OperationBase<TSchema>, Keyed {
  status: 200;
  /** `response`: the events. */
  example: { request: unknown; response: string };
  /** Begins the response. Rejects with a `Problem` where that is not possible. */
  open(call: StreamCall<unknown>, exchange: Exchange, watchers: Watchers): Promise<void>;
}

type StreamCall<Input> = Pick<OperationCall<Input>, 'principal' | 'input'>;

/** A request and its reply, as Fastify has them. */
interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

export function isStream(operation: Operation | OpenOperation): operation is StreamOperation {
  return 'open' in operation;
}

/**
 * The result of a handler for an object that the store's cache may return again and again. It is presented and
 * serialised once, for as long as that object lives. `present` may depend on the object alone, and on what is the same
 * for every call.
 */
export class PresentedOnce<Data> {
  readonly object: object;
  readonly present: () => Data;

  constructor(object: object, present: () => Data) {
    this.object = object;
    this.present = present;
  }
}

/** A response body without its `meta`. */
export interface OperationResult {
  data: unknown;
  pagination?: { cursor?: string; hasMore: boolean };
}

/** Whether an operation takes an `Idempotency-Key`, and whether what it makes holds a secret. */
export function madeOnceBy({ creates, replaces }: Pick<OperationBase<TSchema>, 'creates' | 'replaces'>) {
  return creates ?? replaces;
}

/** Defines an operation that responds with one object. */
interface ObjectDefinition<Request extends TSchema, Data extends TSchema> extends OperationBase<Request> {
  status?: 202;
  response: Data;
  example: { request: Static<Request>; response: Static<Data> };
  handle: Handler<Static<Request>, Static<Data> | PresentedOnce<Static<Data>>>;
}

/** Defines an operation that responds with one object. */
export function defineOperation<Request extends TSchema, Data extends TSchema>(
  operation: ObjectDefinition<Request, Data> & Keyed,
): JsonOperation {
  return { ...operation, ...withEnvelope(operation) };
}

/** Defines an operation that needs no key. */
export function defineOpenOperation<Request extends TSchema, Data extends TSchema>(
  operation: ObjectDefinition<Request, Data> & Open,
): OpenOperation {
  return { ...operation, ...withEnvelope(operation) };
}

function withEnvelope<Request extends TSchema, Data extends TSchema>(operation: ObjectDefinition<Request, Data>): Json {
  const { example, response, status = 200 } = operation;
  return {
    status,
    response: Type.Object({ meta: Meta, data: response }, { ...closed, title: envelopeName(operation) }),
    example: { request: example.request, result: { data: example.response } },
    // The server has validated the input against the request schema.
    handle: async (call, context) => ({
      data: await operation.handle(call as OperationCall<Static<Request>>, context),
    }),
  };
}

/** `GetDomainResponse` for `domains.getDomain`: what generated clients call the envelope. */
function envelopeName({ name }: { name: string }): string {
  const operation = operationIdOf(name);
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Response`;
}

/** `getDomain` for `domains.getDomain`: unique over all groups, since generated clients have functions of this name. */
export function operationIdOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

/** Defines an operation that responds with one page of a list. */
export function defineList<Request extends TSchema, Item extends TSchema>(
  operation: OperationBase<Request> &
    Keyed & {
      item: Item;
      example: { request: Static<Request>; items: Static<Item>[] };
      handle: Handler<Static<Request>, Paged<Static<Item>>>;
    },
): JsonOperation {
  const { example, item } = operation;
  return {
    ...operation,
    status: 200,
    response: Type.Object(
      { meta: Meta, data: Type.Array(item), pagination: Pagination },
      { ...closed, title: envelopeName(operation) },
    ),
    example: { request: example.request, result: toPage({ items: example.items }) },
    handle: async (call, context) => toPage(await operation.handle(call as OperationCall<Static<Request>>, context)),
  };
}

/** Defines an operation that responds with events. */
export function defineStream<Request extends TSchema>(
  operation: OperationBase<Request> &
    Keyed & {
      example: { request: Static<Request>; response: string };
      open(call: StreamCall<Static<Request>>, exchange: Exchange, watchers: Watchers): Promise<void>;
    },
): StreamOperation {
  return {
    ...operation,
    status: 200,
    open: (call, ...rest) => operation.open(call as StreamCall<Static<Request>>, ...rest),
  };
}

function toPage({ items, next }: Paged<unknown>): OperationResult {
  return { data: items, pagination: next === undefined ? { hasMore: false } : { cursor: next, hasMore: true } };
}
