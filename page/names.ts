import { toUnicode } from 'punycode/punycode.es6.js';

/** A name in Unicode where it has labels in Punycode (RFC 3492); null where it has none, or they are not valid. */
export function unicodeForm(name: string): string | null {
  if (!/(^|\.)xn--/.test(name)) return null;
  try {
    const unicode = toUnicode(name);
    // Labels that would be invisible, or would reorder the text around them, stay in Punycode.
    return /[\p{C}\p{Z}]/u.test(unicode) || unicode === name ? null : unicode;
  } catch {
    return null;
  }
}

/**
 * A text with its control, format and bidirectional characters written out, such as `\u{202e}`: none of them hides or
 * reorders what is around it.
 */
export function visible(text: string): string {
  const writtenOut = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;
  return text.replace(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, writtenOut);
}
