import type { Certificate, Finding } from '../../client/client.ts';

/** `lang`: the language of the sentences, where it is not the page's: a newer server has said them. */
export type ToldFinding = Finding & { lang?: 'en' };

/** How findings and problems are said. */
export interface Voice {
  /** Attributes for the element that contains the texts. */
  attributes: { lang: string; dir: 'ltr' | 'rtl' };
  tellFinding(finding: Finding): ToldFinding;
  /** Why there is no certificate. */
  tellProblem(certificate: Certificate): { text: string; lang?: 'en' };
}

/** The page and every component in it share one voice. Until a language is loaded, it has the API's own sentences. */
export let VOICE: Voice = {
  attributes: { lang: 'en', dir: 'ltr' },
  tellFinding: (finding) => finding,
  tellProblem: ({ problem }) => ({ text: problem?.message ?? '' }),
};

export function setVoice(voice: Voice): void {
  VOICE = voice;
}
