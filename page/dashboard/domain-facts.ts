import type { Diagnosis, DomainEvent, Site, UsageInTime } from '../../client/client.ts';
import { VOICE } from '../languages/voice.ts';
import { visible } from '../names.ts';
import type { Steps } from '../view.ts';
import { liveProblems } from './live-problems.ts';
import type { Tone } from './parts.tsx';
import { ofApi, type Said, sayFinding, sayReason } from './said.ts';
import { TEXT, wordFor } from './text.ts';

/** Rules for the page of a domain. Pure. */

/** The steps as visitors have them: a certificate in the store alone makes no site live. */
export function honestSteps(steps: Steps, { live, suspension }: Site): Steps {
  if (steps.certificate !== 'done' || steps.dns !== 'done') return steps;
  if (suspension !== undefined) return { ...steps, live: 'problem' };
  if (live === undefined) return { ...steps, live: 'current' };
  return { ...steps, live: live.state === 'live' ? 'done' : 'problem' };
}

/** The newer of two looks at the DNS. */
export function newerLook(one: Diagnosis | undefined, other: Diagnosis | undefined): Diagnosis | null {
  if (one === undefined || other === undefined) return one ?? other ?? null;
  return (other.checkedAt ?? 0) > (one.checkedAt ?? 0) ? other : one;
}

export interface Part {
  text: string;
  differs: boolean;
}

/** Texts that share less than this of the longer one have nothing to do with each other: they differ as a whole. */
const LEAST_SHARED = 0.5;

/** Compares two texts character by character: the characters of each that the other lacks are marked. */
export function difference(seen: string, expected: string): { seen: Part[]; expected: Part[] } {
  const [a, b] = [[...seen], [...expected]];
  const longer = Math.max(1, a.length, b.length);
  // A comparison takes the product of the lengths: texts that cannot have enough in common are not compared.
  const found = Math.min(a.length, b.length) / longer < LEAST_SHARED ? [] : longestCommon(a, b);
  const kept = found.length / longer < LEAST_SHARED ? [] : found;
  const marked = (characters: readonly string[], side: 0 | 1) =>
    partsOf(characters, new Set(kept.map((pair) => pair[side])));
  return { seen: marked(a, 0), expected: marked(b, 1) };
}

/** Pairs of places with the same character, as many as there are in the same order. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  return pairs;
}

function partsOf(characters: readonly string[], kept: ReadonlySet<number>): Part[] {
  const parts: Part[] = [];
  characters.forEach((character, at) => {
    const differs = !kept.has(at);
    const last = parts.at(-1);
    if (last?.differs === differs) last.text += shown(character);
    else parts.push({ text: shown(character), differs });
  });
  return parts;
}

/** A space at an end could not be seen. */
const shown = (character: string) => (character === ' ' ? '␣' : visible(character));

const TONES: Record<string, Tone> = {
  'domain.verified': 'good',
  'domain.recovered': 'good',
  'domain.restored': 'good',
  'certificate.issued': 'good',
  'certificate.renewed': 'good',
  'site.live': 'good',
  'site.ready_to_switch': 'good',
  'record.seen': 'good',
  'domain.failed': 'bad',
  'domain.drifted': 'bad',
  'domain.superseded': 'bad',
  'certificate.failed': 'bad',
  'site.unreachable': 'bad',
  'record.lost': 'warn',
  'diagnosis.changed': 'warn',
  'certificate.expiring': 'warn',
  'domain.suspended': 'warn',
  'domain.deleted': 'warn',
};

/** An event as the timeline tells it. `seen`: values of strangers, as they are. `lines`: sentences. */
interface ToldEvent {
  title: string;
  tone: Tone;
  lines: Said[];
  seen: string[];
}

export function tellEvent({ type, data }: DomainEvent): ToldEvent {
  const { record, seen = [], findings = [], certificate, redirect, move, suspension, deletion, live } = data;
  const title = wordFor(TEXT.domain.events, type);
  const { checks_ended: ended, records_wrong: wrong } = TEXT.home.sentences;
  const error = type === 'domain.failed' || type === 'domain.drifted' ? data.verificationError : undefined;
  const lines = [
    ...(findings.length > 0 ? findings.map(sayFinding) : [ofApi(error, type === 'domain.failed' ? ended : wrong)]),
    sayReason(certificate ?? {}),
    certificate?.notAfter !== undefined ? TEXT.domain.validUntil(certificate.notAfter) : undefined,
    redirect && `→ ${redirect.to} (${redirect.status})`,
    move && `${move.from} → ${move.to}`,
    suspension && TEXT.domain.pageWith(suspension.status),
    deletion && TEXT.domain.replacedBy(deletion.by),
    live && liveProblems(live),
  ]
    .flatMap((line) => (typeof line === 'string' ? { text: line } : (line ?? [])))
    .filter(({ text }) => text !== '');
  return {
    title: record === undefined ? title : title + TEXT.signs.colon + wordFor(TEXT.domain.recordNames, record),
    tone: TONES[type] ?? 'quiet',
    lines,
    seen: [...seen],
  };
}

export interface UsageSums {
  requests: number;
  bytesIn: number;
  bytesOut: number;
  edgeErrors: number;
  originErrors: number;
}

export function sumOf(usage: readonly UsageInTime[]): UsageSums {
  const sums: UsageSums = { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };
  for (const each of usage) for (const name of Object.keys(sums) as (keyof UsageSums)[]) sums[name] += each[name];
  return sums;
}

const DAY_MS = 86_400_000;

/** One entry a day in UTC, the last of them today; days without usage are 0. */
export function daily(usage: readonly UsageInTime[], now: number, days: number): UsageInTime[] {
  const today = now - (now % DAY_MS);
  const by = new Map(usage.map((each) => [each.at, each]));
  return Array.from({ length: days }, (_, at) => {
    const day = today - (days - 1 - at) * DAY_MS;
    return by.get(day) ?? { at: day, ...sumOf([]) };
  });
}

/** `1.4 MB`: decimal units, as bills have them. */
export function bytes(count: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const power = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3));
  return new Intl.NumberFormat(VOICE.attributes.lang, {
    style: 'unit',
    unit: units[power] as string,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(count / 1000 ** power);
}

/** Lines of `key=value` as metadata, with null for those that are gone. Null: a line is not such a pair. */
export function metadataChange(
  lines: string,
  before: Readonly<Record<string, string>>,
): Record<string, string | null> | null {
  const given = lines.split('\n').filter((line) => line.trim() !== '');
  const pairs = given.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1)]);
  if (given.some((line) => line.indexOf('=') < 1)) return null;
  const after = Object.fromEntries(pairs) as Record<string, string>;
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...after, ...Object.fromEntries(gone.map((key) => [key, null])) };
}
