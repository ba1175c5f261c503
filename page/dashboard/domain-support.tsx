import { useEffect, useMemo, useState } from 'preact/hooks';
import { createClient, type NameplateClient } from '../../client/client.ts';
import { LinkRefused, openLink } from '../../client/link-session.ts';
import { Announcer } from '../announcer.tsx';
import { DashboardProvider } from './context.ts';
import { Entrance, Opening } from './entrance.tsx';
import { LanguageField } from './language.tsx';
import { pageChunk } from './page-chunk.tsx';
import { TEXT } from './text.ts';

const DomainPage = pageChunk(async () => (await import('./domain-page.tsx')).DomainPage);

/** The permissions of a session of a support link, as the page needs to know them: the server decides. */
const READER = { workspaceId: '', subject: '', permissions: ['environment.*.read_domain', 'environment.*.read_usage'] };

/** How often a link is tried again that no longer works: it may have been revoked meanwhile. */
const WATCH_MS = 5_000;

type State =
  | { kind: 'opening' }
  | { kind: 'open'; id: string }
  | { kind: 'ended'; end: keyof typeof TEXT.domain.support.ends };

/** The page of one domain for somebody without an account, read-only, as long as the link works. */
export function SupportPage({ token }: { token: string }) {
  const [state, setState] = useState<State>({ kind: 'opening' });
  const [turn, setTurn] = useState(0);
  const session = useMemo(
    () =>
      openLink(location.origin, token, ({ domain, purpose }) => {
        if (purpose === 'support') setState({ kind: 'open', id: domain.id });
        else location.replace(`/setup#${token}`);
      }),
    [token],
  );
  const client = useMemo<NameplateClient>(
    () => createClient({ baseUrl: location.origin, rootKey: () => session.token() }),
    [session],
  );

  // Whether it still works: a session may outlive nothing of its link.
  useEffect(() => {
    let isOver = false;
    const ask = async () => {
      try {
        await session.token();
      } catch (error) {
        if (isOver) return;
        if (error instanceof LinkRefused) setState({ kind: 'ended', end: error.problem });
        else setState((before) => (before.kind === 'open' ? before : { kind: 'ended', end: 'failed' }));
      }
    };
    const again = () => {
      session.forget();
      ask();
    };
    ask();
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), WATCH_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [session, turn]);

  switch (state.kind) {
    case 'opening':
      return <Opening text={TEXT.domain.support.opening} />;
    case 'ended': {
      const retry = () => setTurn(turn + 1);
      return <Entrance {...TEXT.domain.support.ends[state.end]} onRetry={state.end === 'failed' && retry} />;
    }
    case 'open':
      return (
        <DashboardProvider value={{ client, person: READER, signOut: async () => {} }}>
          <Announcer>
            <main id="content" class="support-page">
              <p class="support-banner">{TEXT.domain.support.banner}</p>
              <DomainPage id={state.id} isReadOnly />
              <LanguageField />
            </main>
          </Announcer>
        </DashboardProvider>
      );
    default:
      return state satisfies never;
  }
}
