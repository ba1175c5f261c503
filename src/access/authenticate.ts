import type { Clock } from '../clock.ts';
import type { Attempts } from './attempts.ts';
import { hashRootKey, isRootKey } from './key.ts';
import type { KnownKey, Principal, Principals } from './principals.ts';

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
  attempts: Attempts;
  clock: Clock;
}

/** The scheme is read in any case (RFC 9110 section 11.1); exactly one space stands before the key. */
const BEARER = /^bearer ([^\s]+)$/i;

/** Longer headers cannot hold a key and are not looked at. */
const LONGEST_HEADER = 256;

/**
 * Authenticates a request by the value of its `Authorization` header and the address it came from. Rejects with `StoreUnavailable` when the
 * key cannot be looked up.
 */
export async function authenticate(
  header: string | undefined,
  address: string,
  { principals, attempts, clock }: Access,
): Promise<Authentication> {
  if (header === undefined || header === '') return refused('authentication/missing');
  const key = header.length > LONGEST_HEADER ? undefined : BEARER.exec(header)?.[1];
  if (key === undefined || !isRootKey(key)) return refused('authentication/malformed');

  const hash = hashRootKey(key);
  const remembered = principals.remembered(hash);
  if (remembered !== undefined) return judge(remembered, clock);
  const retryAfterSeconds = attempts.blockedSeconds(address);
  if (retryAfterSeconds !== null) return { ok: false, refusal: 'limits/rate_limited', retryAfterSeconds };
  const found = await principals.read(hash);
  if (found === null) attempts.failed(address);
  return judge(found, clock);
}

function judge(known: KnownKey | null, clock: Clock): Authentication {
  if (known === null) return refused('authentication/key_not_found');
  // On every request: that time passes is no news that a memory of keys could wait for.
  if (known.expiresAt !== null && known.expiresAt <= clock.now()) return refused('authentication/key_not_found');
  if (known.keyDisabled) return refused('authorization/key_disabled');
  if (known.workspaceDisabled) return refused('authorization/workspace_disabled');
  return { ok: true, principal: known.principal };
}

function refused(refusal: AccessRefusal): Authentication {
  return { ok: false, refusal };
}
