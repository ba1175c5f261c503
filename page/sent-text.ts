import { isThere } from './record-view.ts';
import { TEXT } from './text.ts';
import type { View } from './view.ts';

/** Labels and values of a record; an empty value: the field stays empty. */
type Lines = [label: string, value: string][];

/** The records that are still to be added or changed, as plain text for a message; empty where there are none. */
export function sentText({ records, caa, moving }: Pick<View, 'records' | 'caa' | 'moving'>, domain: string): string {
  const isOffered = moving !== null && !isThere(moving);
  const open = records.filter((record) => !isThere(record) && !['not_needed', 'later'].includes(record.state));
  const blocks = open.map(({ type, name, entered, value, instead }) => {
    const block = aligned([[TEXT.type, type], ...named(name, entered), [TEXT.value, value]]);
    const others = instead.map((each) =>
      aligned([[TEXT.type, each.type], ...named(name, entered), [TEXT.value, each.value]]),
    );
    return others.length === 0 ? block : [block, TEXT.sent.instead, ...others].join('\n\n');
  });
  if (caa !== null) {
    const { name, entered, flags, tag, value } = caa;
    blocks.push(
      aligned([[TEXT.type, 'CAA'], ...named(name, entered), [TEXT.flags, flags], [TEXT.tag, tag], [TEXT.value, value]]),
    );
  }
  if (blocks.length === 0) return '';
  const ask = TEXT.sent.ask(domain, blocks.length);
  if (!isOffered) return [ask, ...blocks].join('\n\n');
  // First, and its text with it: whoever begins with the others takes the present site down.
  const { type, name, entered, value } = moving;
  const first = aligned([[TEXT.type, type], ...named(name, entered), [TEXT.value, value]]);
  return [TEXT.movingText, first, ask, ...blocks].join('\n\n');
}

/** As the panel wants it and in full: whoever reads it may use another panel than the one that was found. */
function named(name: string, entered: string | null): Lines {
  if (entered === name || entered === null) return [[TEXT.fullName, name]];
  return [
    [TEXT.name, entered === '' ? TEXT.emptyName : entered],
    [TEXT.fullName, name],
  ];
}

function aligned(lines: Lines): string {
  const { colon, sent } = TEXT;
  const width = Math.max(...lines.map(([label]) => label.length)) + colon.length;
  return lines.map(([label, value]) => (label + colon).padEnd(width, sent.fill) + value).join('\n');
}

/** A message without a recipient (RFC 6068). */
export function mailto(subject: string, text: string): string {
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text.replaceAll('\n', '\r\n'))}`;
}
