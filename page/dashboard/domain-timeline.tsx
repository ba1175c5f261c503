import { useEffect, useState } from 'preact/hooks';
import type { DomainEvent, Page } from '../../client/client.ts';
import { Code } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { useDashboard } from './context.ts';
import { tellEvent } from './domain-facts.ts';
import { useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { Card } from './parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

const REFRESH_MS = 15_000;
const PAGE_SIZE = 15;

/** The events of the domain, newest first, with what was seen. `isStale`: another value asks for it anew. */
export function TimelineCard({ domain, isStale }: { domain: string; isStale: number }) {
  const { client } = useDashboard();
  /** All that was shown when the last older page was asked for, with that page. */
  const [older, setOlder] = useState<Page<DomainEvent> | null>(null);
  const first = useLoad(domain, (signal) => client.domains.listEvents({ domain, limit: PAGE_SIZE }, { signal }), {
    everyMs: REFRESH_MS,
  });
  useEffect(first.reload, [isStale, first.reload]);
  const all = [...(first.data?.items ?? []), ...(older?.items ?? [])];
  const events = [...new Map(all.map((event) => [event.id, event])).values()];
  const { cursor } = older ?? first.data ?? {};
  const more = async () => {
    const page = await client.domains.listEvents({ domain, limit: PAGE_SIZE, cursor });
    setOlder({ ...page, items: [...events, ...page.items] });
  };
  return (
    <Card title={TEXT.domain.timeline.title}>
      <LoadState {...first} />
      {first.data && events.length === 0 && <p class="note">{TEXT.domain.timeline.none}</p>}
      <ol class="timeline" aria-label={TEXT.domain.timeline.title}>
        {events.map((event) => (
          <Moment key={event.id} event={event} />
        ))}
      </ol>
      {cursor !== undefined && (
        <ActionButton isSmall run={more}>
          {TEXT.domain.timeline.older}
        </ActionButton>
      )}
    </Card>
  );
}

function Moment({ event }: { event: DomainEvent }) {
  const { title, tone, lines, seen } = tellEvent(event);
  return (
    <li class={tone}>
      <p>
        {title}{' '}
        <span class="note">
          <Ago at={event.at} />
          {event.actor !== undefined && (
            <>
              {' · '}
              <bdi>{event.actor}</bdi>
            </>
          )}
        </span>
      </p>
      {lines.map(({ text, lang }) => (
        <p key={text} class="note" lang={lang}>
          <bdi>{text}</bdi>
        </p>
      ))}
      {seen.length > 0 && (
        <p>
          {seen.map((value) => (
            <Code key={value} text={value} />
          ))}
        </p>
      )}
    </li>
  );
}
