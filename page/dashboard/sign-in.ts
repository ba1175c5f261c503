import { createClient, type NameplateClient } from '../../client/client.ts';
import { watchedFetch } from './connection.tsx';
import { watchSession } from './watch-session.ts';

/** Somebody who is signed in. */
export interface Person {
  workspaceId: string;
  subject: string;
  permissions: readonly string[];
}

/** Why nobody is signed in. */
export type SignedOut = 'link' | 'session';

/** Nobody is signed in: the link does not work any more, or there is no session. */
export class NotSignedIn extends Error {
  override name = 'NotSignedIn';
  readonly reason: SignedOut;

  constructor(reason: SignedOut) {
    super(`not signed in: ${reason}`);
    this.reason = reason;
  }
}

interface Answer<Data> {
  status: number;
  data?: Data;
}

interface Issued extends Person {
  token: string;
  expiresAt: number;
}

/** A token is replaced this long before its end. The clock here may be wrong, so no token is used for longer than this. */
const MARGIN_MS = 10_000;
const LONGEST_MS = 45_000;

/** Posts to a path of the dashboard; the cookie of the session goes with it. Rejects with `TypeError` without a connection. */
async function post<Data>(path: string, body: object = {}): Promise<Answer<Data>> {
  const response = await watchedFetch(`/dashboard/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json().catch(() => ({}))) as { data?: Data };
  return { status: response.status, ...(data !== undefined && { data }) };
}

/** Exchanges the token of a sign-in link for a session. Rejects with `NotSignedIn`. */
export async function openLink(token: string): Promise<void> {
  const { status } = await post('sign-in', { token });
  if (status !== 200) throw new NotSignedIn('link');
}

/** Ends the session of this browser, or all of this person. Rejects with `TypeError` where the server does not say that it did. */
export async function signOut(everywhere: boolean): Promise<void> {
  const { status } = await post('sign-out', { everywhere });
  if (status !== 200) throw new TypeError(`the server responded with ${status}`);
}

export interface SignedIn {
  person: Person;
  client: NameplateClient;
}

/**
 * Opens the dashboard for whoever is signed in, until `signal`; `onEnd` when they no longer are, within a second while the page is visible. Rejects with
 * `NotSignedIn`.
 */
export async function openSession(signal: AbortSignal, onEnd: () => void): Promise<SignedIn> {
  let current: { token: string; until: number } | null = null;
  let asking: Promise<Issued> | null = null;

  async function ask(): Promise<Issued> {
    const { status, data } = await post<Issued>('token');
    if (status === 401) throw new NotSignedIn('session');
    if (data === undefined) throw new TypeError(`the server responded with ${status}`);
    const life = Math.min(data.expiresAt - Date.now() - MARGIN_MS, LONGEST_MS);
    current = { token: data.token, until: performance.now() + Math.max(life, MARGIN_MS) };
    return data;
  }

  /** Whether the session goes on, as far as the server can be reached. */
  async function isSignedIn(): Promise<boolean> {
    current = null;
    return token().then(
      () => true,
      (error) => !(error instanceof NotSignedIn),
    );
  }

  async function token(): Promise<string> {
    if (current !== null && performance.now() < current.until) return current.token;
    asking ??= ask().finally(() => {
      asking = null;
    });
    try {
      return (await asking).token;
    } catch (error) {
      if (error instanceof NotSignedIn) onEnd();
      throw error;
    }
  }

  /** A refused token is not used again: the session may have ended elsewhere. */
  async function authorizedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await watchedFetch(...request);
    if (response.status === 401) isSignedIn();
    return response;
  }

  const { workspaceId, subject, permissions } = await ask();
  watchSession(signal, isSignedIn).catch(() => {});
  const client = createClient({ baseUrl: location.origin, rootKey: token, fetch: authorizedFetch });
  return { person: { workspaceId, subject, permissions }, client };
}
