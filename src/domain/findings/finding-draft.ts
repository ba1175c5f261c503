import type { Finding } from '../finding.ts';
import { quote, TEXT_LIMIT } from '../text.ts';
import { FINDING_TEXTS } from './finding-texts.ts';
import { type RecordView, typedRecord, typedValue } from './record-view.ts';

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

/** Fits the texts: what was seen is shortened first, then sentences are left out. `view`: the record that it is about, if it is about one. */
export function finish({ message, fix, seen, ...draft }: FindingDraft, view: RecordView | undefined): Finding {
  const fixed = fittedFix(fix, draft, view);
  const room = FINDING_LIMIT - lengthOf(fixed) - 1;
  const limited = seen?.slice(0, MAX_SEEN).map((text) => [...text].slice(0, MAX_SEEN_LENGTH).join(''));
  return {
    ...draft,
    ...(limited && { seen: limited }),
    message: fitted(message, room) || FINDING_TEXTS[draft.code].title,
    fix: fixed,
  };
}

/** The fix, or a shorter one where names have hundreds of characters: with the exact value, where one has to be published. */
function fittedFix(
  fix: string,
  { code, expected }: Pick<FindingDraft, 'code' | 'expected'>,
  view: RecordView | undefined,
): string {
  const shorter = view === undefined || expected === undefined ? [] : shorterFixes(view);
  return [fix, ...shorter].find((text) => lengthOf(text) < FINDING_LIMIT - TITLE_LIMIT) ?? FINDING_TEXTS[code].fix;
}

function shorterFixes(view: RecordView): string[] {
  const publish = `Publish the ${view.type} record exactly as it is listed.`;
  return [`${publish} ${typedRecord(view)}`, `${publish} ${typedValue(view)}.`];
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
