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
