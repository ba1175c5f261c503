import { type ComponentChild, render } from 'preact';
import { returnFromProvider } from './domain-connect.tsx';
import { LanguageChooser } from './language-chooser.tsx';
import { chosenOf, type LanguageId, speakIn } from './languages/choose.ts';
import { VOICE } from './languages/voice.ts';
import { unicodeForm } from './names.ts';
import { NotLoaded } from './not-loaded.tsx';
import { Setup } from './setup.tsx';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import { viewOf } from './view.ts';

/** The page at `/setup`: the token of the link is behind the `#`, so that it reaches no server and no log. */

const api = new URL('.', location.href).href;
let language = chosenOf([new URLSearchParams(location.search).get('lang') ?? '', ...navigator.languages]);
let shown: SetupState | null = null;

/** Shows the page when its language is there. */
async function speak(id: LanguageId): Promise<void> {
  language = id;
  try {
    if (!(await speakIn(id))) return;
  } catch {
    // It goes on in the language that it has.
    if (shown === null) fill(<NotLoaded />);
    return;
  }
  Object.assign(document.documentElement, VOICE.attributes);
  show();
  if (shown !== null) setTitle(shown);
}

/** The address keeps the choice: no server and no storage does. */
function choose(id: LanguageId): void {
  const address = new URL(location.href);
  address.searchParams.set('lang', id);
  history.replaceState(history.state, '', address);
  speak(id);
}

function show(): void {
  const token = decoded(location.hash.slice(1));
  fill(
    <>
      <Setup api={api} token={token} heading={1} isBranded onChange={setTitle} />
      <LanguageChooser chosen={language} onChoose={choose} />
    </>,
  );
}

function fill(content: ComponentChild): void {
  const place = document.getElementById('setup');
  if (place !== null) render(content, place);
}

/** A link may have been truncated within an escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function setTitle(state: SetupState): void {
  const { domain, brand } = state;
  showIcon(brand.logo);
  shown = state;
  if (domain === null) return;
  const name = unicodeForm(domain.domain) ?? domain.domain;
  const title = viewOf(state)?.stage === 'live' ? TEXT.titleLive(name) : TEXT.title(name);
  document.title = brand.name === undefined ? title : `${title} · ${brand.name}`;
}

/** The logo of the brand in place of the page's own icon. */
function showIcon(logo: string | undefined): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (icon !== null && logo?.startsWith('data:image/') && icon.href !== logo) icon.href = logo;
}

addEventListener('hashchange', show);
returnFromProvider();
speak(language);
