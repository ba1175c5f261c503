import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { createCookieSecret, hashOfCookie, hashOfLink } from '../../access/dashboard-secrets.ts';
import { signToken } from '../../access/dashboard-token.ts';
import type { FailureLimit } from '../../access/failure-limit.ts';
import { currentSigningKey } from '../../access/signing-key.ts';
import type { Author, Changes, DashboardSession, Store } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import type { LoadShedder } from '../load-shedding.ts';
import type { HandlerContext } from '../operation.ts';
import { tooManyFailures } from '../request-hooks.ts';
import type { RecordRequest } from '../request-log.ts';
import { closed } from '../schemas.ts';
import type { Watchers } from '../watchers/watchers.ts';
import { type DashboardProxy, proxyIdentity } from './proxy-identity.ts';

interface DashboardDeps {
  store: Store;
  context: Pick<HandlerContext, 'clock' | 'newId' | 'randomBytes'>;
  settings: {
    dashboardProxy?: DashboardProxy | undefined;
    publicUrl?: string | undefined;
    edge?: { secret: string } | null | undefined;
  };
  failures: FailureLimit;
  loadShedder: Pick<LoadShedder, 'admit'>;
  watchers: Pick<Watchers, 'openForSession'>;
  recordRequest: RecordRequest;
}

/** How long a session lasts, whatever its person does. */
const SESSION_MS = 12 * 3_600_000;
/** A page gets another token before this one expires. */
const TOKEN_MS = 60_000;
const BODY_LIMIT_BYTES = 1024;

const OpenBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 255 }) }, closed);
const SignOutBody = Type.Object({ everywhere: Type.Optional(Type.Boolean()) }, closed);
const NoBody = Type.Object({}, closed);

/**
 * The sessions of the dashboard: a link that works once becomes a cookie that no script reads, and the cookie gets tokens of a minute. The paths are the
 * dashboard's own; the API has none of them.
 */
