import { render } from 'preact';
import type { Followed } from './followed.ts';
import { unicodeForm } from './names.ts';
import { Setup } from './setup.tsx';
import { TEXT } from './text.ts';
import { viewOf } from './view.ts';

/** The page at `/setup`: the token of the link is behind the `#`, so that no server and no log gets it with the address. */

const api = new URL('.', location.href).href;

function show(): void {
  const place = document.getElementById('setup');
  const token = decoded(location.hash.slice(1));
  if (place !== null) render(<Setup api={api} token={token} heading={1} isBranded onChange={setTitle} />, place);
}

/** A link may have been cut off within an escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function setTitle(followed: Followed): void {
  const { domain, brand } = followed;
  if (domain === null) return;
  const name = unicodeForm(domain.domain) ?? domain.domain;
  const title = viewOf(followed)?.stage === 'live' ? TEXT.titleLive(name) : TEXT.title(name);
  document.title = brand.name === undefined ? title : `${title} · ${brand.name}`;
}

addEventListener('hashchange', show);
show();
