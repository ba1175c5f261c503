import { useEffect, useState } from 'preact/hooks';
import { unicodeForm } from '../names.ts';
import { useDashboard } from './context.ts';
import { Dialog } from './dialog.tsx';
import { useLoad } from './load.ts';
import { WordBadge } from './parts.tsx';
import { goTo, hrefOf } from './route.tsx';
import { findNames, searchTerms } from './search-terms.ts';
import { type SiteState, siteState } from './site-state.ts';
import { firstSentence } from './stuck.ts';
import { TEXT } from './text.ts';

interface Target {
  title: string;
  href: string;
  /** Absent: a page. */
  state?: SiteState;
}

interface PaletteProps {
  pages: readonly { title: string; href: string }[];
}

const MOST_NAMES = 8;

/** Opens with ⌘K or Ctrl+K, and goes to a page or a name. */
export function Palette({ pages }: PaletteProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button type="button" class="button quiet small go" onClick={() => setOpen(true)}>
        {TEXT.palette.open} <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && (
        <Dialog title={TEXT.palette.title} onClose={() => setOpen(false)}>
          <Search pages={pages} onGo={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Search({ pages, onGo }: PaletteProps & { onGo: () => void }) {
  const [typed, setTyped] = useState('');
  const [position, setPosition] = useState(0);
  const wanted = typed.trim().toLowerCase();
  const names = useNames(wanted);
  const targets: Target[] = [...pages.filter(({ title }) => title.toLowerCase().includes(wanted)), ...names];
  const at = Math.min(position, Math.max(0, targets.length - 1));

  function go(target: Target | undefined): void {
    if (target === undefined) return;
    onGo();
    goTo(target.href);
    scrollTo(0, 0);
  }

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPosition((at + step + targets.length) % Math.max(1, targets.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(targets[at]);
    }
  }

  return (
    <div class="palette">
      <input
        type="text"
        role="combobox"
        aria-label={TEXT.palette.label}
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={targets.length > 0 ? `palette-${at}` : undefined}
        aria-autocomplete="list"
        placeholder={TEXT.palette.label}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setPosition(0);
        }}
        onKeyDown={press}
      />
      <p class="sr" role="status">
        {TEXT.palette.results(targets.length)}
      </p>
      {targets.length === 0 && <p class="note">{TEXT.palette.none}</p>}
      {/* The keys are those of the field. */}
      <div id="palette" role="listbox" aria-label={TEXT.palette.title}>
        {targets.map((target, number) => (
          <div
            key={target.href}
            id={`palette-${number}`}
            role="option"
            tabIndex={-1}
            aria-selected={number === at}
            onMouseDown={(event) => {
              event.preventDefault();
              go(target);
            }}
          >
            <bdi>{target.title}</bdi>{' '}
            {target.state === undefined ? (
              <span class="note">{TEXT.palette.pages}</span>
            ) : (
              <>
                <WordBadge word={target.state.word} />
                <p class="sentence" lang={target.state.problem?.lang}>
                  {firstSentence(target.state.problem?.text ?? TEXT.home.sentences[target.state.word])}
                </p>
              </>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The names that have this text in them; the one that is it comes first. */
function useNames(wanted: string): Target[] {
  const { client } = useDashboard();
  const { data = [] } = useLoad(`names ${wanted}`, async (signal) => {
    const { search } = searchTerms(wanted);
    if (search === undefined) return [];
    const { items } = await findNames(client, { search, limit: MOST_NAMES }, signal);
    return items.map((site) => ({
      title: unicodeForm(site.domain.domain) ?? site.domain.domain,
      href: hrefOf(['domains', site.domain.id]),
      state: siteState(site),
    }));
  });
  return data;
}
