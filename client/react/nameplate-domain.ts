'use client';

import { type CSSProperties, createElement, type ReactElement, useEffect, useRef } from 'react';
import type { Domain } from '../api-types.ts';
import type { LinkAccess } from './use-domain.ts';

export interface NameplateDomainProps extends LinkAccess {
  /** Called at once and whenever the domain changes. */
  onStatus?: (domain: Domain) => void;
  /** Called when the domain is served over HTTPS. */
  onLive?: (domain: Domain) => void;
  className?: string;
  style?: CSSProperties;
  /** Nonce of the page's Content Security Policy, for the script. */
  nonce?: string;
}

/**
 * `<nameplate-domain>`: the set-up page of one domain inside a page of the platform. The API serves its script, which is
 * loaded once per page. On the server, it renders the empty element.
 */
export function NameplateDomain(props: NameplateDomainProps): ReactElement {
  const { baseUrl, token, onStatus, onLive, className, style, nonce } = props;
  const api = baseUrl.replace(/\/+$/, '');
  const element = useRef<HTMLElement>(null);
  useListener(element, 'nameplate-status', onStatus);
  useListener(element, 'nameplate-live', onLive);
  useEffect(() => loadComponent(`${api}/setup/nameplate-domain.js`, nonce), [api, nonce]);
  // React sets `class` on custom elements in all its versions, and `className` only in some.
  return createElement('nameplate-domain', { ref: element, api, token, class: className, style });
}

/** React 18 does not listen for the events of custom elements. */
function useListener(
  element: { readonly current: HTMLElement | null },
  type: string,
  listener: ((domain: Domain) => void) | undefined,
): void {
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => {
    const { current } = element;
    const hear = (event: Event) => latest.current?.((event as CustomEvent<Domain>).detail);
    current?.addEventListener(type, hear);
    return () => current?.removeEventListener(type, hear);
  }, [element, type]);
}

function loadComponent(src: string, nonce: string | undefined): void {
  if ([...document.scripts].some((script) => script.src === src)) return;
  const script = Object.assign(document.createElement('script'), { type: 'module', crossOrigin: 'anonymous', src });
  if (nonce !== undefined) script.nonce = nonce;
  document.head.append(script);
}
