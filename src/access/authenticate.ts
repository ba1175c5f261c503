import type { LoadingCache } from '../cache/cache.ts';
import type { Clock } from '../clock.ts';
import type { Workspace } from '../store/contract/store.ts';
import { isToken, LONGEST_TOKEN, type TokenReader } from './dashboard-token.ts';
import type { Attempts } from './failure-limit.ts';
import type { CachedKey, Principal, Principals } from './principal-cache.ts';
import { hashRootKey, isRootKey } from './root-key.ts';

/** Why a request has no principal: names of the errors that it is answered with (spec: Named authentication and authorization errors). */
export type AccessRefusal =
  | 'authentication/missing'
  | 'authentication/malformed'
  | 'authentication/key_not_found'
  | 'authorization/key_disabled'
  | 'authorization/workspace_disabled';

export type Authentication =
  | { ok: true; principal: Principal }
  | { ok: false; refusal: AccessRefusal }
  | { ok: false; refusal: 'limits/rate_limited'; retryAfterSeconds: number };

/** What authentication works with. */
export interface Access {
  principals: Principals;
  tokens: TokenReader;
  workspaces: LoadingCache<Workspace>;
  attempts: Attempts;
  clock: Clock;
}

/** The scheme is read in any case (RFC 9110 section 11.1); exactly one space stands before the key. */
const BEARER = /^bearer ([^\s]+)$/i;

/** Longer headers hold neither a key nor a token and are not looked at. */
const LONGEST_HEADER = 'Bearer '.length + LONGEST_TOKEN;

/**
 * Authenticates a request by the value of its `Authorization` header and the address it came from: a root key, or a dashboard token. Rejects
 * with `StoreUnavailable` when something cannot be looked up.
 */
export async function authenticate(
  header: string | undefined,
  from: { readonly ip: string },
  access: Access,
): Promise<Authentication> {
  if (header === undefined || header === '') return refused('authentication/missing');
  const credential = header.length > LONGEST_HEADER ? undefined : BEARER.exec(header)?.[1];
  const keyHash = credential !== undefined && isRootKey(credential) ? hashRootKey(credential) : undefined;

  // Before the limit of failures, so that other requests from its address never lock out a key in use.
  const cached = keyHash === undefined ? undefined : access.principals.get(keyHash);
  if (cached) {
    const result = checkKey(cached, access.clock);
    if (!isFailure(result)) return result;
  }

  const retryAfterSeconds = access.attempts.blockedSeconds(from.ip);
  if (retryAfterSeconds !== null) return { ok: false, refusal: 'limits/rate_limited', retryAfterSeconds };
  const result = await lookUp(credential, keyHash, access);
  if (isFailure(result)) access.attempts.failed(from.ip);
  return result;
}

async function lookUp(
  credential: string | undefined,
  keyHash: string | undefined,
  access: Access,
): Promise<Authentication> {
  if (keyHash !== undefined) return checkKey(await access.principals.load(keyHash), access.clock);
  if (credential !== undefined && isToken(credential)) return checkToken(credential, access);
  return refused('authentication/malformed');
}

function checkKey(key: CachedKey | null, clock: Clock): Authentication {
  if (key === null) return refused('authentication/key_not_found');
  // Checked at every request: no change in the feed says that a key has expired.
  if (key.expiresAt !== null && key.expiresAt <= clock.now()) return refused('authentication/key_not_found');
  if (key.keyDisabled) return refused('authorization/key_disabled');
  if (key.workspaceDisabled) return refused('authorization/workspace_disabled');
  return { ok: true, principal: key.principal };
}

async function checkToken(token: string, { tokens, workspaces }: Access): Promise<Authentication> {
  const claims = await tokens.read(token);
  if (claims === null) return refused('authentication/key_not_found');
  const { workspaceId, sub, permissions } = claims;
  const workspace = await workspaces.load(workspaceId);
  if (workspace === null) return refused('authentication/key_not_found');
  if (workspace.disabledAt !== null) return refused('authorization/workspace_disabled');
  return { ok: true, principal: { workspaceId, actor: sub, grants: new Set(permissions), limits: workspace.limits } };
}

/** Whether somebody may be guessing: counted, unlike a request that is merely lacking its header or whose key is disabled. */
function isFailure(result: Authentication): boolean {
  return (
    !result.ok && (result.refusal === 'authentication/malformed' || result.refusal === 'authentication/key_not_found')
  );
}

function refused(refusal: AccessRefusal): Authentication {
  return { ok: false, refusal };
}
