import { english } from '../../../../words/english.ts';
import type { Style } from '../../../../words/said.ts';
import { tellFinding } from '../../../../words/tell.ts';
import type { Finding, FindingFields } from '../finding.ts';
import { duration, joinList, quote, TEXT_LIMIT } from '../text.ts';
import { FINDING_TEXTS } from './finding-texts.ts';

/** The English of findings in the API: limited in length, and safe to print. `words/` chooses the sentences. */

/** Room for what `verificationError` says around a finding. */
const AROUND = 80;

/** Longest message and fix of a finding together, in characters, so that both fit into `verificationError`. */
export const FINDING_LIMIT = TEXT_LIMIT - AROUND;

/** Longest title, in characters: a message always fits beside the fix. */
export const TITLE_LIMIT = 100;

/** The lengths to which untrusted texts are shortened, until the sentences fit. */
const QUOTE_LENGTHS = [100, 60, 30, 12];

/** The finding with its sentences: what was seen is shortened until they fit, then sentences are left out. */
export function withSentences(fields: FindingFields): Finding {
  const versions = QUOTE_LENGTHS.map((limit) => once(() => tellFinding(fields, english, styleWith(limit))));
  const fix = fittedFix(fields, versions);
  const room = FINDING_LIMIT - lengthOf(fix) - 1;
  return { ...fields, message: fittedMessage(versions, room) || FINDING_TEXTS[fields.code].title, fix };
}

type Version = () => ReturnType<typeof tellFinding>;

/** The fix, or a shorter one where names have hundreds of characters: with the exact value, where one has to be published. */
function fittedFix({ code, record, expected, action }: FindingFields, versions: Version[]): string {
  const fits = (text: string) => lengthOf(text) < FINDING_LIMIT - TITLE_LIMIT;
  const whole = versions.find((version) => fits(version().fix.join(' ')));
  if (whole !== undefined) return whole().fix.join(' ');
  const shortest = FINDING_TEXTS[code].fix;
  if (record === undefined || expected === undefined || action?.valueInZone === undefined) return shortest;
  const publish = `Publish the ${action.type} record exactly as it is listed.`;
  const value = `Value: \`${action.valueInZone}\`.`;
  const name = action.nameInZone === '' ? 'leave it empty' : `\`${action.nameInZone}\``;
  return [`${publish} Name: ${name}, ${value}`, `${publish} ${value}`].find(fits) ?? shortest;
}

function fittedMessage(versions: Version[], room: number): string {
  const fits = (sentences: string[]) => lengthOf(sentences.join(' ')) <= room;
  const version = versions.find((each) => fits(each().message)) ?? versions.at(-1);
  const sentences = [...(version?.().message ?? [])];
  while (sentences.length > 0 && !fits(sentences)) sentences.pop();
  return sentences.join(' ');
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function lengthOf(text: string): number {
  return [...text].length;
}

function styleWith(limit: number): Style {
  const value = (text: string) => quote(text, limit);
  return {
    value,
    name: (text) => (/^[a-z0-9._:*-]+$/i.test(text) ? text : value(text)),
    // With its value in quotation marks, as in zone files. A long one is cut, and has no mark at its end.
    caa(text) {
      const [, property, quoted] = /^(\d+ [a-z\d]+) "(.*?)"?$/is.exec(text) ?? [];
      return property === undefined || quoted === undefined ? value(text) : `${property} ${value(quoted)}`;
    },
    typed: (text) => `\`${text}\``,
    list: (texts) => joinList(texts, [3, 2].find((most) => joinList(texts, most).length <= 4 * limit + 20) ?? 1),
    time: (at) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    duration: (seconds) => duration(seconds * 1000),
  };
}

/** A stored text for a customer, who must not learn of other customers: without the name of the domain that a value belongs to. */
export function withoutOwner(message: string): string {
  return message.replaceAll(/That is the value of (?!the )(?:\*\.)?[a-z0-9.-]*[a-z0-9]\./g, STALE);
}

const STALE = String(english.findings.textStale);
