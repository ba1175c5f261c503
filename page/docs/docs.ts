// A page of the documents copies code and searches; without this script it is read all the same.
import MiniSearch, { type SearchResult } from 'minisearch';
import { INDEX_OPTIONS, type Section } from './search-index.ts';

const MOST_RESULTS = 12;

for (const box of document.querySelectorAll('.code')) box.append(copyButton(box.textContent));
const search = document.querySelector('search');
if (search !== null) enableSearch(search);

function copyButton(code: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.trimEnd());
      button.textContent = 'Copied';
    } catch {
      // Over plain HTTP there is no clipboard for scripts.
      button.textContent = 'Not copied';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  return button;
}

function enableSearch(search: HTMLElement): void {
  const input = search.querySelector('input');
  const found = document.getElementById('found');
  const status = search.querySelector('[role=status]');
  if (input === null || found === null || status === null) return;
  let loading: Promise<MiniSearch<Section>> | undefined;
  let shownFor = '';
  const load = () => {
    loading ??= loadIndex(search.dataset.index ?? '').catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  const show = async () => {
    const text = input.value.trim();
    found.hidden = text === '';
    if (text === '') return;
    try {
      const results = (await load()).search(text).slice(0, MOST_RESULTS);
      if (input.value.trim() !== text) return;
      found.replaceChildren(...(results.length > 0 ? results.map(link) : [paragraph('Nothing found.')]));
      shownFor = text;
      status.textContent = results.length === 1 ? '1 result' : `${results.length} results`;
    } catch {
      found.replaceChildren(paragraph('The index could not be loaded. Type again to retry.'));
    }
  };
  const close = () => {
    found.hidden = true;
  };

  input.disabled = false;
  input.addEventListener('focus', () => void load().catch(() => {}), { once: true });
  input.addEventListener('input', show);
  search.addEventListener('keydown', (event) => {
    const links = [...found.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'ArrowDown') links[at + 1]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
    else if (event.key === 'Enter' && document.activeElement === input) {
      if (shownFor === input.value.trim()) links[0]?.click();
    } else return;
    event.preventDefault();
  });
  document.addEventListener('click', ({ target }) => {
    const isResult = target instanceof Element && target.closest('#found a') !== null;
    if (isResult || (target instanceof Node && !search.contains(target))) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
}

async function loadIndex(url: string): Promise<MiniSearch<Section>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return MiniSearch.loadJSONAsync(await response.text(), INDEX_OPTIONS);
}

function link({ id, heading, page, excerpt }: SearchResult): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = id;
  anchor.append(heading);
  const where = document.createElement('small');
  where.append(heading === page ? excerpt : `${page} · ${excerpt}`);
  anchor.append(where);
  return anchor;
}

function paragraph(text: string): HTMLParagraphElement {
  const made = document.createElement('p');
  made.append(text);
  return made;
}
