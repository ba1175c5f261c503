/** Messages for people that contain untrusted text: limited in length and safe to print. */

/** Longest text of a `verificationError` or `note`, in characters (spec: Limits). */
export const TEXT_LIMIT = 512;

/** Longest part of an untrusted text that a message quotes, in characters. */
const QUOTE_LIMIT = 100;

/**
 * An untrusted text in quotation marks, cut after `limit` characters. Control, format, bidirectional and unassigned
 * characters become `\u{…}`, so that nothing in it can reorder, hide or break the text around it.
 */
export function quote(text: string, limit = QUOTE_LIMIT): string {
  const characters = [...text.slice(0, 4 * limit)];
  const cut = characters.length > limit || text.length > 4 * limit;
  return `"${characters.slice(0, limit).map(escapeCharacter).join('')}${cut ? '…' : ''}"`;
}

/** Escapes the characters of an untrusted text that cannot be seen, without quotation marks: for a value, not a part of a message. */
export function visible(text: string): string {
  return Array.from(text, (character, index) =>
    /["\\]/.test(character) ? character : escapeCharacter(character, index),
  ).join('');
}

function escapeCharacter(character: string, index: number): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const invisible = character !== ' ' && /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character);
  // A combining mark at the beginning would stand on the quotation mark.
  const leadingMark = index === 0 && /\p{M}/u.test(character);
  return invisible || leadingMark ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character;
}

/** `a, b and c`, or `a, b, c and 2 more` when there are more than `limit` items. */
export function joinList(items: string[], limit = 3): string {
  const rest = items.length - limit;
  if (rest > 0) return `${items.slice(0, limit).join(', ')} and ${rest} more`;
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** The same of untrusted texts, each quoted. */
export function joinQuoted(texts: string[], limit?: number): string {
  return joinList(
    texts.map((text) => quote(text)),
    limit,
  );
}

/** The text, cut at a word so that it has at most 512 characters with the ellipsis. */
export function truncate(text: string): string {
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
