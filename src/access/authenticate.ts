import type { Clock } from '../clock.ts';
import { hashRootKey, isRootKey } from './key.ts';
import type { Principal, Principals } from './principals.ts';

/** Why a request has no principal: names of the errors that it is answered with (spec: Named authentication and authorization errors). */
export type AccessRefusal =
  | 'authentication/missing'
  | 'authentication/malformed'
  | 'authentication/key_not_found'
  | 'authorization/key_disabled'
  | 'authorization/workspace_disabled';

export type Authentication = { ok: true; principal: Principal } | { ok: false; refusal: AccessRefusal };

/** The scheme is read in any case (RFC 9110 section 11.1); exactly one space stands before the key. */
const BEARER = /^bearer ([^\s]+)$/i;

/** Longer headers cannot hold a key and are not looked at. */
const LONGEST_HEADER = 256;

/** Authenticates the value of an `Authorization` header. Rejects with `StoreUnavailable` when the key cannot be looked up. */
export async function authenticate(
  header: string | undefined,
  principals: Principals,
  clock: Clock,
): Promise<Authentication> {
  if (header === undefined || header === '') return refused('authentication/missing');
  const key = header.length > LONGEST_HEADER ? undefined : BEARER.exec(header)?.[1];
  if (key === undefined || !isRootKey(key)) return refused('authentication/malformed');

  const found = await principals.find(hashRootKey(key));
  if (found === null) return refused('authentication/key_not_found');
  // Judged on every request: the clock is no news that a cache could wait for.
  if (found.expiresAt !== null && found.expiresAt <= clock.now()) return refused('authentication/key_not_found');
  if (found.keyDisabled) return refused('authorization/key_disabled');
  if (found.workspaceDisabled) return refused('authorization/workspace_disabled');
  return { ok: true, principal: found.principal };
}

function refused(refusal: AccessRefusal): Authentication {
  return { ok: false, refusal };
}
