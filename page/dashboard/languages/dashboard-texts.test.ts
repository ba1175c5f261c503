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
  const text: string = path === '.domain.lacks' ? texts(['7', '8']) : (texts(7, 8, 9) ?? '');
  return [[path, text, (text.match(/[789]/g) ?? []).sort().join()]];
}

const english = saidIn(en);
/** Names, and words of each of these languages. */
const INTERNATIONAL = /^[^a-z]*$|^(Nameplate|SHA-256|Cloudflare|Vercel|Caddy|keys\.createKey|nameplate .*)$/;

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

  it('no sentence is left in English', () => {
    const before = new Map(english.map(([path, text]) => [path, text]));
    const same = saidIn(texts).filter(([path, text]) => text === before.get(path) && !INTERNATIONAL.test(text));
    expect(same.filter(([, text]) => text.split(' ').length > 2)).toEqual([]);
  });
});
