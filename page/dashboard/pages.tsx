import { useEffect } from 'preact/hooks';
import { useDashboard } from './context.ts';
import { DomainPage } from './domain-page.tsx';
import { DomainsPage } from './domains-page.tsx';
import { HomePage } from './home-page.tsx';
import { hrefOf, Link, type Route, useRoute } from './route.tsx';
import { type PageName, TEXT } from './text.ts';

/** The pages of the menu, with what the first part of their address is; the first page has none. */
const MENU: readonly (readonly [PageName, string | null])[] = [
  ['home', null],
  ['domains', 'domains'],
];

/** The menu, and the page of the address. */
export function Pages() {
  const route = useRoute();
  const { person, signOut } = useDashboard();
  const [first = null] = route.parts;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {TEXT.skip}
      </a>
      <header class="menu">
        <p class="product">{TEXT.product}</p>
        <nav aria-label={TEXT.menu}>
          <ul>
            {MENU.map(([name, part]) => (
              <li key={name}>
                <Link href={hrefOf(part === null ? [] : [part])} aria-current={part === first ? 'page' : undefined}>
                  {TEXT.pages[name]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <details class="account">
          <summary>
            <bdi>{person.subject}</bdi>
          </summary>
          <button type="button" class="button quiet small" onClick={() => signOut(false)}>
            {TEXT.signOut}
          </button>
          <button type="button" class="button quiet small" onClick={() => signOut(true)}>
            {TEXT.signOutEverywhere}
          </button>
        </details>
      </header>
      <main id="content" tabIndex={-1}>
        <PageOf route={route} />
      </main>
    </div>
  );
}

function PageOf({ route }: { route: Route }) {
  const [first, second, ...rest] = route.parts;
  if (first === undefined) return <HomePage />;
  if (first === 'domains' && second === undefined) return <DomainsPage query={route.query} />;
  if (first === 'domains' && second !== undefined && rest.length === 0) return <DomainPage key={second} id={second} />;
  return <NotFound />;
}

/** The title of a page, in the document and on it. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${TEXT.product}`;
  }, [title]);
}

function NotFound() {
  const { title, text } = TEXT.notFound;
  usePageTitle(title);
  return (
    <>
      <h1>{title}</h1>
      <p>{text}</p>
    </>
  );
}