export function serveDashboardSessions(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, context, settings, failures, loadShedder, watchers, recordRequest } = deps;
  const { clock, newId, randomBytes } = context;
  const { dashboardProxy: proxy, publicUrl = '' } = settings;
  // A proxy that nobody named as trusted may end TLS: browsers then come over HTTPS all the same.
  const isSecure = ({ protocol }: FastifyRequest) => protocol === 'https' || publicUrl.startsWith('https:');
  const personOf = proxy && proxyIdentity(proxy, settings.edge?.secret ?? null);

  /** `handle` resolves with null where it responds itself. */
  function route<Body extends Parameters<typeof Type.Object>[0] | object>(
    name: string,
    body: object,
    handle: (request: FastifyRequest<{ Body: Body }>, reply: FastifyReply) => Promise<object | null>,
  ): void {
    app.post<{ Body: Body }>(`/dashboard/${name}`, {
      config: { operation: `dashboard.${name}` },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: { body },
      async onRequest(request) {
        loadShedder.admit();
        refuseOtherOrigins(request, isSecure(request));
      },
      async handler(request, reply) {
        reply.header('Cache-Control', 'no-store');
        const data = await handle(request as never, reply);
        return data === null ? reply : { meta: { requestId: request.id }, data };
      },
    });
  }

  function changesOf(request: FastifyRequest, actor: string, action: string): Changes {
    const author: Author = { kind: 'dashboard_token', actor, action, from: request.ip, requestId: request.id };
    return store.changesBy(author);
  }

  /** Counts a secret that opens nothing as a failure, like that of a key. */
  async function findByHash(request: FastifyRequest, hash: Uint8Array | null): Promise<DashboardSession | null> {
    const retryAfterSeconds = failures.retryAfterSeconds(request.ip);
    if (retryAfterSeconds !== null) throw tooManyFailures(retryAfterSeconds);
    const session = hash && (await store.findDashboardSessionByHash(hash));
    if (session === null) failures.countFailure(request.ip);
    return session;
  }

  async function sessionOf(request: FastifyRequest): Promise<DashboardSession | null> {
    const secret = cookieOf(request, isSecure(request));
    if (secret === undefined) return null;
    const session = await findByHash(request, hashOfCookie(secret));
    return session?.openedAt && session.expiresAt > clock.now() ? session : null;
  }

  async function tokenFor(claims: { sub: string; workspaceId: string; permissions: string[]; sessionId?: string }) {
    const signingKeys = { ...store, replaceSigningKey: store.replaceSigningKey };
    const key = await currentSigningKey({ store: signingKeys, clock, newId });
    const signed = await signToken(key, claims, { now: clock.now(), lifeMs: TOKEN_MS });
    const { workspaceId, permissions, sub } = claims;
    return { ...signed, workspaceId, permissions, subject: sub };
  }

  route<Static<typeof OpenBody>>('sign-in', OpenBody, async (request, reply) => {
    const hash = hashOfLink(request.body.token);
    const link = await findByHash(request, hash);
    const secret = createCookieSecret(randomBytes);
    const openedAt = clock.now();
    const opened = { secretHash: secret.hash, openedAt, expiresAt: openedAt + SESSION_MS };
    const session =
      link && hash && (await changesOf(request, link.subject, 'dashboard sign-in').openDashboardSession(hash, opened));
    if (!session) throw new Problem('authentication/dashboard_link_not_found');
    setCookie(reply, isSecure(request), secret.text, SESSION_MS / 1000);
    return { subject: session.subject, expiresAt: session.expiresAt };
  });

  route('token', NoBody, async (request) => {
    const subject = personOf?.(request.raw) ?? null;
    if (proxy && subject !== null)
      return tokenFor({ sub: subject, workspaceId: proxy.workspaceId, permissions: [...proxy.permissions] });
    const session = await sessionOf(request);
    if (session === null) throw new Problem('authentication/dashboard_signed_out');
    const { id: sessionId, workspaceId, subject: sub, permissions } = session;
    return tokenFor({ sub, workspaceId, permissions, sessionId });
  });

  // A stream that ends when the session does. Somebody whom the proxy signs in has none.
  route('watch', NoBody, async (request, reply) => {
    if (proxy && personOf?.(request.raw) != null) return { isSession: false };
    const session = await sessionOf(request);
    if (session === null) throw new Problem('authentication/dashboard_signed_out');
    // Fastify runs no hook when the client ends a response.
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) recordRequest(request, reply);
    });
    watchers.openForSession(request, reply, session);
    return null;
  });

  route<Static<typeof SignOutBody>>('sign-out', SignOutBody, async (request, reply) => {
    const session = await sessionOf(request);
    setCookie(reply, isSecure(request), '', 0);
    if (session === null) return { ended: 0 };
    const { id, workspaceId, subject } = session;
    const changes = changesOf(request, subject, 'dashboard sign-out');
    if (request.body.everywhere) return { ended: await changes.endDashboardSessions(workspaceId, subject) };
    return { ended: (await changes.endDashboardSession(id)) ? 1 : 0 };
  });
}

/**
 * Refuses requests that a browser sends for a page of another origin (Fetch Metadata, or else `Origin`): a cookie comes with them. Programs send neither
 * field, and have no cookie of anybody.
 */
function refuseOtherOrigins({ headers, host }: FastifyRequest, isSecure: boolean): void {
  const { 'sec-fetch-site': site, origin } = headers;
  const own = `${isSecure ? 'https' : 'http'}://${host}`;
  const isOwn = site === undefined ? origin === undefined || origin === own : site === 'same-origin';
  if (!isOwn) throw new Problem('authorization/origin_not_allowed');
}

/** With `__Host-`, no other host of the domain can set it (RFC 6265bis section 4.1.3.2); over plain HTTP, on loopback, there is no such prefix. */
const cookieName = (isSecure: boolean) => (isSecure ? '__Host-nameplate' : 'nameplate');

function cookieOf(request: FastifyRequest, isSecure: boolean): string | undefined {
  const prefix = `${cookieName(isSecure)}=`;
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
}

function setCookie(reply: FastifyReply, isSecure: boolean, value: string, seconds: number): void {
  const secure = isSecure ? '; Secure' : '';
  reply.header(
    'Set-Cookie',
    `${cookieName(isSecure)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`,
  );
}
