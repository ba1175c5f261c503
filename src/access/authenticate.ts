import type { Memory } from '../cache/cache.ts';
import type { Clock } from '../clock.ts';
import type { Workspace } from '../store/contract/store.ts';
import { isToken, LONGEST_TOKEN, type TokenReader } from './dashboard-token.ts';
import type { Attempts } from './failure-limit.ts';
import type { KnownKey, Principal, Principals } from './principal-cache.ts';
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
  workspaces: Memory<Workspace>;
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

  // First of all, so that whatever else comes from its address does no harm to a key in use.
  const known = keyHash === undefined ? undefined : access.principals.remembered(keyHash);
  if (known) {
    const judged = judgeKey(known, access.clock);
    if (!isFailure(judged)) return judged;
  }

  const retryAfterSeconds = access.attempts.blockedSeconds(from.ip);
  if (retryAfterSeconds !== null) return { ok: false, refusal: 'limits/rate_limited', retryAfterSeconds };
  const result = await lookUp(credential, keyHash, known, access);
  if (isFailure(result)) access.attempts.failed(from.ip);
  return result;
}

async function lookUp(
  credential: string | undefined,
  keyHash: string | undefined,
  known: KnownKey | null | undefined,
  access: Access,
): Promise<Authentication> {
  if (keyHash !== undefined) {
    return judgeKey(known === undefined ? await access.principals.read(keyHash) : known, access.clock);
  }
  if (credential !== undefined && isToken(credential)) return judgeToken(credential, access);
  return refused('authentication/malformed');
}

function judgeKey(known: KnownKey | null, clock: Clock): Authentication {
  if (known === null) return refused('authentication/key_not_found');
  // On every request: that time passes is no news that a memory of keys could wait for.
  if (known.expiresAt !== null && known.expiresAt <= clock.now()) return refused('authentication/key_not_found');
  if (known.keyDisabled) return refused('authorization/key_disabled');
  if (known.workspaceDisabled) return refused('authorization/workspace_disabled');
  return { ok: true, principal: known.principal };
}

async function judgeToken(token: string, { tokens, workspaces }: Access): Promise<Authentication> {
  const claims = await tokens.read(token);
  if (claims === null) return refused('authentication/key_not_found');
  const { workspaceId, sub, permissions } = claims;
  const known = workspaces.remembered(workspaceId);
  const workspace = known === undefined ? await workspaces.read(workspaceId) : known;
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
