import { useEffect, useState } from 'preact/hooks';
import type { ConnectOffer, Following } from './follow.ts';
import { Icon } from './inline.tsx';
import { visible } from './names.ts';
import { TEXT } from './text.ts';
import type { View } from './view.ts';

/** Stages in which records are missing, or wrong. */
const OFFERED = new Set<View['stage']>(['publish', 'one_found', 'fix', 'live_at_risk']);

/** The offer of the DNS provider to add the records itself; null: there is none. `isPage`: not inside another page. */
export function useOffer(view: View, following: Following | null, isPage: boolean): ConnectOffer | null {
  const [offer, setOffer] = useState<ConnectOffer | null>(null);
  // Who moves a site needs the certificate first, and a provider applies all records at once.
  const isOffered = OFFERED.has(view.stage) && view.moving === null;
  useEffect(() => {
    if (!isOffered || following === null) return;
    // Without an answer, the records are added by hand.
    following.findOffer(isPage).then(setOffer, () => {});
  }, [isOffered, isPage, following]);
  return isOffered && offer?.url.startsWith('https://') ? offer : null;
}

interface DomainConnectProps {
  offer: ConnectOffer | null;
  isOpen: boolean;
  following: Following | null;
  isPage: boolean;
}

/** The button that connects, and how that ended. `isOpen`: records are still to be added. */
export function DomainConnect({ offer, isOpen, following, isPage }: DomainConnectProps) {
  const outcome = isPage ? outcomeOf(history.state) : null;
  // Without an address of the page that the API knows, the provider only closes its window.
  const comesBack = isPage && offer?.state !== undefined;
  useEffect(() => {
    if (outcome === 'done') void following?.check();
  }, [outcome, following]);
  return (
    <>
      {outcome !== null && isOpen && (
        <p class="note" role="status">
          {outcome === 'done' ? TEXT.connectDone : TEXT.connectRefused}
        </p>
      )}
      {offer !== null && (
        <div class="connect">
          <a
            class="button"
            href={offer.url}
            {...(comesBack ? { onClick: () => keepToken(offer) } : { target: '_blank' })}
            rel="noreferrer"
          >
            <bdi>{TEXT.connectAt(visible(offer.provider))}</bdi>
            <Icon name="external" />
            {!comesBack && <span class="sr">{TEXT.opensInNewTab}</span>}
          </a>
          <p class="note">{TEXT.connectHow(offer.host)}</p>
        </div>
      )}
    </>
  );
}

/** While the browser is at the provider, the token of the link is here alone: the provider does not get it. */
const KEPT = 'nameplate-connect';

type Outcome = 'done' | 'refused';

function outcomeOf(state: { connect?: unknown } | null): Outcome | null {
  return state?.connect === 'done' || state?.connect === 'refused' ? state.connect : null;
}

function keepToken({ state }: ConnectOffer): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ state, address: location.search + location.hash }));
  } catch {
    // Where it is forbidden, the customer opens the link again.
  }
}

/** Restores the address of the page where a provider sent the browser back, with what it said. */
export function returnFromProvider(): void {
  const { searchParams, pathname, hash: present } = new URL(location.href);
  const kept = present === '' && searchParams.size > 0 ? takeKept() : null;
  if (kept === null || searchParams.get('state') !== kept.state) return;
  const connect: Outcome = searchParams.has('error') ? 'refused' : 'done';
  history.replaceState({ connect }, '', pathname + kept.address);
}

function takeKept(): { state: string; address: string } | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
    sessionStorage.removeItem(KEPT);
    return kept;
  } catch {
    return null;
  }
}
