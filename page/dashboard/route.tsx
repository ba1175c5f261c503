import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Where the dashboard is: the path below `/dashboard`, in its parts, and the filters, which are the query. */
export interface Route {
  parts: readonly string[];
  query: URLSearchParams;
}

const ROOT = '/dashboard';

export function currentRoute(): Route {
  const parts = location.pathname.slice(ROOT.length).split('/').filter(Boolean);
  return { parts: parts.map(decodePart), query: new URLSearchParams(location.search) };
}

/** Somebody may have typed an escape that is none. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const changed = new EventTarget();

/** The address of a page: `hrefOf(['domains', 'shop.example.com'], { status: 'failed' })`. An empty filter is left out. */
export function hrefOf(parts: readonly string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given).toString();
  return [ROOT, ...parts.map(encodeURIComponent)].join('/') + (search === '' ? '' : `?${search}`);
}

/** `replace`: without an entry of its own in the history, as for each letter of a search. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  changed.dispatchEvent(new Event('change'));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    changed.addEventListener('change', update);
    addEventListener('popstate', update);
    return () => {
      changed.removeEventListener('change', update);
      removeEventListener('popstate', update);
    };
  }, []);
  return route;
}

interface LinkProps {
  href: string;
  class?: string;
  'aria-current'?: 'page' | undefined;
  children: ComponentChildren;
}

/** A link within the dashboard, which opens in a new tab as any other when that is asked for. */
export function Link({ href, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    goTo(href);
    scrollTo(0, 0);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
