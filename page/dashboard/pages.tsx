import { AuditPage } from './audit-page.tsx';
import { BrandPage } from './brand-page.tsx';
import { LostConnection } from './connection.tsx';
import { mayDo, useDashboard } from './context.ts';
import { DomainPage } from './domain-page.tsx';
import { DomainsPage } from './domains-page.tsx';
import { EnvironmentPage } from './environments-one.tsx';
import { EnvironmentsPage } from './environments-page.tsx';
import { HomePage } from './home-page.tsx';
import { KeysPage } from './keys-page.tsx';
import { MovingPage } from './moving-page.tsx';
import { usePageTitle } from './page-title.ts';
import { Palette } from './palette.tsx';
import { hrefOf, Link, type Route, useRoute } from './route.tsx';
import { type PageName, TEXT } from './text.ts';
import { DeliveryPage } from './webhooks-delivery.tsx';
import { WebhookPage } from './webhooks-one.tsx';
import { WebhooksPage } from './webhooks-page.tsx';

interface MenuEntry {
  page: PageName;
  /** First part of its address; the first page has none. */
  part: string | null;
  /** Resource and action without which it has nothing to show. */
  needs?: readonly [resource: string, action: string];
}

const MENU: readonly MenuEntry[] = [
  { page: 'home', part: null },
  { page: 'domains', part: 'domains' },
  { page: 'environments', part: 'environments', needs: ['project', 'read_project'] },
  { page: 'moving', part: 'moving', needs: ['environment', 'read_domain'] },
  { page: 'webhooks', part: 'webhooks', needs: ['webhook', 'read_webhook'] },
  { page: 'keys', part: 'keys', needs: ['key', 'read_key'] },
  { page: 'brand', part: 'brand', needs: ['setup', 'read_brand'] },
  { page: 'audit', part: 'audit', needs: ['audit', 'read_entries'] },
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
            {MENU.filter(({ needs }) => needs === undefined || mayDo(person, ...needs)).map(({ page, part }) => (
              <li key={page}>
                <Link href={hrefOf(part === null ? [] : [part])} aria-current={part === first ? 'page' : undefined}>
                  {TEXT.pages[page]}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Palette
          pages={MENU.map(({ page, part }) => ({ title: TEXT.pages[page], href: hrefOf(part === null ? [] : [part]) }))}
        />
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
        <LostConnection />
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
  return <OtherPage route={route} />;
}

function OtherPage({ route: { parts, query } }: { route: Route }) {
  const [page, id, inner] = parts;
  switch ([page, ...parts.slice(1).map(() => '*')].join('/')) {
    case 'environments':
      return <EnvironmentsPage />;
    case 'environments/*':
      return <EnvironmentPage key={id} id={id ?? ''} />;
    case 'moving':
      return <MovingPage query={query} />;
    case 'webhooks':
      return <WebhooksPage />;
    case 'webhooks/*':
      return <WebhookPage key={id} id={id ?? ''} query={query} />;
    case 'webhooks/*/*':
      return <DeliveryPage key={inner} webhookId={id ?? ''} id={inner ?? ''} />;
    case 'keys':
      return <KeysPage />;
    case 'brand':
      return <BrandPage />;
    case 'audit':
      return <AuditPage query={query} />;
    default:
      return <NotFound />;
  }
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
