import { useState } from 'preact/hooks';
import type { Page, Site } from '../../client/client.ts';
import { Name } from '../inline.tsx';
import { useDashboard } from './context.ts';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { goTo, hrefOf, Link } from './route.tsx';
import { siteState } from './site-state.ts';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

const REFRESH_MS = 10_000;
const PAGE_SIZE = 100;
const STATUSES = ['pending', 'verifying', 'verified', 'failed'] as const;

/** One row a name. The filters are in the address. */
export function DomainsPage({ query }: { query: URLSearchParams }) {
  const { client } = useDashboard();
  const [search, status, cursor] = ['search', 'status', 'cursor'].map((name) => query.get(name) ?? undefined);
  usePageTitle(TEXT.pages.domains);
  const wanted = { search, status: STATUSES.find((each) => each === status), cursor, limit: PAGE_SIZE };
  const { data, error, isLoading, reload } = useLoad<Page<Site>>(
    JSON.stringify(wanted),
    (signal) => client.domains.listWorkspaceDomains(wanted, { signal }),
    { everyMs: REFRESH_MS },
  );
  const filter = (changes: Record<string, string | undefined>) =>
    goTo(hrefOf(['domains'], { search, status, ...changes }), { replace: true });

  return (
    <>
      <h1>{TEXT.pages.domains}</h1>
      <Filters search={search ?? ''} status={status ?? ''} onChange={filter} />
      {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
      <div class="table" aria-busy={isLoading}>
        {data && <Rows sites={data.items} />}
      </div>
      {data?.cursor && (
        <Link class="button quiet" href={hrefOf(['domains'], { search, status, cursor: data.cursor })}>
          {TEXT.list.more}
        </Link>
      )}
    </>
  );
}

interface FiltersProps {
  search: string;
  status: string;
  onChange(changes: Record<string, string | undefined>): void;
}

function Filters({ search, status, onChange }: FiltersProps) {
  const [typed, setTyped] = useState(search);
  const type = (text: string) => {
    setTyped(text);
    onChange({ search: text });
  };
  return (
    <search class="filters">
      <label>
        {TEXT.list.search}
        <input type="search" value={typed} onInput={({ currentTarget }) => type(currentTarget.value)} />
      </label>
      <label>
        {TEXT.list.status}
        <select value={status} onChange={({ currentTarget }) => onChange({ status: currentTarget.value })}>
          <option value="">{TEXT.list.anyStatus}</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {TEXT.statuses[each]}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

function Rows({ sites }: { sites: readonly Site[] }) {
  if (sites.length === 0) return <p class="empty">{TEXT.list.none}</p>;
  return (
    <table>
      <thead>
        <tr>
          {TEXT.list.columns.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sites.map((site) => (
          <Row key={site.domain.id} site={site} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ site }: { site: Site }) {
  const { word, turn, since, problem } = siteState(site);
  return (
    <tr>
      <th scope="row">
        <Link href={hrefOf(['domains', site.domain.id])}>
          <Name name={site.domain.domain} />
        </Link>
        {problem !== null && <p class="problem">{problem}</p>}
      </th>
      <td>
        <span class={`word ${word}`}>{TEXT.words[word]}</span>
      </td>
      <td>{since !== null && <Ago at={since} />}</td>
      <td>{TEXT.turns[turn]}</td>
    </tr>
  );
}
