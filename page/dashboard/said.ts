import type { Finding } from '../../client/client.ts';
import { partsOf } from '../languages/sentence.ts';
import { VOICE } from '../languages/voice.ts';
import { TEXT, wordFor } from './text.ts';

/** A text; `lang`: its language, where it is not the page's. */
export interface Said {
  text: string;
  lang?: 'en' | undefined;
}

/** A sentence of the API, which is English. `own`: what other languages say in its place, where they know as much. */
export function ofApi(text: string | undefined, own?: string): Said | null {
  if (text === undefined) return null;
  if (own === undefined || VOICE.attributes.lang === 'en') return { text: partsOf(text).join(''), lang: 'en' };
  return { text: own };
}

/** Why there is no certificate. */
export function sayReason({ reason = '', message }: { reason?: string; message?: string }): Said | null {
  return ofApi(message, knownReason(reason));
}

/** The API's sentence about a blocker, besides its reason; other languages have the reason alone. */
export function sayBlocker(reason: string, message: string | undefined): Said | null {
  const isKnown = knownReason(reason) !== undefined;
  return isKnown && VOICE.attributes.lang !== 'en' ? null : ofApi(message);
}

const knownReason = (reason: string): string | undefined =>
  Object.hasOwn(TEXT.moving.reasons, reason) ? wordFor(TEXT.moving.reasons, reason) : undefined;

/** The mistake, without how to mend it. */
export function sayFinding(finding: Finding): Said {
  const { message, lang } = VOICE.tellFinding(finding);
  return { text: partsOf(message).join(''), lang };
}
