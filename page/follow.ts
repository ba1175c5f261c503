import { createClient, NameplateError } from '../client/client.ts';
import { backOff, isTemporary, pause } from '../client/retry.ts';
import { untilVisible, whileAttended } from './attention.ts';
import { type Followed, NOTHING } from './followed.ts';
import { createLooker } from './look.ts';
import { LinkRefused, openLink } from './session.ts';

/** A link that is followed until it is stopped. */
export interface Following {
  /** Asks for a check now. */
  check(): Promise<void>;
  stop(): void;
}

const RECONNECT_MS = 1_000;
/** As a rule, a new session is all that a stream needs. */
const NEW_SESSION_MS = 250;
/** After a check that was asked for, the next one may be. */
const CHECK_AGAIN_MS = 10_000;

/** Follows the domain of a set-up link: `show` gets all that is known, at once and whenever it changes. It goes on until the link no longer works, or it is stopped. */
export function follow(api: string, linkToken: string, show: (now: Followed) => void): Following {
  const stopped = new AbortController();
  const { signal } = stopped;
  const session = openLink(api, linkToken, ({ domain, brand }) =>
    // The stream is newer than a session that is opened later.
    update({ brand, domain: now.domain ?? domain, link: 'open', isConnected: true, isCrowded: false }),
  );
  const client = createClient({ baseUrl: api, rootKey: session.token });
  let now = NOTHING;
  const update = (changes: Partial<Followed>) => {
    if (signal.aborted) return;
    now = { ...now, ...changes };
    show(now);
  };
  const lost = (error: unknown) =>
    update({ isConnected: false, isCrowded: error instanceof NameplateError && error.status === 429 });
  const look = createLooker({ api, token: session.token, signal, update, now: () => now });

  run().catch((error) => {
    if (signal.aborted) return;
    const support = error instanceof LinkRefused ? error.support : null;
    update({ link: endOf(error, now), support, isConnected: true, isCrowded: false });
    stopped.abort();
  });

  async function run(): Promise<never> {
    const open = () => persist(session.token, signal, lost);
    await open();
    const id = now.domain?.id ?? '';
    look.begin(id);
    for (let failures = 0; ; failures += 1) {
      let end: unknown;
      try {
        await whileAttended(signal, (attended) =>
          watch(id, attended, () => {
            failures = 0;
          }),
        );
        await untilVisible(signal);
        look.soon();
        continue;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof NameplateError) || error.status !== 401) throw error;
        end = error;
      }
      // The token has expired, as each does. If the link has ended, that is what opening it says.
      session.forget();
      await open();
      await pause(backOff(end, failures, NEW_SESSION_MS), signal);
    }
  }

  /** Until `attended` is aborted. */
  async function watch(domain: string, attended: AbortSignal, onConnect: () => void): Promise<void> {
    const watching = client.domains.watchDomain({
      domain,
      signal: attended,
      onConnect: () => {
        onConnect();
        update({ isConnected: true, isCrowded: false });
      },
      onDisconnect: lost,
    });
    for await (const state of watching) {
      const { updatedAt, status } = now.domain ?? {};
      const isNew = state.updatedAt !== updatedAt || state.status !== status;
      update({ domain: state });
      if (isNew) look.soon();
    }
  }

  show(now);
  return {
    async check() {
      if (now.domain === null || now.isChecking) return;
      update({ isChecking: true });
      try {
        await look.check();
        update({ busyUntil: Date.now() + CHECK_AGAIN_MS });
      } catch (error) {
        const wait = error instanceof NameplateError ? error.retryAfter : null;
        update({ busyUntil: Date.now() + (wait === null ? CHECK_AGAIN_MS : wait * 1000) });
      }
      update({ isChecking: false });
    },
    stop: () => stopped.abort(),
  };
}

/** Repeats what fails for want of a connection. */
async function persist<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      onFailure(error);
      await pause(backOff(error, failures, RECONNECT_MS), signal);
    }
  }
}

function endOf(error: unknown, { link, domain }: Followed): Followed['link'] {
  if (error instanceof LinkRefused) {
    // A link goes with its domain.
    return error.problem === 'unknown' && domain !== null ? 'deleted' : error.problem;
  }
  if (error instanceof NameplateError && error.status === 404 && link === 'open') return 'deleted';
  return isOfDisabledWorkspace(error) ? 'disabled' : 'denied';
}

/** A type is a word, or the URL of the error's page. */
function isOfDisabledWorkspace(error: unknown): boolean {
  return error instanceof NameplateError && /setup.workspace.disabled$/.test(error.type);
}
