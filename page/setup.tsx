import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Brand } from '../client/client.ts';
import { brandColours } from './brand-colours.ts';
import { type Following, follow } from './follow.ts';
import type { Followed } from './followed.ts';
import { Name } from './name.tsx';
import { Now } from './now.tsx';
import { Progress } from './progress.tsx';
import { Records } from './records.tsx';
import { Announcer } from './spoken.tsx';
import { TEXT } from './text.ts';
import { viewOf } from './view.ts';

export interface SetupProps {
  /** Address of the API. */
  api: string;
  /** Of the set-up link. */
  token: string;
  /** Level of the first heading: 1 on a page of its own. */
  heading: 1 | 2;
  /** Whether the brand is shown: a page of the platform has its own. */
  isBranded: boolean;
  /** Gets all that is known whenever it changes. */
  onChange?(followed: Followed): void;
}

/** What a set-up link opens: the two records, what is wrong with them, and how far the domain has come. */
export function Setup({ api, token, heading, isBranded, onChange }: SetupProps): JSX.Element {
  const [followed, setFollowed] = useState<Followed | null>(null);
  const [following, setFollowing] = useState<Following | null>(null);
  useEffect(() => {
    const started = follow(api, token, (now) => {
      setFollowed(now);
      onChange?.(now);
    });
    setFollowing(started);
    return () => started.stop();
  }, [api, token, onChange]);

  const brand = followed?.brand ?? {};
  const colours = useMemo(() => brandColours(brand), [brand.accent, brand.accentDark]);
  return (
    <Announcer>
      <div class="np" style={colours}>
        {isBranded && <Masthead brand={brand} />}
        {followed !== null && <Body followed={followed} following={following} heading={heading} />}
        {/^(mailto|https):/.test(brand.support ?? '') && <Support brand={brand} support={brand.support ?? ''} />}
      </div>
    </Announcer>
  );
}

function Masthead({ brand: { name, logo } }: { brand: Brand }) {
  if (name === undefined && logo === undefined) return null;
  return (
    <div class="masthead">
      {logo?.startsWith('data:image/') && <img src={logo} alt="" height="32" />}
      {name !== undefined && <bdi>{name}</bdi>}
    </div>
  );
}

function Support({ brand, support }: { brand: Brand; support: string }) {
  const isPage = support.startsWith('https:');
  return (
    <p class="support">
      {TEXT.help}{' '}
      <a href={support} {...(isPage && { target: '_blank', rel: 'noreferrer' })}>
        {TEXT.contact(brand.name)}
        {isPage && <span class="sr">{TEXT.opensInNewTab}</span>}
      </a>
    </p>
  );
}

function Body({ followed, following, heading }: { followed: Followed; following: Following | null; heading: 1 | 2 }) {
  const { link, support, domain, isConnected, isCrowded, brand } = followed;
  const Heading = heading === 1 ? 'h1' : 'h2';
  if (link !== 'open' && link !== 'opening') {
    const { title, text } = TEXT.ended(link);
    return (
      <section class="card end" role="alert">
        <Heading>{title}</Heading>
        {domain !== null && (
          <p>
            <Name name={domain.domain} />
          </p>
        )}
        <p>{text}</p>
        {ASKS_FOR_ANOTHER.has(link) && <WhomToAsk {...(support ?? { name: brand.name })} />}
      </section>
    );
  }
  const view = viewOf(followed);
  if (domain === null || view === undefined) return <Opening Heading={Heading} followed={followed} />;
  return (
    <>
      <header class="about">
        <Heading>
          <span class="eyebrow">{TEXT.connect}</span> <Name name={domain.domain} />
        </Heading>
      </header>
      <Progress steps={view.steps} />
      {!isConnected && (
        <p class="lost" role="status">
          {isCrowded ? TEXT.crowded : TEXT.lost}
        </p>
      )}
      <Now followed={followed} view={view} following={following} heading={heading} />
      <Records followed={followed} view={view} heading={heading} />
    </>
  );
}

/** A new link helps. */
const ASKS_FOR_ANOTHER = new Set<Followed['link']>(['unknown', 'expired', 'revoked']);

/** An address in it is a link. */
function WhomToAsk({ name, address = '' }: { name?: string | undefined; address?: string }) {
  const isAddress = /^(mailto|https):/.test(address);
  return (
    <p>
      {TEXT.askWhom(name)}
      {isAddress ? ': ' : '.'}
      {isAddress && <a href={address}>{address.replace(/^mailto:/, '')}</a>}
    </p>
  );
}

function Opening({ Heading, followed }: { Heading: 'h1' | 'h2'; followed: Followed }) {
  const { isConnected, isCrowded } = followed;
  return (
    <section class="card opening" aria-busy="true">
      <Heading>{TEXT.connect}</Heading>
      <p role="status">{isConnected ? TEXT.loading : isCrowded ? TEXT.crowded : TEXT.unreachable}</p>
      <div class="bones" aria-hidden="true">
        <i />
        <i />
        <i />
      </div>
    </section>
  );
}
