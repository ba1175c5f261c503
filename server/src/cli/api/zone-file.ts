import { printable } from '../output/output.ts';
import type { PublishedRecord } from '../output/show-domain.ts';

const MAX_STRING_OCTETS = 255;

/**
 * The records as lines of a zone file (RFC 1035 section 5). ALIAS is not a DNS type, so it becomes a comment with
 * instructions.
 */
export function renderZone(domain: string, records: PublishedRecord[]): string {
  const name = Math.max(...records.map((record) => record.name.length)) + 1;
  const lines = records.flatMap((record) => {
    const line = [`${record.name}.`.padEnd(name), record.ttl, 'IN', record.type.padEnd(5), dataOf(record)].join('  ');
    if (record.type !== 'ALIAS') return [line];
    return [
      '; ALIAS is not a DNS type, so a zone file cannot contain the next record. Set it with what your DNS provider',
      '; offers for an apex: ALIAS, ANAME or a flattened CNAME.',
      `; ${line}`,
    ];
  });
  return [`; Records for ${printable(domain)}`, ...lines].join('\n');
}

function dataOf({ type, value }: PublishedRecord): string {
  switch (type) {
    case 'CNAME':
    case 'ALIAS':
      return `${value}.`;
    case 'TXT':
      return quoted(value);
    default:
      return type satisfies never;
  }
}

/** A text as quoted strings of at most 255 octets; octets outside printable ASCII become `\DDD`. */
function quoted(text: string): string {
  const octets = [...Buffer.from(text)];
  const strings: string[] = [];
  for (let at = 0; at === 0 || at < octets.length; at += MAX_STRING_OCTETS) {
    strings.push(
      octets
        .slice(at, at + MAX_STRING_OCTETS)
        .map(escaped)
        .join(''),
    );
  }
  return strings.map((string) => `"${string}"`).join(' ');
}

function escaped(octet: number): string {
  const character = String.fromCharCode(octet);
  if (character === '"' || character === '\\') return `\\${character}`;
  return octet < 0x20 || octet > 0x7e ? `\\${String(octet).padStart(3, '0')}` : character;
}
