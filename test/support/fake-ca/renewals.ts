import type { Clock } from '../../../server/src/base/clock.ts';
import type { FakeCertificate } from './authority.ts';

/** Renewal windows of the fake CA (RFC 9773). */

export interface SuggestedWindow {
  start: number;
  end: number;
  explanationUrl?: string;
}

const DAY_MS = 24 * 3_600_000;
const ASK_AGAIN_S = 6 * 3600;

export function createRenewals(certificates: readonly FakeCertificate[], clock: Clock) {
  const windows = new Map<string, SuggestedWindow>();
  let forAll: SuggestedWindow | null = null;

  /** Two days around the moment at which a third of the lifetime is left, as at Let's Encrypt. */
  function usual({ notBefore, notAfter }: FakeCertificate): SuggestedWindow {
    const middle = notAfter - (notAfter - notBefore) / 3;
    return { start: middle - DAY_MS, end: middle + DAY_MS };
  }

  return {
    answer(renewalId: string) {
      const certificate = certificates.find((one) => one.renewalId === renewalId);
      if (certificate === undefined) return { status: 404 };
      const { start, end, explanationUrl } = windows.get(certificate.hostname) ?? forAll ?? usual(certificate);
      const suggestedWindow = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
      const headers = { 'retry-after': String(ASK_AGAIN_S), date: new Date(clock.now()).toUTCString() };
      return { headers, body: { suggestedWindow, ...(explanationUrl && { explanationURL: explanationUrl }) } };
    },

    suggest(window: SuggestedWindow | null, hostname?: string) {
      if (hostname === undefined) forAll = window;
      else if (window === null) windows.delete(hostname);
      else windows.set(hostname, window);
    },
  };
}
