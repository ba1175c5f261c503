'use client';

import { useEffect, useState } from 'react';
import type { Diagnosis, Domain } from '../api-types.ts';
import { createClient } from '../client.ts';
import { openLink } from '../link-session.ts';
import { NameplateError } from '../nameplate-error.ts';
import { backOff, isTemporary, pause } from '../retry.ts';

/** The set-up link of a domain (`domains.createLinkAccess`), which a browser may have: it opens one domain. */
export interface LinkAccess {
  /** Address of the API, such as `https://api.example.net`. */
  baseUrl: string;
  /** Token of the link, `nps_…`. */
  token: string;
}

export interface FollowedDomain {
  /** The newest state; null until the first one, and on the server. */
  domain: Domain | null;
  /** Mistakes that the latest check found. */
  findings: Diagnosis['findings'];
  /** Whether changes arrive. While they do not, the hook connects again by itself. */
  isConnected: boolean;
  /** Why the hook no longer follows the domain: the link does not work, or the domain was deleted. */
  error: Error | null;
}

const INITIAL: FollowedDomain = { domain: null, findings: [], isConnected: false, error: null };
const RECONNECT_MS = 1_000;

/** Follows the domain of a set-up link while the component is mounted. */
export function useDomain({ baseUrl, token }: LinkAccess): FollowedDomain {
  const [state, setState] = useState(INITIAL);
  useEffect(() => {
    const unmounted = new AbortController();
    setState(INITIAL);
    const update = (changes: Partial<FollowedDomain>) => {
      if (!unmounted.signal.aborted) setState((before) => ({ ...before, ...changes }));
    };
    follow({ baseUrl, token }, unmounted.signal, update).catch((error) => update({ isConnected: false, error }));
    return () => unmounted.abort();
  }, [baseUrl, token]);
  return state;
}

/** Rejects when the link no longer works, or with the reason of the signal. */
async function follow(
  { baseUrl, token }: LinkAccess,
  signal: AbortSignal,
  update: (changes: Partial<FollowedDomain>) => void,
): Promise<never> {
  let id = '';
  const session = openLink(baseUrl, token, ({ domain }) => {
    // The stream is newer than a session that is opened later.
    if (id === '') update({ domain });
    id = domain.id;
  });
  const client = createClient({ baseUrl, rootKey: session.token });
  for (let failures = 0; ; failures += 1) {
    try {
      await session.token();
      const watching = client.domains.watchDomain({
        domain: id,
        signal,
        onConnect() {
          failures = 0;
          update({ isConnected: true });
        },
        onDisconnect: () => update({ isConnected: false }),
        onDiagnosis: ({ findings }) => update({ findings }),
      });
      for await (const domain of watching) update({ domain, ...(domain.status === 'verified' && { findings: [] }) });
    } catch (error) {
      signal.throwIfAborted();
      // Each session expires. If the link has ended, opening another one tells why.
      const hasExpired = error instanceof NameplateError && error.status === 401;
      if (!hasExpired && !isTemporary(error)) throw error;
      if (hasExpired) session.forget();
      else update({ isConnected: false });
      await pause(backOff(error, failures, RECONNECT_MS), signal);
    }
  }
}
