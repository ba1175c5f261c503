import type { Certificate, Finding } from '../../client/client.ts';
import type { Style } from '../../words/said.ts';
import * as words from '../../words/tell.ts';
import type { Language } from './en.ts';
import { formatsIn } from './formats.ts';
import { marked } from './sentence.ts';
import type { ToldFinding } from './voice.ts';

/** Values of a list that are named, and characters of each. */
const MOST = 4;
const LONGEST = 100;
const LONGEST_NAME = 255;

export function tellFinding(finding: Finding, language: Language): ToldFinding {
  const { message, fix } = words.tellFinding(finding, language, styleIn(language));
  // A code or an action that is not known here.
  if (message.length === 0 || (fix.length === 0 && finding.fix !== '')) return { ...finding, lang: 'en' };
  return { ...finding, message: message.join(language.space), fix: fix.join(language.space) };
}

/** Says why there is no certificate. `lang`: that of a reason that is not known here. */
export function tellProblem(certificate: Certificate, language: Language): { text: string; lang?: 'en' } {
  const text = words.tellProblem(certificate, language, styleIn(language));
  return text === null ? { text: certificate.problem?.message ?? '', lang: 'en' } : { text };
}

/** Values are marked. */
function styleIn({ tag }: Language): Style {
  const value = (text: string) => marked(cut(text, LONGEST));
  return {
    value,
    caa: value,
    name: (text) => marked(cut(text, LONGEST_NAME)),
    typed: marked,
    list: (texts) =>
      texts.length > MOST ? [...texts.slice(0, MOST), '…'].join(', ') : new Intl.ListFormat(tag).format(texts),
    time: (at) => new Intl.DateTimeFormat(tag, TIME).format(at),
    duration: (seconds) => formatsIn(tag, 'long').duration(seconds),
  };
}

const TIME: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'long',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
};

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length).join('')}…`;
}
