/** Text for people, made of parts that strangers wrote: bounded, and unable to do anything but be read. */

/** Longest text of a `verificationError` or `note`, in characters (spec: Limits). */
export const TEXT_LIMIT = 512;

/** Longest piece of a stranger's text that is shown. */
const SHOWN_LIMIT = 100;

/**
 * A stranger's text in quotation marks. Control, format, bidirectional and unassigned characters become `\u{…}`, so that nothing in
 * it can reorder, hide or break the text around it; what exceeds 100 characters is cut.
 */
export function shown(text: string): string {
  return shownUpTo(SHOWN_LIMIT, text);
}

/** The same, cut at so many characters. */
export function shownUpTo(limit: number, text: string): string {
  const characters = [...text.slice(0, 4 * limit)];
  const visible = characters.slice(0, limit).map(show);
  const cut = characters.length > limit || text.length > 4 * limit;
  return `"${visible.join('')}${cut ? '…' : ''}"`;
}

function show(character: string, index: number): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const unseen = character !== ' ' && /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character);
  // A combining mark at the beginning would stand on the quotation mark.
  const astray = index === 0 && /\p{M}/u.test(character);
  return unseen || astray ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character;
}

/** At most `most` items in words: `a, b and 3 more`. */
export function listed(items: string[], most = 3): string {
  const rest = items.length - most;
  if (rest > 0) return `${items.slice(0, most).join(', ')} and ${rest} more`;
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** The text, cut at a word so that it has at most 512 characters, the ellipsis included. */
export function bounded(text: string): string {
  const characters = [...text];
  if (characters.length <= TEXT_LIMIT) return text;
  const kept = characters.slice(0, TEXT_LIMIT - 1).join('');
  const space = kept.lastIndexOf(' ');
  return `${space > TEXT_LIMIT / 2 ? kept.slice(0, space) : kept}…`;
}

/** A length of time in whole units: `24 hours`, `90 seconds`. */
export function duration(ms: number): string {
  const units: [number, string][] = [
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1000, 'second'],
  ];
  for (const [unitMs, name] of units) {
    if (ms >= unitMs && ms % unitMs === 0) return `${ms / unitMs} ${name}${ms === unitMs ? '' : 's'}`;
  }
  return `${ms} milliseconds`;
}
