import type { SiteCounts } from '../../client/client.ts';
import { CopyButton } from '../copy-button.tsx';
import { Name } from '../inline.tsx';
import { commandOf } from './calls.ts';
import { Command } from './command.tsx';
import { useDashboard } from './context.ts';
import { Select } from './fields.tsx';
import { number } from './figures.ts';
import { useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { nextStep, timeLeft } from './moving-step.ts';
import { Badge, Card, EmptyState, PageHead, Table } from './parts.tsx';
import { goTo, hrefOf, Link } from './route.tsx';
import { type Said, sayBlocker } from './said.ts';
import { TEXT, wordFor } from './text.ts';
import { Ago } from './time.tsx';

const REFRESH_MS = 10_000;

/** The board of a move: which names may be switched, and what keeps the others. */
export function MovingPage({ query }: { query: URLSearchParams }) {
  const { client } = useDashboard();
  const from = query.get('from') || undefined;
  // As `nameplate move from` marks its names.
  const filter = from === undefined ? {} : { metadata: { moved_from: from } };
  const counts = useLoad(JSON.stringify(filter), (signal) => client.domains.countSites(filter, { signal }), {
    everyMs: REFRESH_MS,
  });
  const { data } = counts;
  return (
    <>
      <PageHead title={TEXT.pages.moving} about={TEXT.moving.about}>
        <label class="actions">
          {TEXT.moving.source}
          <Select
            options={Object.entries(TEXT.moving.sources)}
            value={from ?? ''}
            onChange={(value) => goTo(hrefOf(['moving'], { from: value }))}
          />
        </label>
      </PageHead>
      <LoadState {...counts} />
      {data?.total === 0 && <Bring />}
      {data !== undefined && data.total > 0 && (
        <>
          <Summary counts={data} />
          <NextStep counts={data} from={from} />
          <Reasons counts={data} />
          {data.readyToSwitch < data.total && (
            <Unready filter={filter} from={from} cursor={query.get('cursor') ?? undefined} />
          )}
          <Command
            operation="domains.countSites"
            input={filter}
            command={['move', 'status', ...(from === undefined ? [] : ['--from', from])]}
          />
        </>
      )}
    </>
  );
}

function Bring() {
  return (
    <EmptyState title={TEXT.moving.none} text={`${TEXT.moving.noneText} ${TEXT.moving.noneCalled}`}>
      <Typed words={['move', 'from', 'cloudflare', 'ZONE', '--dry-run']} />
      <Typed words={['move', 'from', 'csv', 'names.csv', '--dry-run']} />
    </EmptyState>
  );
}

/** A command to copy. */
function Typed({ words }: { words: readonly string[] }) {
  const text = commandOf(words);
  return (
    <p class="actions">
      <code>{text}</code>
      <CopyButton text={text} what={TEXT.signs.colon + text} />
    </p>
  );
}

function Summary({ counts }: { counts: SiteCounts }) {
  const { total, readyToSwitch, live } = counts;
  const title = TEXT.moving.ready(readyToSwitch, total);
  const left = timeLeft(counts);
  return (
    <section class="card stack">
      <h2 class="figure">{title}</h2>
      <progress max={total} value={readyToSwitch} aria-label={title} />
      {live > 0 && <p>{TEXT.moving.live(live)}</p>}
      {left !== null && <p>{left}</p>}
      {counts.edgeAddresses.length > 0 && (
        <p class="note">
          {TEXT.moving.edge} <code>{counts.edgeAddresses.join(TEXT.signs.comma)}</code>
        </p>
      )}
    </section>
  );
}

function NextStep({ counts, from }: { counts: SiteCounts; from: string | undefined }) {
  const step = nextStep(counts);
  const only = from === undefined ? [] : ['--from', from];
  return (
    <Card title={TEXT.moving.next}>
      {step === 'wait' && (
        <>
          <p>{TEXT.moving.steps.wait}</p>
          <Typed words={['move', 'status', '--all', ...only]} />
        </>
      )}
      {step === 'switch' && (
        <>
          <p>{TEXT.moving.steps.check}</p>
          <Typed words={['move', 'check', '--all', ...only]} />
          <p>{TEXT.moving.steps.watch}</p>
          <Typed words={['move', 'watch', ...only]} />
        </>
      )}
      {step === 'done' && <p>{TEXT.moving.steps.done}</p>}
    </Card>
  );
}

function Reasons({ counts: { blockers } }: { counts: SiteCounts }) {
  if (blockers.length === 0) return null;
  return (
    <Card title={TEXT.moving.whyNot}>
      <Table label={TEXT.moving.reasonTable} columns={TEXT.moving.reasonColumns}>
        {blockers.map(({ reason, count: names, oldest }) => (
          <tr key={reason}>
            <td>{number(names)}</td>
            <th scope="row">{wordFor(TEXT.moving.reasons, reason)}</th>
            <td>
              <Ago at={oldest.since} />
            </td>
            <td>
              <Link href={hrefOf(['domains', oldest.domain])}>
                <Name name={oldest.domain} />
              </Link>
              <Message said={sayBlocker(reason, oldest.message)} />
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

function Message({ said }: { said: Said | null }) {
  if (said === null) return null;
  return (
    <p class="note" lang={said.lang}>
      {said.text}
    </p>
  );
}

interface UnreadyProps {
  filter: { metadata?: Record<string, string> };
  from: string | undefined;
  cursor: string | undefined;
}

function Unready({ filter, from, cursor }: UnreadyProps) {
  const { client } = useDashboard();
  const wanted = { ...filter, cursor, ready: false };
  const loaded = useLoad(JSON.stringify(wanted), (signal) => client.domains.listWorkspaceDomains(wanted, { signal }), {
    everyMs: REFRESH_MS,
  });
  const { data, isLoading } = loaded;
  return (
    <Card title={TEXT.moving.unready}>
      <LoadState {...loaded} />
      {data?.items.length === 0 && <p class="note">{TEXT.moving.emptyPage}</p>}
      {data !== undefined && data.items.length > 0 && (
        <div aria-busy={isLoading}>
          <Table label={TEXT.moving.unreadyTable} columns={TEXT.moving.unreadyColumns}>
            {data.items.map(({ domain: { id, domain, createdAt }, certificate, blocker }) => (
              <tr key={id}>
                <th scope="row">
                  <Link href={hrefOf(['domains', id])}>
                    <Name name={domain} />
                  </Link>
                </th>
                <td>
                  {wordFor(TEXT.moving.reasons, blocker?.reason ?? '')}
                  {blocker && <Message said={sayBlocker(blocker.reason, blocker.message)} />}
                </td>
                <td>
                  <Ago at={blocker?.since ?? createdAt} />
                </td>
                <td>
                  <Badge tone="quiet">{wordFor(TEXT.domain.certificate.states, certificate.state)}</Badge>
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
      {data?.cursor && (
        <Link class="button quiet" href={hrefOf(['moving'], { from, cursor: data.cursor })}>
          {TEXT.moving.more}
        </Link>
      )}
    </Card>
  );
}
