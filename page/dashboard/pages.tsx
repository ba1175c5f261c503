import { useEffect } from 'preact/hooks';
import { ActionButton } from './action-button.tsx';
import { LostConnection } from './connection.tsx';
import { mayDo, useDashboard } from './context.ts';
import { LanguageField } from './language.tsx';
import { type PageChunk, pageChunk } from './page-chunk.tsx';
import { usePageTitle } from './page-title.ts';
import { Palette } from './palette.tsx';
import { hrefOf, Link, type Route, useRoute } from './route.tsx';
import { type PageName, TEXT } from './text.ts';

/** When the scripts of the other pages load. */
const LATER_MS = 4_000;

/** Each with the resource and the action without which it has nothing to show. */
const MENU: readonly [page: PageName, resource?: string, action?: string][] = [
  ['home'],
  ['domains'],
  ['environments', 'project', 'read_project'],
  ['moving', 'environment', 'read_domain'],
  ['webhooks', 'webhook', 'read_webhook'],
  ['keys', 'key', 'read_key'],
  ['brand', 'setup', 'read_brand'],
  ['audit', 'audit', 'read_entries'],
];

interface PageProps {
  /** Second and third part of the address. */
  id: string;
  inner: string;
  query: URLSearchParams;
}

const PAGES = new Map<string, PageChunk<PageProps>>([
  ['', pageChunk(async () => (await import('./home-page.tsx')).HomePage)],
  ['domains', pageChunk(async () => (await import('./domains-page.tsx')).DomainsPage)],
  ['domains/*', pageChunk(async () => (await import('./domain-page.tsx')).DomainPage)],
  ['environments', pageChunk(async () => (await import('./environments-page.tsx')).EnvironmentsPage)],
  ['environments/*', pageChunk(async () => (await import('./environments-one.tsx')).EnvironmentPage)],
  ['moving', pageChunk(async () => (await import('./moving-page.tsx')).MovingPage)],
  ['webhooks', pageChunk(async () => (await import('./webhooks-page.tsx')).WebhooksPage)],
  ['webhooks/*', pageChunk(async () => (await import('./webhooks-one.tsx')).WebhookPage)],
  ['webhooks/*/*', pageChunk(async () => (await import('./webhooks-delivery.tsx')).DeliveryPage)],
  ['keys', pageChunk(async () => (await import('./keys-page.tsx')).KeysPage)],
  ['brand', pageChunk(async () => (await import('./brand-page.tsx')).BrandPage)],
  ['audit', pageChunk(async () => (await import('./audit-page.tsx')).AuditPage)],
]);

/** Begins to load the script of an address; where that fails, the page says so once it is shown. */
export function startChunk(route: Route): void {
  begin(chunkOf(route));
}

function begin(chunk: PageChunk<PageProps> | undefined): void {
  chunk?.start().catch(() => {});
}

function chunkOf({ parts: [first = '', ...rest] }: Route): PageChunk<PageProps> | undefined {
  return PAGES.get([first, ...rest.map(() => '*')].join('/'));
}

/** The menu, and the page of the address. */
export function Pages() {
  const route = useRoute();
  // The other pages then open at once, also after another version was deployed.
  useEffect(() => {
    const timer = setTimeout(() => PAGES.forEach(begin), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  const { person, signOut } = useDashboard();
  const [first = 'home'] = route.parts;
  const menu = MENU.filter(([, resource, action]) => !resource || !action || mayDo(person, resource, action)).map(
    ([page]) => ({ page, title: TEXT.pages[page], href: hrefOf(page === 'home' ? [] : [page]) }),
  );
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {TEXT.skip}
      </a>
      <header class="menu">
        <p class="product">{TEXT.product}</p>
        <nav aria-label={TEXT.menu}>
          <ul>
            {menu.map(({ page, title, href }) => (
              <li key={href}>
                <Link href={href} aria-current={page === first ? 'page' : undefined}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Palette pages={menu} />
        <details class="account">
          <summary>
            <bdi>{person.subject}</bdi>
          </summary>
          <LanguageField />
          <ActionButton isSmall run={() => signOut(false)}>
            {TEXT.signOut}
          </ActionButton>
          <ActionButton isSmall run={() => signOut(true)}>
            {TEXT.signOutEverywhere}
          </ActionButton>
        </details>
      </header>
      <main id="content" tabIndex={-1}>
        <LostConnection />
        <PageOf route={route} />
      </main>
    </div>
  );
}

function PageOf({ route }: { route: Route }) {
  const [, id = '', inner = ''] = route.parts;
  const Page = chunkOf(route);
  if (Page === undefined) return <NotFound />;
  return <Page key={route.parts.join('/')} id={id} inner={inner} query={route.query} />;
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
