import type { Clock } from '../base/clock.ts';
import type { LoadingCache } from '../store/cache/cache.ts';
import type { DashboardSession, ListedRootKey, Workspace } from '../store/store.ts';
import type { TokenVerifier } from './dashboard-token.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { CachedRootKey, Principal, RootKeyCache } from './root-key-cache.ts';
import { hashRootKey, isMeantAsKey, isRootKey, ROOT_KEY_LENGTH } from './secret-text.ts';
import { isSessionToken } from './session-token.ts';
import type { SetupLinkErrorCode } from './setup-link.ts';
import { isToken, MAX_TOKEN_LENGTH } from './signed-token.ts';

/** Error codes of requests that are not authenticated (spec: Named authentication and authorization errors). */
export type AuthenticationErrorCode =
  | 'authentication/missing'
  | 'authentication/malformed'
  | 'authentication/key_not_found'
  | SetupLinkErrorCode
  | 'authorization/key_disabled'
  | 'authorization/workspace_disabled'
  | 'authorization/setup_workspace_disabled';

interface Failed {
  ok: false;
  code: AuthenticationErrorCode;
  /** About this credential, in place of what the code says. */
  detail?: string;
}

export type Authentication =
  | { ok: true; principal: Principal }
  | Failed
  | { ok: false; code: 'limits/rate_limited'; retryAfterSeconds: number };

export interface AuthenticationDeps {
  rootKeys: RootKeyCache;
  tokens: TokenVerifier;
  /** Checks the token of a session. */
  checkSession(token: string): Promise<Standing>;
  /** Whether the signature of a session's token was checked before. */
  isKnownSession(token: string): boolean;
  workspaces: LoadingCache<Workspace>;
  /** Root keys by their id: those that made tokens. */
  makers: LoadingCache<ListedRootKey>;
  /** Sessions of the dashboard by their id. */
  sessions: LoadingCache<DashboardSession>;
  failures: FailureLimit;
  clock: Clock;
}

/** The scheme is case-insensitive (RFC 9110 section 11.1); exactly one space comes before the key. */
const BEARER = /^bearer [^\s]+$/i;

/** Longer headers hold neither a key nor a token and are not parsed. */
const MAX_HEADER_LENGTH = 'Bearer '.length + MAX_TOKEN_LENGTH;

/**
 * Authenticates a request by the value of its `Authorization` header: a root key, a dashboard token or the token of a
 * session. Returns at once if the key is cached, so that most requests wait for nothing. Reads `client.ip` only when it
 * has to, since proxy headers make it costly. Rejects with `StoreUnavailable` when a lookup fails.
 */
export function authenticate(
  header: string | undefined,
  client: { readonly ip: string },
  deps: AuthenticationDeps,
): Authentication | Promise<Authentication> {
  if (header === undefined || header === '') return failed('authentication/missing');
  const credential = credentialOf(header);
  const keyHash = keyHashOf(credential);

  // A cached key is checked before the failure limit, so that other requests from its address never lock out a key in
  // use.
  const cached = keyHash === undefined ? undefined : deps.rootKeys.get(keyHash);
  if (cached) {
    const result = checkKey(cached, deps.clock);
    if (!countsAsFailure(result)) return result;
  }

  // A key that was in use until a change removed it from the cache is no guess either: the store decides.
  const isSession = credential !== undefined && isToken(credential) && isSessionToken(credential);
  const kind = isSession ? 'setup' : 'authentication';
  if (!(isSession ? deps.isKnownSession(credential) : isInUse(keyHash, deps))) {
    const retryAfterSeconds = deps.failures.retryAfterSeconds(client.ip, kind);
    if (retryAfterSeconds !== null) return { ok: false, code: 'limits/rate_limited', retryAfterSeconds };
  }
  return check(credential, keyHash, deps).then((result) => {
    if (countsAsFailure(result)) deps.failures.countFailure(client.ip, kind);
    return result;
  });
}

/** The rights of a credential now. `expiresAt`: Unix ms; null: never. */
export type Standing = { ok: true; principal: Principal; expiresAt: number | null } | Failed;

/**
 * Authenticates the value of an `Authorization` header again, for a long-running request: counts no failure. Rejects
 * with `StoreUnavailable`.
 */
export function standingOf(header: string, deps: AuthenticationDeps): Promise<Standing> {
  const credential = credentialOf(header);
  return check(credential, keyHashOf(credential), deps);
}

/**
 * The changes that may alter the rights of a credential: a kind and a key of the change log, or a kind alone for all of
 * it.
 */
