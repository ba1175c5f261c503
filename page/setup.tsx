import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Brand } from '../client/client.ts';
import { Announcer } from './announcer.tsx';
import { brandColours } from './brand-colours.ts';
import { CurrentStep } from './current-step.tsx';
import { type Following, follow } from './follow.ts';
import { Name } from './inline.tsx';
import { VOICE } from './languages/voice.ts';
import { Progress } from './progress.tsx';
import { OtherRecords } from './records.tsx';
import { SendOn } from './send-on.tsx';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import { isContact, viewOf } from './view.ts';

export interface SetupProps {
  /** Address of the API. */
  api: string;
  /** Token of the set-up link. */
  token: string;
  /** Level of the first heading: 1 on a page of its own. */
  heading: 1 | 2;
  /** Whether the brand is shown: a page of the platform has its own. */
  isBranded: boolean;
  /** Called with all that is known whenever it changes. */
  onChange?(state: SetupState): void;
}

/** The page of a set-up link: the two records, the mistakes in them, and the progress of the domain. */
export function Setup({ api, token, heading, isBranded, onChange }: SetupProps): JSX.Element {
  const [state, setState] = useState<SetupState | null>(null);
  const [following, setFollowing] = useState<Following | null>(null);
  useEffect(() => {
    const started = follow(api, token, (now) => {
      setState(now);
      onChange?.(now);
    });
    setFollowing(started);
    return () => started.stop();
  }, [api, token, onChange]);

  return <SetupView state={state} following={following} heading={heading} isBranded={isBranded} />;
}

interface SetupViewProps extends Pick<SetupProps, 'heading' | 'isBranded'> {
  /** Null until something is known. */
  state: SetupState | null;
  following: Following | null;
}

/** The page as it looks in a state: also the preview of a brand. */
export function SetupView({ state, following, heading, isBranded }: SetupViewProps) {
  const { brand = {}, support } = state ?? {};
  const { name = support?.name } = brand;
  const colours = useMemo(() => brandColours(brand), [brand.accent, brand.accentDark]);
  return (
    <Announcer>
      <div class="np" style={colours} {...VOICE.attributes}>
        {isBranded && <Masthead name={name} logo={brand.logo} />}
        {state !== null && <Body state={state} following={following} heading={heading} />}
        {isContact(brand.support) && <Support brand={brand} support={brand.support} />}
      </div>
    </Announcer>
  );
}

function Masthead({ name, logo }: { name: string | undefined; logo: string | undefined }) {
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

function Body({ state, following, heading }: { state: SetupState; following: Following | null; heading: 1 | 2 }) {
  const { link, support, domain, isConnected, isCrowded, brand } = state;
  const Heading = heading === 1 ? 'h1' : 'h2';
  if (link !== 'open' && link !== 'opening') {
    const { title, text } = TEXT.ends[link];
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
  const view = viewOf(state);
  if (domain === null || view === undefined) return <Opening Heading={Heading} state={state} />;
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
      <CurrentStep state={state} view={view} following={following} heading={heading} />
      <OtherRecords view={view} heading={heading} />
      <SendOn state={state} view={view} />
    </>
  );
}

/** The visitor needs a new link. */
const ASKS_FOR_ANOTHER = new Set<SetupState['link']>(['unknown', 'expired', 'revoked']);

/** An address in it is a link. */
function WhomToAsk({ name, address = '' }: { name?: string | undefined; address?: string }) {
  const isAddress = isContact(address);
  return (
    <p>
      {TEXT.askWhom(name, isAddress)}
      {isAddress && <a href={address}>{address.replace(/^mailto:/, '')}</a>}
    </p>
  );
}

function Opening({ Heading, state }: { Heading: 'h1' | 'h2'; state: SetupState }) {
  const { isConnected, isCrowded } = state;
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
