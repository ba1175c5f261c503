import type { Finding } from '../finding.ts';
import { quote, TEXT_LIMIT } from '../text.ts';
import { FINDING_TEXTS } from './finding-texts.ts';

/** Room for what `verificationError` says around a finding. */
const AROUND = 80;

/** Longest message and fix of a finding together, in characters, so that both fit into `verificationError`. */
export const FINDING_LIMIT = TEXT_LIMIT - AROUND;

/** The lengths to which untrusted texts are shortened, until the message fits. */
const QUOTE_LENGTHS = [100, 60, 30, 12];

/** Values of a finding that are kept, and characters of each. */
const MAX_SEEN = 10;
const MAX_SEEN_LENGTH = 255;

/** Untrusted text in quotation marks, shortened as far as the message needs it. */
export type Quote = (text: string) => string;

/** A finding whose texts are not fitted yet. */
export interface FindingDraft extends Omit<Finding, 'message' | 'fix'> {
  /** Whole sentences, the most important first: what does not fit is left out from the end. */
  message: (quoteSeen: Quote) => string[];
  /** Whole sentences. */
  fix: string;
}

/** Longest title, in characters: a message always fits beside the fix. */
export const TITLE_LIMIT = 100;

/** Where a fix is too long to be shown: only with names of hundreds of characters. */
const BRIEF_FIX = 'Publish the records of this domain exactly as they are listed.';

/** Fits the texts: what was seen is shortened first, then sentences are left out, the fix last. */
export function finish({ message, fix, seen, ...draft }: FindingDraft): Finding {
  const fixed = lengthOf(fix) < FINDING_LIMIT - TITLE_LIMIT ? fix : BRIEF_FIX;
  const room = FINDING_LIMIT - lengthOf(fixed) - 1;
  const limited = seen?.slice(0, MAX_SEEN).map((text) => [...text].slice(0, MAX_SEEN_LENGTH).join(''));
  return {
    ...draft,
    ...(limited && { seen: limited }),
    message: fitted(message, room) || FINDING_TEXTS[draft.code].title,
    fix: fixed,
  };
}

function fitted(message: FindingDraft['message'], room: number): string {
  const versions = QUOTE_LENGTHS.map((limit) => message((text) => quote(text, limit)));
  const whole = versions.map((sentences) => sentences.join(' ')).find((text) => lengthOf(text) <= room);
  if (whole !== undefined) return whole;
  const shortest = versions.at(-1) ?? [];
  while (shortest.length > 0 && lengthOf(shortest.join(' ')) > room) shortest.pop();
  return shortest.join(' ');
}

function lengthOf(text: string): number {
  return [...text].length;
}
