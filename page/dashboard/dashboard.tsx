import { render } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Announcer } from '../announcer.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { DashboardProvider } from './context.ts';
import { Entrance, Opening } from './entrance.tsx';
import { speakLanguage } from './languages/choose-texts.ts';
import { pageChunk } from './page-chunk.tsx';
import { Pages, startChunk } from './pages.tsx';
import { currentRoute } from './route.tsx';
import { NotSignedIn, openLink, openSession, type SignedIn, type SignedOut, signOut } from './sign-in.ts';
import { TEXT } from './text.ts';
import { Toasts } from './toast.tsx';

/** The page at `/dashboard`. The token of a sign-in link is behind the `#`, so that it reaches no server's log, and leaves the address at once. */

type State = { kind: 'opening' } | { kind: 'open'; signedIn: SignedIn } | { kind: 'out'; reason: SignedOut | 'failed' };

const isLink = (hash: string) => hash.startsWith('#npd_');

function Dashboard() {
  const [state, setState] = useState<State>({ kind: 'opening' });
  const opened = useRef(new AbortController());
  const open = useCallback(async () => {
    opened.current.abort();
    opened.current = new AbortController();
    const { signal } = opened.current;
    try {
      const { hash } = location;
      if (isLink(hash)) {
        history.replaceState(null, '', location.pathname + location.search);
        await openLink(hash.slice(1));
      }
      const signedIn = await openSession(signal, () => setState({ kind: 'out', reason: 'session' }));
      setState({ kind: 'open', signedIn });
    } catch (error) {
      setState({ kind: 'out', reason: error instanceof NotSignedIn ? error.reason : 'failed' });
    }
  }, []);
  useEffect(() => {
    // Other anchors are places in the page.
    const openNewLink = () => isLink(location.hash) && open();
    open();
    addEventListener('hashchange', openNewLink);
    return () => removeEventListener('hashchange', openNewLink);
  }, [open]);

  switch (state.kind) {
    case 'opening':
      return <Opening text={TEXT.opening} />;
    case 'out': {
      const { reason } = state;
      return (
        <Entrance {...TEXT.entrance[reason]} onRetry={reason === 'failed' && open}>
          {reason !== 'failed' && (
            <pre>
              <code>{TEXT.loginCommand}</code>
            </pre>
          )}
        </Entrance>
      );
    }
    case 'open': {
      const { signedIn } = state;
      const leave = async (everywhere: boolean) => {
        await signOut(everywhere);
        setState({ kind: 'out', reason: 'session' });
      };
      return (
        <DashboardProvider value={{ ...signedIn, signOut: leave }}>
          <Announcer>
            <Toasts>
              <Pages />
            </Toasts>
          </Announcer>
        </DashboardProvider>
      );
    }
    default:
      return state satisfies never;
  }
}

const SupportPage = pageChunk(async () => (await import('./domain-support.tsx')).SupportPage);

/** A support link opens its page for whoever has it, signed in or not. */
function Start() {
  const [token] = useState(() => (location.pathname === '/dashboard/support' ? location.hash.slice(1) : null));
  return token === null ? <Dashboard /> : <SupportPage token={token} />;
}

// The page's script loads while the language is loaded and the session is opened.
if (location.pathname !== '/dashboard/support') startChunk(currentRoute());

const place = document.getElementById('dashboard');
if (place !== null)
  speakLanguage()
    .then(
      () => <Start />,
      () => <NotLoaded />,
    )
    .then((content) => {
      place.textContent = '';
      render(content, place);
    });
