import { readPrivateKey } from '../../../server/src/certificates/x509/private-key.ts';

/** Looks for secrets in anything visible. */
export interface Finder {
  /** The secrets in a text, each once, in any of their encodings. `text`: JSON-escaped, or not; bytes as latin1. */
  find(text: string): string[];
}

export interface Secret {
  /** For people. */
  name: string;
  /** At least 24 bytes: of a private key only its secret number. */
  bytes: Buffer;
}

/** The part of a private key that is secret (PKCS #8 DER, P-256). */
export function secretOf(name: string, privateKey: Uint8Array): Secret {
  const { d = '' } = readPrivateKey(privateKey).export({ format: 'jwk' });
  return { name, bytes: Buffer.from(d, 'base64url') };
}

interface Needle {
  name: string;
  form: string;
  text: string;
}

const START = 16;

/**
 * Finds each secret raw, in hexadecimal, in base64 and in base64url, also as a part of something longer, such as PEM.
 */
export function createFinder(secrets: readonly Secret[]): Finder {
  const all = secrets.flatMap(({ name, bytes }) =>
    formsOf(bytes).map(([form, text]): Needle => ({ name, form, text })),
  );
  const needles = Map.groupBy(all, ({ text }) => text.slice(0, START));

  return {
    find(text) {
      const found = new Map<string, string>();
      for (const haystack of [text, withoutBreaks(text)]) {
        for (let i = 0; i <= haystack.length - START; i++) {
          const possible = needles.get(haystack.substring(i, i + START)) ?? [];
          for (const needle of possible) if (haystack.startsWith(needle.text, i)) found.set(needle.name, needle.form);
        }
      }
      return [...found].map(([name, form]) => `${name}, ${form}`);
    },
  };
}

function formsOf(bytes: Buffer): [string, string][] {
  const forms: [string, string][] = [
    ['raw', bytes.toString('latin1')],
    ['in hexadecimal', bytes.toString('hex')],
    ['in hexadecimal', bytes.toString('hex').toUpperCase()],
  ];
  // Its base64 depends on its offset; the first and the last digit also on the bytes around it.
  for (const before of [0, 1, 2]) {
    const whole = Math.floor((before + bytes.length) / 3) * 3 - before;
    const padded = Buffer.concat([Buffer.alloc(before), bytes.subarray(0, whole)]);
    const skipped = before === 0 ? 0 : before + 1;
    forms.push(['in base64', padded.toString('base64').slice(skipped)]);
    forms.push(['in base64url', padded.toString('base64url').slice(skipped)]);
  }
  return forms;
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/\\n|\r?\n/g, '');
}
