import { useState } from 'preact/hooks';
import type { DomainCounts, NameplateClient, Site, SiteCounts } from '../../client/client.ts';
import { CopyButton } from '../copy-button.tsx';
import { Name } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { Button } from './button.tsx';
import { mayDo, useDashboard } from './context.ts';
import { number } from './figures.ts';
import { useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { Card, EmptyState, PageHead, WordBadge } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import type { ListInput } from './search-terms.ts';
import { byWeek, firstSentence, type Stuck, stuckNames } from './stuck.ts';
import { TEXT } from './text.ts';
import { Ago, lasting } from './time.tsx';
import { useToast } from './toast.tsx';

const REFRESH_MS = 15_000;
/** The ends of certificates change slowly, and there are many. */
const DUE_REFRESH_MS = 600_000;
const WEEKS = 13;
/** Rows of a group at first. */
const FIRST = 5;
/** Pages that a filter is followed for, of 100 names each. */
const STUCK_PAGES = 3;
const DUE_PAGES = 10;

/** The filters that names in need are found by. */
const NEEDS: readonly ListInput[] = [
  { live: 'unreachable' },
  { live: 'partly_live' },
  { certificate: 'failed' },
  { certificate: 'waiting_for_routing' },
  { certificate: 'wanted' },
  { status: 'failed' },
  { status: 'verifying' },
];

/** The names that need somebody, and the state of all. */
export function HomePage() {
  const { client } = useDashboard();
  const counts = useLoad('counts', (signal) => client.domains.countDomains({}, { signal }), { everyMs: REFRESH_MS });
  const sites = useLoad('sites', (signal) => client.domains.countSites({}, { signal }), { everyMs: REFRESH_MS });
  const needs = useLoad('needs', (signal) => gather(client, NEEDS, STUCK_PAGES, signal), { everyMs: REFRESH_MS });
  const due = useLoad('due', (signal) => gather(client, [{ certificate: 'issued' }], DUE_PAGES, signal), {
    everyMs: DUE_REFRESH_MS,
  });
  const reload = () => {
    needs.reload();
    counts.reload();
  };
  return (
    <>
      <PageHead title={TEXT.pages.home} />
      <LoadState data={needs.data} error={needs.error ?? counts.error} reload={reload} />
      {needs.data && counts.data && counts.data.total === 0 && <FirstNames />}
      {needs.data && counts.data?.total !== 0 && <WhoNeedsMe {...needs.data} onChange={needs.reload} />}
      <div class="figures">
        {counts.data && counts.data.total > 0 && <States counts={counts.data} />}
        {due.data && due.data.sites.length > 0 && <Due {...due.data} />}
        {sites.data && <Budget counts={sites.data} />}
      </div>
    </>
  );
}

interface Gathered {
  sites: Site[];
  /** Whether there are more than were looked at. */
  isPart: boolean;
}

async function gather(
  { domains }: NameplateClient,
  filters: readonly ListInput[],
  pages: number,
  signal: AbortSignal,
): Promise<Gathered> {
  const found: Gathered = { sites: [], isPart: false };
  const follow = async (filter: ListInput) => {
    let cursor: string | undefined;
    for (let page = 0; page < pages && (page === 0 || cursor !== undefined); page += 1) {
      const { items, cursor: next } = await domains.listWorkspaceDomains({ ...filter, cursor }, { signal });
      found.sites.push(...items);
      cursor = next;
    }
    found.isPart ||= cursor !== undefined;
  };
  await Promise.all(filters.map(follow));
  return found;
}

function FirstNames() {
  return (
    <EmptyState title={TEXT.domains.empty} text={TEXT.domains.emptyHint}>
      <Link class="button" href={hrefOf(['domains'], { add: '1' })}>
        {TEXT.domains.add}
      </Link>
    </EmptyState>
  );
}

function WhoNeedsMe({ sites, isPart, onChange }: Gathered & { onChange: () => void }) {
  const groups = stuckNames(sites, Date.now());
  const shown = (['us', 'ca', 'owner'] as const).filter((turn) => groups[turn].length > 0);
  return (
    <>
      {shown.length === 0 && <EmptyState title={TEXT.home.nobody} text={TEXT.home.nobodyText} />}
      {shown.map((turn) => (
        <Group key={turn} title={TEXT.home.groups[turn]} stuck={groups[turn]} onChange={onChange} />
      ))}
      {isPart && (
        <p class="note">
          {TEXT.home.some} <Link href={hrefOf(['domains'])}>{TEXT.pages.domains}</Link>
        </p>
      )}
    </>
  );
}

function Group({ title, stuck, onChange }: { title: string; stuck: readonly Stuck[]; onChange: () => void }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? stuck : stuck.slice(0, FIRST);
  return (
    <Card title={`${title} (${number(stuck.length)})`}>
      <ul class="needs" aria-label={title}>
        {shown.map(({ site, state }) => (
          <li key={site.domain.id}>
            <div>
              <p class="need">
                <Link href={hrefOf(['domains', site.domain.id])}>
                  <Name name={site.domain.domain} />
                </Link>{' '}
                <WordBadge word={state.word} />{' '}
                <span class="since">{state.since !== null && <Ago at={state.since} />}</span>
              </p>
              <p class="sentence" title={state.problem?.text} lang={state.problem?.lang}>
                {firstSentence(state.problem?.text ?? TEXT.home.sentences[state.word])}
              </p>
            </div>
            <NextStep stuck={{ site, state }} onChange={onChange} />
          </li>
        ))}
      </ul>
      {shown.length < stuck.length && (
        <Button isSmall onClick={() => setWhole(true)}>
          {TEXT.home.more(stuck.length - shown.length)}
        </Button>
      )}
    </Card>
  );
}

/** The one thing that helps most, of those that the person may do. */
function NextStep({ stuck: { site, state }, onChange }: { stuck: Stuck; onChange: () => void }) {
  const { client, person } = useDashboard();
  const toast = useToast();
  const [link, setLink] = useState<string | null>(null);
  const { id, domain, status } = site.domain;
  const of = <span class="sr">{TEXT.signs.colon + domain}</span>;
  const check = async () => {
    await client.domains.verifyDomain({ domain: id });
    toast({ text: TEXT.home.checked });
    onChange();
  };
  const makeLink = async () => setLink((await client.domains.createSetupLink({ domain: id })).url);
  if (link !== null) return <CopyButton text={link} label={TEXT.home.copyLink} what={TEXT.home.linkOf(domain)} />;
  if (state.word === 'checks_ended' && mayDo(person, 'environment', 'verify_domain'))
    return (
      <ActionButton isSmall run={check}>
        {TEXT.home.check}
        {of}
      </ActionButton>
    );
  if (state.turn === 'owner' && status !== 'verified' && mayDo(person, 'environment', 'create_setup_link'))
    return (
      <ActionButton isSmall run={makeLink}>
        {TEXT.home.makeLink}
        {of}
      </ActionButton>
    );
  return (
    <Link class="button quiet small" href={hrefOf(['domains', id])}>
      {TEXT.home.open}
      {of}
    </Link>
  );
}

function States({ counts: { byStatus, byCertificate, total } }: { counts: DomainCounts }) {
  const rowsOf = (filter: 'status' | 'certificate', titles: Record<string, string>, counted: Record<string, number>) =>
    Object.entries(titles).map(([value, title]) => ({
      title,
      count: counted[value] ?? 0,
      href: hrefOf(['domains'], { [filter]: value }),
    }));
  const all = { title: TEXT.home.total, count: total, href: hrefOf(['domains']) };
  return (
    <Card title={TEXT.home.states}>
      <Bars rows={[all, ...rowsOf('status', TEXT.statuses, byStatus)]} most={total} />
      <h3>{TEXT.home.certificates}</h3>
      <Bars rows={rowsOf('certificate', TEXT.domains.certificates, byCertificate)} most={total} />
    </Card>
  );
}

/** Counts, each with a bar as long as its share of the most. */
function Bars({ rows, most }: { rows: readonly { title: string; count: number; href?: string }[]; most: number }) {
  return (
    <dl class="bars">
      {rows.map(({ title, count, href }) => (
        <div key={title}>
          <dt>{href === undefined ? title : <Link href={href}>{title}</Link>}</dt>
          <dd>
            {count > 0 && <span class="share" style={{ width: `${(100 * count) / Math.max(1, most)}%` }} />}
            {number(count)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Due({ sites, isPart }: Gathered) {
  const ends = sites.flatMap(({ certificate: { notAfter } }) => notAfter ?? []);
  const weeks = byWeek(ends, Date.now(), WEEKS);
  const rows = weeks.map((count, week) => ({
    title: week === 0 ? TEXT.home.thisWeek : TEXT.home.inWeeks(week),
    count,
  }));
  return (
    <Card title={TEXT.home.due}>
      <p class="note">
        {TEXT.home.dueText} {isPart && TEXT.home.dueSome(sites.length)}
      </p>
      {weeks.some(Boolean) ? <Bars rows={rows} most={Math.max(...weeks)} /> : <p>{TEXT.home.noneDue}</p>}
    </Card>
  );
}

function Budget({ counts: { waiting, timeLeftMs, pace } }: { counts: SiteCounts }) {
  return (
    <Card title={TEXT.home.budget}>
      <p>{TEXT.home.budgetWaiting(waiting, timeLeftMs === undefined ? null : timeLeftMs && lasting(timeLeftMs))}</p>
      {pace === undefined ? (
        <p class="note">{TEXT.home.noLimits}</p>
      ) : (
        <>
          <p class="note">{TEXT.home.pace(pace.names, lasting(pace.windowMs), pace.cas)}</p>
          <ul>
            {[10, 100, 1000].map((count) => (
              // As many windows as they fill, behind those that wait.
              <li key={count}>
                {TEXT.home.fits(count, lasting((timeLeftMs ?? 0) + Math.ceil(count / pace.names) * pace.windowMs))}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
