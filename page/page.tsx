import { render } from 'preact';
import { returnFromProvider } from './domain-connect.tsx';
import { unicodeForm } from './names.ts';
import { Setup } from './setup.tsx';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import { viewOf } from './view.ts';

/** The page at `/setup`: the token of the link is behind the `#`, so that it reaches no server and no log. */

const api = new URL('.', location.href).href;

function show(): void {
  const place = document.getElementById('setup');
  const token = decoded(location.hash.slice(1));
  if (place !== null) render(<Setup api={api} token={token} heading={1} isBranded onChange={setTitle} />, place);
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
  if (domain === null) return;
  const name = unicodeForm(domain.domain) ?? domain.domain;
  const title = viewOf(state)?.stage === 'live' ? TEXT.titleLive(name) : TEXT.title(name);
  document.title = brand.name === undefined ? title : `${title} · ${brand.name}`;
}

addEventListener('hashchange', show);
returnFromProvider();
show();
