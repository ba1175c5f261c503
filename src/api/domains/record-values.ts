/** Generated parts of a domain's records: new for every domain, never reused. Random bytes come from a CSPRNG. */

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

/** 103 bits: a letter, then 19 letters and digits, which is a valid host name everywhere. */
const TARGET_CHARACTERS = 20;
/** 142 bits. */
const TOKEN_CHARACTERS = 24;

type RandomBytes = (bytes: number) => Uint8Array;

/** A new host under the CNAME zone: the value of the routing record. */
export function newTarget(cnameZone: string, randomBytes: RandomBytes): string {
  const label = draw(1, LOWER, randomBytes) + draw(TARGET_CHARACTERS - 1, LOWER + DIGITS, randomBytes);
  return `${label}.${cnameZone}`;
}

/** A new token for the ownership record. */
export function newToken(randomBytes: RandomBytes): string {
  return draw(TOKEN_CHARACTERS, UPPER + LOWER + DIGITS, randomBytes);
}

/** Characters of an alphabet (at most 256), uniformly distributed. */
function draw(length: number, alphabet: string, randomBytes: RandomBytes): string {
  // Larger bytes would make the first characters of the alphabet likelier.
  const usable = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * length)) {
      if (byte < usable && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}
