import { afterEach, describe, expect, it } from 'vitest';
import { setVoice, VOICE } from '../../languages/voice.ts';
import type { DashboardTexts } from '../text.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';

const voice = VOICE;
afterEach(() => setVoice(voice));

type Text = [path: string, text: string, numbers: string];

/** Every text, by its path; functions are asked with numbers that show in what they say. */
function saidIn(texts: unknown, path = ''): Text[] {
  if (typeof texts === 'string') return [[path, texts, '']];
  if (typeof texts !== 'function')
    return Object.entries(texts as object).flatMap(([key, each]) => saidIn(each, `${path}.${key}`));
  const text: string = texts(7, 8, 9) ?? '';
  return [[path, text, (text.match(/[789]/g) ?? []).sort().join()]];
}

const english = saidIn(en);
/** Names, which are the same in every language. */
const NAMES = /^[^a-z]*$|^(Nameplate|SHA-256|Cloudflare|Vercel|Caddy|Webhooks|keys\.createKey|nameplate .*)$/;

/** Words that a language shares with English. */
const SHARED: Record<string, string> = {
  de: 'App Challenge Deployment Deployments Details Domains Event Events Link Links Live Logo Name Nameserver Origin Secret Slug Status',
  fr: 'Actions App Challenge Logo Page Pages Permissions Secret Site Slug challenge permissions',
  es: 'App Slug',
  pt: 'App Deployment Deployments Link Links Site Slug Status',
  ja: '',
};

describe.each(Object.entries({ de, fr, es, pt, ja }) as [string, DashboardTexts][])('in %s', (lang, texts) => {
  it('each text of the dashboard is there, with all that the English one mentions', () => {
    setVoice({ ...voice, attributes: { lang, dir: 'ltr' } });
    // They say a date, and the kind of thing that the first number stands for.
    const others = /validUntil|upload\.done|addIn/;
    const shown = (all: Text[]) => all.map(([path, , numbers]) => (others.test(path) ? path : `${path} ${numbers}`));
    const said = saidIn(texts);
    expect(shown(said).sort()).toEqual(shown(english).sort());
    expect(said.filter(([, text]) => /undefined|NaN|\[object/.test(text))).toEqual([]);
  });

  it('no text is left in English, but for words that both languages have', () => {
    const shared = new Set(SHARED[lang]?.split(' '));
    const before = new Map(english.map(([path, text]) => [path, text]));
    const same = saidIn(texts).filter(([path, text]) => text === before.get(path) && !NAMES.test(text));
    expect(same.filter(([, text]) => !shared.has(text.replace(/^\d+ /, '')))).toEqual([]);
  });
});
