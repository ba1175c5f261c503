import { type ApiCalls, createClient, NameplateError, type Support } from './client.ts';

type Opened = Awaited<ReturnType<ApiCalls['setup']['openSession']>>;

/** Why a set-up link does not open. */
export type LinkProblem = 'unknown' | 'incomplete' | 'expired' | 'revoked';

/** The link does not open, or no longer opens. */
export class LinkRefused extends Error {
  override name = 'LinkRefused';
  readonly problem: LinkProblem;
  /** Whom to ask for another one, as far as the API says. */
  readonly support: Support | null;

  constructor(problem: LinkProblem, { detail, support }: NameplateError) {
    super(detail);
    this.problem = problem;
    this.support = support;
  }
}

/** Exchanges a set-up link for short-lived tokens, one after the other, which permit the operations of its domain. */
export interface LinkSession {
  /**
   * A token that is valid now; opens a session where there is none. Rejects with `LinkRefused`, or as a call of the
   * client does.
   */
  token(): Promise<string>;
  /** The next call of `token` opens it anew. */
  forget(): void;
}

/**
 * A token is valid for 120 s. The clock here may be wrong, so the server's time is believed only within these bounds.
 */
const SHORTEST_MS = 20_000;
const LONGEST_MS = 100_000;
/** A token is replaced this long before its end, so that a slow request still falls within it. */
const MARGIN_MS = 15_000;

/** Calls `onOpen` with the result of each new session. */
export function openLink(api: string, linkToken: string, onOpen: (opened: Opened) => void): LinkSession {
  const client = createClient({ baseUrl: api, rootKey: null, retries: 1 });
  let current: { token: string; until: number } | null = null;
  let opening: Promise<Opened> | null = null;

  async function open(): Promise<Opened> {
    try {
      const opened = await client.setup.openSession({ token: linkToken });
      const lifetime = opened.expiresAt - Date.now() - MARGIN_MS;
      const until = performance.now() + Math.min(Math.max(lifetime, SHORTEST_MS), LONGEST_MS);
      current = { token: opened.sessionToken, until };
      onOpen(opened);
      return opened;
    } catch (error) {
      throw refusalOf(error) ?? error;
    }
  }

  return {
    async token() {
      if (current !== null && performance.now() < current.until) return current.token;
      opening ??= open().finally(() => {
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
  const problem = (['incomplete', 'expired', 'revoked'] as const).find(
    (each) => error.code === `authentication/setup_link_${each}`,
  );
  // The schema refuses an empty token, and one that is longer than any link's.
  return new LinkRefused(problem ?? (error.status === 400 ? 'incomplete' : 'unknown'), error);
}
