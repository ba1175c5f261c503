import type { Finding } from '../../client/client.ts';
import { partsOf } from '../languages/sentence.ts';
import { VOICE } from '../languages/voice.ts';

/** A text; `lang`: its language, where it is not the page's. */
export interface Said {
  text: string;
  lang?: 'en' | undefined;
}

/** A sentence of the API that has no other form. */
export function ofApi(text: string | undefined): Said | null {
  return text === undefined ? null : { text: partsOf(text).join(''), lang: 'en' };
}

/** The mistake, without how to mend it. */
export function sayFinding(finding: Finding): Said {
  const { message, lang } = VOICE.tellFinding(finding);
  return { text: partsOf(message).join(''), lang };
}
