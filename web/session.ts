import { createClient, type Domain, NameplateError } from '../src/client/client.ts';

/** How the platform looks. All of it is optional. */
export interface Brand {
  name?: string;
  /** `data:` URL of an image. */
  logo?: string;
  /** `#rrggbb`, on a light and on a dark ground. */
  accent?: string;
  accentDark?: string;
  /** `mailto:` or `https:`. */
  support?: string;
}

interface Opened {
  sessionToken: string;
  /** Unix ms, by the clock of the server. */
  expiresAt: number;
  domain: Domain;
  brand: Brand;
}

/** Why a set-up link does not open. */
export type LinkProblem = 'unknown' | 'expired' | 'revoked';

/** The link does not open, or no longer. */
export class LinkRefused extends Error {
  override name = 'LinkRefused';
  readonly problem: LinkProblem;

  /** `message`: of the API. */
  constructor(problem: LinkProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** What a set-up link opens: short-lived tokens for the operations of its domain, one after the other. */
export interface Session {
  /** Opens it anew. Rejects with `LinkRefused`, or as a call of the client does. */
  open(signal: AbortSignal): Promise<{ domain: Domain; brand: Brand }>;
  /** A token that is valid now. */
  token(): Promise<string>;
  /** The next call of `token` opens it anew. */
  forget(): void;
}

/** A token is valid for 120 s. The clock here may be wrong, so what the server says is believed within these bounds. */
const SHORTEST_MS = 20_000;
const LONGEST_MS = 100_000;
/** Before the end, so that a request that takes its time is still in it. */
const MARGIN_MS = 15_000;

export function openLink(api: string, linkToken: string): Session {
  const client = createClient({ baseUrl: api, rootKey: null, retries: 1 });
  let current: { token: string; until: number } | null = null;
  let opening: Promise<Opened> | null = null;

  async function openOnce(signal?: AbortSignal): Promise<Opened> {
    try {
      const opened = await client.call<Opened>('setup.openSession', { token: linkToken }, { isRead: true, signal });
      const lifetime = opened.expiresAt - Date.now() - MARGIN_MS;
      const until = performance.now() + Math.min(Math.max(lifetime, SHORTEST_MS), LONGEST_MS);
      current = { token: opened.sessionToken, until };
      return opened;
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  }

  return {
    open: (signal) => openOnce(signal),
    async token() {
      if (current !== null && performance.now() < current.until) return current.token;
      opening ??= openOnce().finally(() => {
        opening = null;
      });
      return (await opening).sessionToken;
    },
    forget() {
      current = null;
    },
  };
}

function refusalOf(error: unknown): LinkRefused | null {
  if (!(error instanceof NameplateError) || (error.status !== 401 && error.status !== 400)) return null;
  const problem = (['expired', 'revoked'] as const).find((each) => error.type.includes(each));
  return new LinkRefused(problem ?? 'unknown', error.detail);
}
