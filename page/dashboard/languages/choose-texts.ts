import { chosenOf, type LanguageId, speakIn } from '../../languages/choose.ts';
import { VOICE } from '../../languages/voice.ts';
import { setDashboardTexts } from '../text.ts';
import { TEXTS } from './texts.ts';

/** The server reads it too, so that it sends the page in this language. */
const COOKIE = 'nameplate-language';
const YEAR_S = 31_536_000;

/** Returns the language chosen in this browser, or else the browser's own. */
export const LANGUAGE: LanguageId = chosenOf([chosenBefore(), ...navigator.languages]);

/** Speaks it from now on: English where its script cannot be loaded. Rejects where neither can be loaded. */
export async function speakLanguage(): Promise<void> {
  await speak(LANGUAGE).catch(() => speak('en'));
  Object.assign(document.documentElement, VOICE.attributes);
}

async function speak(id: LanguageId): Promise<void> {
  const [texts] = await Promise.all([TEXTS[id](), speakIn(id)]);
  setDashboardTexts(texts);
}

/** Opens the page again in this language: its address keeps all that it shows. */
export function chooseLanguage(id: LanguageId): void {
  const isSecure = location.protocol === 'https:';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS and newer browsers.
  document.cookie = `${COOKIE}=${id}; Path=/dashboard; Max-Age=${YEAR_S}; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  location.reload();
}

function chosenBefore(): string {
  return new RegExp(`(?:^|; )${COOKIE}=(\\w+)`).exec(document.cookie)?.[1] ?? '';
}