export function changesOf(header: string, { workspaceId, kind, session }: Principal): string[] {
  const keyHash = keyHashOf(credentialOf(header));
  // The log names keys by their hash, which a token does not have of the key that made it.
  const ofMaker = kind === 'dashboard_token' ? ['root_key', 'dashboard_session'] : [];
  const own = keyHash === undefined ? ['signing_key', ...ofMaker] : [`root_key ${keyHash}`];
  return [...own, `workspace ${workspaceId}`, ...(session ? [`setup_link ${session.linkId}`] : [])];
}

function isInUse(keyHash: string | undefined, { rootKeys, clock }: AuthenticationDeps): boolean {
  const last = keyHash === undefined ? undefined : rootKeys.lastFound(keyHash);
  return last !== undefined && !countsAsFailure(checkKey(last, clock));
}

/** Undefined for a header that holds none. */
function credentialOf(header: string): string | undefined {
  const isBearer = header.length <= MAX_HEADER_LENGTH && BEARER.test(header);
  return isBearer ? header.slice('Bearer '.length) : undefined;
}

/** The key by which the change log and the store know a root key; undefined for a text of another length. */
function keyHashOf(credential: string | undefined): string | undefined {
  return credential?.length === ROOT_KEY_LENGTH ? hashRootKey(credential) : undefined;
}

async function check(
  credential: string | undefined,
  keyHash: string | undefined,
  deps: AuthenticationDeps,
): Promise<Standing> {
  if (credential === undefined) return failed('authentication/malformed');
  if (keyHash !== undefined && isRootKey(credential)) {
    const key = await deps.rootKeys.load(keyHash);
    const result = checkKey(key, deps.clock);
    return result.ok ? { ...result, expiresAt: key?.expiresAt ?? null } : result;
  }
  if (isToken(credential))
    return isSessionToken(credential) ? deps.checkSession(credential) : checkToken(credential, deps);
  return { ...failed('authentication/malformed'), ...(isMeantAsKey(credential) && { detail: damagedKey(credential) }) };
}

/** A text shows its length, and nothing of itself. */
function damagedKey({ length }: string): string {
  const what =
    length === ROOT_KEY_LENGTH
      ? 'its checksum does not match, so at least one character is wrong'
      : `it has ${length} characters, and a key has ${ROOT_KEY_LENGTH}`;
  return `The root key is damaged: ${what}. Was it copied whole? Copy it again, or create another one.`;
}

function checkKey(key: CachedRootKey | null, clock: Clock): { ok: true; principal: Principal } | Failed {
  if (key === null) return failed('authentication/key_not_found');
  // Expiry is checked with every request: the change feed does not report it.
  if (key.expiresAt !== null && key.expiresAt <= clock.now()) return failed('authentication/key_not_found');
  if (key.keyDisabled) return failed('authorization/key_disabled');
  if (key.workspaceDisabled) return failed('authorization/workspace_disabled');
  return { ok: true, principal: key.principal };
}

async function checkToken(token: string, deps: AuthenticationDeps): Promise<Standing> {
  const { tokens, workspaces, makers, sessions, clock } = deps;
  const claims = await tokens.verify(token);
  if (claims === null) return failed('authentication/key_not_found');
  const { workspaceId, sub, permissions, keyId, sessionId } = claims;
  const workspace = await workspaces.load(workspaceId);
  if (workspace === null) return failed('authentication/key_not_found');
  if (workspace.disabledAt !== null) return failed('authorization/workspace_disabled');
  const maker = keyId === undefined ? undefined : await makers.load(keyId);
  if (maker === null || (maker && maker.workspaceId !== workspaceId)) return failed('authentication/key_not_found');
  const session = sessionId === undefined ? undefined : await sessions.load(sessionId);
  if (session === null || (session && session.workspaceId !== workspaceId))
    return failed('authentication/key_not_found');
  const ends = [claims.expiresAt, maker?.expiresAt, session?.expiresAt];
  const expiresAt = Math.min(...ends.filter((end) => end !== undefined && end !== null));
  if (expiresAt <= clock.now()) return failed('authentication/key_not_found');
  if (maker && maker.disabledAt !== null) return failed('authorization/key_disabled');
  const grants = new Set(permissions);
  const { limits } = workspace;
  const signedIn = sessionId !== undefined && { signedIn: sessionId };
  const principal: Principal = { kind: 'dashboard_token', workspaceId, actor: sub, grants, limits, ...signedIn };
  return { ok: true, principal, expiresAt };
}

/** Whether the client may be guessing. A missing header and a disabled key are not guesses. */
function countsAsFailure(result: Authentication): boolean {
  return !result.ok && (result.code === 'authentication/malformed' || result.code === 'authentication/key_not_found');
}

function failed(code: AuthenticationErrorCode): Failed {
  return { ok: false, code };
}
