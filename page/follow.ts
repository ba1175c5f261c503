import { type ApiCalls, createClient, NameplateError } from '../client/client.ts';
import { LinkRefused, openLink } from '../client/link-session.ts';
import { backOff, isTemporary, pause } from '../client/retry.ts';
import { createLooker } from './look.ts';
import { INITIAL_STATE, type SetupState } from './setup-state.ts';
import { untilVisible, whileVisible } from './visibility.ts';

/** A link to a DNS provider that adds the records itself. */
export type ConnectOffer = NonNullable<Awaited<ReturnType<ApiCalls['setup']['getDomainConnect']>>['offer']>;

/** A set-up link that is followed until `stop`. */
export interface Following {
  /** Asks for a check now. */
  check(): Promise<void>;
  /** Asks whether the DNS provider adds the records itself. `isReturning`: it sends the browser back. */
  findOffer(isReturning: boolean): Promise<ConnectOffer | null>;
  stop(): void;
}

const RECONNECT_MS = 1_000;
/** A lost stream usually needs only a new session. */
const NEW_SESSION_MS = 250;
/** After a check that was asked for, the next one is allowed after this time. */
const CHECK_AGAIN_MS = 10_000;

/**
 * Follows the domain of a set-up link: `show` gets all that is known, at once and whenever it changes. It goes on until
 * the link no longer works, or it is stopped.
 */
export function follow(api: string, linkToken: string, show: (state: SetupState) => void): Following {
  const stopped = new AbortController();
  const { signal } = stopped;
  const session = openLink(api, linkToken, ({ domain, brand, pageUrl }) =>
    // The stream is newer than a session that is opened later.
    update({
      brand,
      url: pageUrl === undefined ? null : `${pageUrl}#${linkToken}`,
      domain: state.domain ?? domain,
      link: 'open',
      isConnected: true,
      isCrowded: false,
    }),
  );
  const client = createClient({ baseUrl: api, rootKey: session.token });
  let state = INITIAL_STATE;
  const update = (changes: Partial<SetupState>) => {
    if (signal.aborted) return;
    state = { ...state, ...changes };
    show(state);
  };
  const lost = (error: unknown) =>
    update({ isConnected: false, isCrowded: error instanceof NameplateError && error.status === 429 });
  const look = createLooker({ api, token: session.token, signal, update, state: () => state });

  run().catch((error) => {
    if (signal.aborted) return;
    const support = error instanceof LinkRefused ? error.support : null;
    update({ link: endOf(error, state), support, isConnected: true, isCrowded: false });
    stopped.abort();
  });

  async function run(): Promise<never> {
    const open = () => persist(session.token, signal, lost);
    await open();
    const id = state.domain?.id ?? '';
    look.begin(id);
    for (let failures = 0; ; failures += 1) {
      let end: unknown;
      try {
        await whileVisible(signal, (visible) =>
          watch(id, visible, () => {
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
      // The token has expired, as each does. If the link has ended, opening a session tells why.
      session.forget();
      await open();
      await pause(backOff(end, failures, NEW_SESSION_MS), signal);
    }
  }

  /** Streams until `visible` is aborted. */
  async function watch(domain: string, visible: AbortSignal, onConnect: () => void): Promise<void> {
    const watching = client.domains.watchDomain({
      domain,
      signal: visible,
      onConnect: () => {
        onConnect();
        update({ isConnected: true, isCrowded: false });
      },
      onDisconnect: lost,
      onReadyToSwitch: () => look.soon(),
    });
    for await (const changed of watching) {
      const { updatedAt, status } = state.domain ?? {};
      const isNew = changed.updatedAt !== updatedAt || changed.status !== status;
      update({ domain: changed });
      if (isNew) look.soon();
    }
  }

  show(state);
  return {
    async check() {
      if (state.domain === null || state.isChecking) return;
      const before = knownOf(state);
      update({ isChecking: true });
      try {
        await look.check();
        const outcome = knownOf(state) === before ? 'same' : 'changed';
        update({ asked: { at: Date.now(), outcome }, busyUntil: Date.now() + CHECK_AGAIN_MS });
      } catch (error) {
        const isBusy = error instanceof NameplateError && error.status === 429;
        const wait = error instanceof NameplateError && error.retryAfter !== null ? error.retryAfter * 1000 : null;
        const busyUntil = isBusy ? Date.now() + (wait ?? CHECK_AGAIN_MS) : null;
        update({ asked: { at: Date.now(), outcome: isBusy ? 'busy' : 'failed' }, busyUntil });
      }
      update({ isChecking: false });
    },
    async findOffer(isReturning) {
      const domain = state.domain?.id ?? '';
      const { offer = null } = await client.setup.getDomainConnect({ domain, return: isReturning }, { signal });
      return offer;
    },
    stop: () => stopped.abort(),
  };
}

/** All that a check can change, as a text to compare. */
function knownOf({ domain, diagnosis, certificate }: SetupState): string {
  const records = diagnosis?.records.map(({ verified, seen }) => [verified, seen]);
  const findings = diagnosis?.findings.map(({ code, name, seen }) => [code, name, seen]);
  return JSON.stringify([domain?.status, records, findings, certificate?.state, certificate?.problem]);
}

/** Repeats a call that fails without a connection. */
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

function endOf(error: unknown, { link, domain }: SetupState): SetupState['link'] {
  if (error instanceof LinkRefused) {
    // The link was deleted with its domain.
    return error.problem === 'unknown' && domain !== null ? 'deleted' : error.problem;
  }
  if (error instanceof NameplateError && error.status === 404 && link === 'open') return 'deleted';
  return isOfDisabledWorkspace(error) ? 'disabled' : 'denied';
}

function isOfDisabledWorkspace(error: unknown): boolean {
  return error instanceof NameplateError && error.code === 'authorization/setup_workspace_disabled';
}
