import { createClient } from '../client/client.ts';
import { isServed, type SetupState } from './setup-state.ts';
import { untilVisible } from './visibility.ts';

/** Looks at the DNS within 5 s share a result. */
const LOOK_MS = 6_000;
/** A check takes a while after it is due. */
const CHECK_MS = 2_000;
/** Pause where no check is due. */
const NO_CHECK_MS = 60_000;
/** The last check of a served name may be a day old: a page that is opened, or stays open, looks again after this time. */
const FRESH_MS = 600_000;
const CERTIFICATE_MS = 3_000;
/** Most certificates are issued within seconds: they are asked for more often at first. */
const EARLY_CERTIFICATE_MS = 1_000;
const FIRST_SECONDS_MS = 15_000;
/** Pause where it was not issued in the first minutes. */
const LATE_CERTIFICATE_MS = 30_000;
const FIRST_MINUTES_MS = 180_000;

export interface LookerOptions {
  /** Address of the API. */
  api: string;
  token(): Promise<string>;
  signal: AbortSignal;
  update(changes: Partial<SetupState>): void;
  state(): SetupState;
}

/** Keeps the diagnosis and the certificate of a domain current. */
export interface Looker {
  begin(domain: string): void;
  /** The domain has changed. */
  soon(): void;
  /** Asks for a background check, and looks now. Rejects at once when there were too many. */
  check(): Promise<void>;
}

/** Reads the result of each background check, while the page is visible. */
export function createLooker({ api, token, signal, update, state }: LookerOptions): Looker {
  const client = createClient({ baseUrl: api, rootKey: token, retries: 1 });
  // A caller who asks for too many checks gets the error at once.
  const impatient = createClient({ baseUrl: api, rootKey: token, retries: 0 });
  let domain = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  /**
   * Number of reads that were planned so far: of several that wait for the page to be visible, only the last one is
   * made.
   */
  let planned = 0;
  let lastLook = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  /** The diagnosis may be older than the newest change. */
  let isDue = false;
  /** Start of the wait for a certificate; null where none is awaited. */
  let waitingSince: number | null = null;

  function plan(ms: number): void {
    clearTimeout(timer);
    planned += 1;
    const number = planned;
    const begin = async () => {
      await untilVisible(signal);
      if (number === planned) await turn();
    };
    if (!signal.aborted) timer = setTimeout(() => begin().catch(() => {}), ms);
  }

  async function turn(): Promise<void> {
    if (isLooking) {
      isDue = true;
      return;
    }
    isDue = performance.now() - lastLook < LOOK_MS;
    isLooking = true;
    await refresh().catch(() => {});
    isLooking = false;
    plan(pauseAfter(state()));
  }

  function pauseAfter(known: SetupState): number {
    if (known.domain?.status !== 'verified' || isServed(known.certificate)) waitingSince = null;
    else waitingSince ??= performance.now();
    const waited = waitingSince === null ? null : performance.now() - waitingSince;
    const next = waited === null ? nextLook(known) : certificatePause(waited);
    // Another look at the DNS would get the same result before.
    return isDue ? Math.min(next, Math.max(lastLook + LOOK_MS - performance.now(), EARLY_CERTIFICATE_MS)) : next;
  }

  async function refresh(): Promise<void> {
    if (state().domain?.status !== 'verified') {
      await diagnose();
      // It may be ordered before the domain is verified.
      const isPrepared = state().diagnosis?.challengeRecord?.verified;
      const certificate = isPrepared ? await client.domains.getCertificate({ domain }, { signal }) : null;
      if (certificate !== state().certificate) update({ certificate });
      return;
    }
    const certificate = await client.domains.getCertificate({ domain }, { signal });
    update({ certificate });
    // For a name that is served, the result of the last check is there at once.
    if (isServed(certificate)) await diagnose({ cached: true });
    const { findings = [] } = state().diagnosis ?? {};
    const isWell =
      isServed(certificate) &&
      certificate.problem === undefined &&
      !findings.some(({ severity }) => severity === 'blocking');
    const isFresh = performance.now() - lastLook < FRESH_MS;
    if (!(isWell && isFresh) && !isDue) await diagnose();
  }

  async function diagnose({ cached = false, by = client } = {}): Promise<void> {
    // A look that is due may have got the result of the one before.
    if (!cached && !isDue) lastLook = performance.now();
    const diagnosis = await by.domains.diagnoseDomain(cached ? { domain, cached } : { domain }, { signal });
    // The last check may be older than a look: a mistake that is mended would come back.
    if (cached && (diagnosis.checkedAt ?? 0) < (state().diagnosis?.checkedAt ?? 0)) return;
    const isNow = !cached && diagnosis.checkedAt !== undefined;
    update({ diagnosis, clockOffset: isNow ? (diagnosis.checkedAt ?? 0) - Date.now() : state().clockOffset });
  }

  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    begin(id) {
      domain = id;
      plan(0);
    },
    soon: () => plan(0),
    async check() {
      // A verified domain is not checked, but its certificate may be waiting for a record.
      if (state().domain?.status === 'verified') {
        update({ certificate: await impatient.domains.getCertificate({ domain }, { signal }) });
        await diagnose({ by: impatient });
        // The diagnosis has made it due.
        waitingSince = null;
        return plan(EARLY_CERTIFICATE_MS);
      }
      await impatient.domains.verifyDomain({ domain }, { signal });
      await diagnose({ by: impatient });
      // It may have got the result of a look shortly before the change.
      plan(LOOK_MS);
    },
  };
}

/** Milliseconds until a certificate that is awaited for `waited` ms is asked for again. */
function certificatePause(waited: number): number {
  if (waited > FIRST_MINUTES_MS) return LATE_CERTIFICATE_MS;
  return waited > FIRST_SECONDS_MS ? CERTIFICATE_MS : EARLY_CERTIFICATE_MS;
}

/** Milliseconds until the next look, where no certificate is awaited. */
function nextLook({ domain, diagnosis, clockOffset }: SetupState): number {
  if (domain?.status === 'verified') return NO_CHECK_MS;
  const due = diagnosis?.schedule.nextCheckAt;
  if (due === undefined) return NO_CHECK_MS;
  return Math.max(due - clockOffset - Date.now() + CHECK_MS, LOOK_MS);
}
