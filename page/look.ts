import { createClient } from '../client/client.ts';
import { untilVisible } from './attention.ts';
import { type Followed, isServed } from './followed.ts';

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

export interface LookerOptions {
  /** Address of the API. */
  api: string;
  token(): Promise<string>;
  signal: AbortSignal;
  update(changes: Partial<Followed>): void;
  now(): Followed;
}

/** Keeps the diagnosis and the certificate of a domain current. */
export interface Looker {
  begin(domain: string): void;
  /** Something has changed. */
  soon(): void;
  /** Asks for a background check, and looks now. Rejects at once when there were too many. */
  check(): Promise<void>;
}

/** Looks after each background check, while somebody looks at the page. */
export function createLooker({ api, token, signal, update, now }: LookerOptions): Looker {
  const client = createClient({ baseUrl: api, rootKey: token, retries: 1 });
  // Whoever asks for a check is told at once when there were too many.
  const impatient = createClient({ baseUrl: api, rootKey: token, retries: 0 });
  let domain = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Turns that were planned so far: of several that wait for somebody to look, the last one is taken. */
  let planned = 0;
  let lastLook = Number.NEGATIVE_INFINITY;
  let isLooking = false;
  /** What was seen may be older than the newest change. */
  let isDue = false;
  /** Since when a certificate is waited for; null where none is. */
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
    const { findings = [] } = now().diagnosis ?? {};
    const isWell =
      isServed(certificate) &&
      certificate.problem === undefined &&
      !findings.some(({ severity }) => severity === 'blocking');
    if (!isWell && !isDue) await diagnose();
  }

  async function diagnose({ cached = false, by = client } = {}): Promise<void> {
    if (!cached) lastLook = performance.now();
    const diagnosis = await by.domains.diagnoseDomain(cached ? { domain, cached } : { domain }, { signal });
    const isNow = !cached && diagnosis.checkedAt !== undefined;
    update({ diagnosis, clockOffset: isNow ? (diagnosis.checkedAt ?? 0) - Date.now() : now().clockOffset });
  }

  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    begin(id) {
      domain = id;
      plan(0);
    },
    soon: () => plan(0),
    async check() {
      // A verified domain is not checked; what its certificate waits for is.
      if (now().domain?.status === 'verified') {
        update({ certificate: await impatient.domains.getCertificate({ domain }, { signal }) });
      } else {
        await impatient.domains.verifyDomain({ domain }, { signal });
      }
      await diagnose({ by: impatient });
    },
  };
}

/** In ms. */
function nextLook({ domain, diagnosis, certificate, clockOffset }: Followed): number {
  if (domain?.status === 'verified') return isServed(certificate) ? NO_CHECK_MS : CERTIFICATE_MS;
  const due = diagnosis?.schedule.nextCheckAt;
  if (due === undefined) return NO_CHECK_MS;
  return Math.max(due - clockOffset - Date.now() + CHECK_MS, LOOK_MS);
}
