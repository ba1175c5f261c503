import {
  type Brand,
  type Certificate,
  createClient,
  type Diagnosis,
  type Domain,
  type NameplateClient,
  NameplateError,
} from '../src/client/client.ts';
import { backOff, isTemporary, pause } from '../src/client/retry.ts';
import { type LinkProblem, LinkRefused, openLink } from './session.ts';

/** What is known of the domain of a link. */
export interface Followed {
  /** `disabled`: the workspace is. `denied`: the API does not answer this page at all, such as one of an origin that is not listed. */
  link: 'opening' | 'open' | 'deleted' | 'disabled' | 'denied' | LinkProblem;
  /** Whom to ask where it no longer works, in a sentence of the API. */
  advice: string | null;
  /** Whether changes arrive. */
  isConnected: boolean;
  /** They do not, for the link has reached a limit: it is open on many pages. */
  isCrowded: boolean;
  brand: Brand;
  domain: Domain | null;
  diagnosis: Diagnosis | null;
  certificate: Certificate | null;
  /** A check that somebody asked for is being made. */
  isChecking: boolean;
  /** Until when no other may be asked for; Unix ms. */
  busyUntil: number | null;
  /** What the clock of the server is ahead of the one here, in ms. */
  clockOffset: number;
}

/** A link that is followed until it is stopped. */
export interface Following {
  /** Asks for a check now. */
  check(): Promise<void>;
  stop(): void;
}

const NOTHING: Followed = {
  link: 'opening',
  advice: null,
  isConnected: true,
  isCrowded: false,
  brand: {},
  domain: null,
  diagnosis: null,
  certificate: null,
  isChecking: false,
  busyUntil: null,
  clockOffset: 0,
};

/** Looks at the DNS within 5 s share a result. */
const LOOK_MS = 6_000;
/** A check takes a while after it is due. */
const CHECK_MS = 2_000;
/** Where no check is due. */
const NO_CHECK_MS = 60_000;
const CERTIFICATE_MS = 3_000;
/** Where it was not issued in the first minutes. */
const LATE_CERTIFICATE_MS = 30_000;
const FIRST_MINUTES_MS = 180_000;
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
  const client = createClient({ baseUrl: api, rootKey: session.token, retries: 1 });
  // Whoever asks for a check is told at once when there were too many.
  const impatient = createClient({ baseUrl: api, rootKey: session.token, retries: 0 });
  let now = NOTHING;
  const update = (changes: Partial<Followed>) => {
    if (signal.aborted) return;
    now = { ...now, ...changes };
    show(now);
  };
  const lost = (error: unknown) =>
    update({ isConnected: false, isCrowded: error instanceof NameplateError && error.status === 429 });
  const look = looker(client, impatient, { signal, update, now: () => now });

  run().catch((error) => {
    if (signal.aborted) return;
    update({ link: endOf(error, now), advice: adviceOf(error), isConnected: true, isCrowded: false });
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
        await watch(id, () => {
          failures = 0;
        });
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

  async function watch(domain: string, onConnect: () => void): Promise<void> {
    const watching = client.domains.watchDomain({
      domain,
      signal,
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
      const { domain, isChecking } = now;
      if (domain === null || isChecking) return;
      update({ isChecking: true });
      try {
        await impatient.domains.verifyDomain({ domain: domain.id }, { signal });
        await look.fresh();
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

interface World {
  signal: AbortSignal;
  update(changes: Partial<Followed>): void;
  now(): Followed;
}

/** Keeps the diagnosis and the certificate current: after each background check, while somebody looks at the page. */
function looker(client: NameplateClient, impatient: NameplateClient, { signal, update, now }: World) {
  let domain = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastLook = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  /** What was seen may be older than the newest change. */
  let isDue = false;
  /** Since when a certificate is waited for; null where none is. */
  let waitingSince: number | null = null;

  function plan(ms: number): void {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(turn, ms);
  }

  async function turn(): Promise<void> {
    if (document.visibilityState === 'hidden') {
      document.addEventListener('visibilitychange', turn, { once: true });
      return;
    }
    if (isLooking) {
      isDue = true;
      return;
    }
    isDue = performance.now() - lastLook < LOOK_MS;
    isLooking = true;
    await refresh().catch(() => {});
    isLooking = false;
    plan(pauseAfter(now()));
  }

  function pauseAfter(known: Followed): number {
    if (known.domain?.status !== 'verified' || isServed(known.certificate)) waitingSince = null;
    else waitingSince ??= performance.now();
    if (isDue) return LOOK_MS;
    const isLate = waitingSince !== null && performance.now() - waitingSince > FIRST_MINUTES_MS;
    return isLate ? LATE_CERTIFICATE_MS : nextLook(known);
  }

  async function refresh(): Promise<void> {
    if (now().domain?.status !== 'verified') {
      if (now().certificate !== null) update({ certificate: null });
      return diagnose();
    }
    const certificate = await client.domains.getCertificate({ domain }, { signal });
    update({ certificate });
    // The last check knows enough of a name that is served, unless it found something wrong.
    if (isServed(certificate)) await diagnose({ cached: true });
    const isWell = isServed(certificate) && !now().diagnosis?.findings.some(({ severity }) => severity === 'blocking');
    if (!isWell && !isDue) await diagnose();
  }

  async function diagnose({ cached = false, by = client } = {}): Promise<void> {
    if (!cached) lastLook = performance.now();
    const diagnosis = await by.domains.diagnoseDomain(cached ? { domain, cached } : { domain }, { signal });
    const isNow = !cached && diagnosis.checkedAt !== undefined;
    update({ diagnosis, clockOffset: isNow ? (diagnosis.checkedAt ?? 0) - Date.now() : now().clockOffset });
  }

  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', turn);
  });
  return {
    begin(id: string) {
      domain = id;
      plan(0);
    },
    /** Something has changed. */
    soon: () => plan(0),
    /** Looks at the DNS now; rejects at once when there were too many looks. */
    fresh: () => diagnose({ by: impatient }),
  };
}

/** In ms. */
function nextLook({ domain, diagnosis, certificate, clockOffset }: Followed): number {
  if (domain?.status === 'verified') return isServed(certificate) ? NO_CHECK_MS : CERTIFICATE_MS;
  const due = diagnosis?.schedule.nextCheckAt;
  if (due === undefined) return NO_CHECK_MS;
  return Math.max(due - clockOffset - Date.now() + CHECK_MS, LOOK_MS);
}

/** Whether the name has a certificate in use. */
export function isServed(certificate: Certificate | null): boolean {
  return certificate?.issued !== undefined;
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

/** With a support address of the platform. */
function adviceOf(error: unknown): string | null {
  return error instanceof LinkRefused ? (/\bAsk .*(?:mailto|https):.*/.exec(error.message)?.[0] ?? null) : null;
}
