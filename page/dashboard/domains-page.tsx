import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Site } from '../../client/client.ts';
import { Name } from '../inline.tsx';
import { AddDomains } from './add-domains.tsx';
import { Button } from './button.tsx';
import { mayDo, useDashboard } from './context.ts';
import { FILTERS, FilterBar, type Filters, filtersOf, inputOf } from './domain-filters.tsx';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { EmptyState, PageHead, WordBadge } from './parts.tsx';
import { goTo, hrefOf, Link } from './route.tsx';
import { hasMore, rowCount, rowsBetween } from './row-pages.ts';
import { externalIdSearch, findNames } from './search-terms.ts';
import { SetUpLinks } from './set-up-links.tsx';
import { siteState } from './site-state.ts';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { useRows } from './use-rows.ts';
import { WindowedRows } from './windowed-rows.tsx';

const COUNT_MS = 60_000;

/** One row a name. The filters are in the address. */
export function DomainsPage({ query }: { query: URLSearchParams }) {
  const { client, person } = useDashboard();
  const filters = filtersOf(query);
  const input = inputOf(filters);
  const rows = useRows<Site>(JSON.stringify(input), (cursor, signal) =>
    findNames(client, { ...input, cursor }, signal),
  );
  const counts = useLoad('counts', (signal) => client.domains.countDomains({}, { signal }), { everyMs: COUNT_MS });
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const [isLinking, setLinking] = useState(false);
  const isAdding = query.has('add');
  const change = (changes: Filters & { add?: string }) =>
    goTo(hrefOf(['domains'], { ...filters, ...changes }), { replace: true });

  const count = rowCount(rows.pages);
  const more = hasMore(rows.pages);
  const isFiltered = Object.keys(filters).length > 0;
  const total = isFiltered ? null : (counts.data?.total ?? null);
  const addButton = mayDo(person, 'environment', 'create_domain') && (
    <Button kind="main" onClick={() => change({ add: '1' })}>
      {TEXT.domains.add}
    </Button>
  );

  return (
    <>
      <PageHead title={TEXT.pages.domains}>{addButton}</PageHead>
      <FilterBar filters={filters} onChange={change} />
      {rows.error !== undefined && <LoadFailed error={rows.error} onRetry={rows.reload} />}
      <div class="bar list-bar">
        <p class="note" aria-live="polite">
          {count > 0 && TEXT.domains.loaded(count, more, total)}
          {(count === 0 || rows.isStale) && rows.isLoading && TEXT.domains.searching}
        </p>
        {chosen.size > 0 && (
          <div class="actions">
            <span>{TEXT.domains.chosen(chosen.size)}</span>
            <Button kind="main" isSmall onClick={() => setLinking(true)}>
              {TEXT.domains.sendLinks}
            </Button>
            <Button isSmall onClick={() => setChosen(new Map())}>
              {TEXT.domains.chooseNone}
            </Button>
          </div>
        )}
      </div>
      {count > 0 && (
        <SiteRows
          rows={rows}
          chosen={chosen}
          onChoose={mayDo(person, 'environment', 'create_setup_link') ? setChosen : null}
        />
      )}
      {count === 0 && !rows.isLoading && !more && <Nothing filters={filters} button={addButton} onChange={change} />}
      {isAdding && <AddDomains environment={filters.environment} onClose={() => change({})} onAdded={rows.reload} />}
      {isLinking && <SetUpLinks domains={chosen} onClose={() => setLinking(false)} />}
    </>
  );
}

interface SiteRowsProps {
  rows: ReturnType<typeof useRows<Site>>;
  /** Names by the ids of their domains. */
  chosen: ReadonlyMap<string, string>;
  /** Null: links cannot be made. */
  onChoose: ((chosen: ReadonlyMap<string, string>) => void) | null;
}

function SiteRows({ rows, chosen, onChoose }: SiteRowsProps) {
  const { pages } = rows;
  const columns = useMemo(() => {
    const { choose, ...titles } = TEXT.domains.columns;
    const named = Object.entries(titles).map(([key, title]) => ({ key, title }));
    if (onChoose === null) return named;
    const all = (isOn: boolean) =>
      onChoose(
        new Map(
          isOn ? rowsBetween(pages, 0, rowCount(pages)).map(({ row: { domain } }) => [domain.id, domain.domain]) : [],
        ),
      );
    const box = (
      <input
        type="checkbox"
        aria-label={TEXT.domains.chooseAll}
        title={TEXT.domains.chooseAll}
        checked={chosen.size > 0 && chosen.size === rowCount(pages)}
        onChange={({ currentTarget }) => all(currentTarget.checked)}
      />
    );
    return [{ key: 'choose', title: box }, ...named];
  }, [pages, chosen, onChoose]);

  function toggle({ domain }: Site): void {
    const next = new Map(chosen);
    if (!next.delete(domain.id)) next.set(domain.id, domain.domain);
    onChoose?.(next);
  }

  return (
    <WindowedRows
      label={TEXT.pages.domains}
      columns={columns}
      pages={pages}
      isBusy={rows.isStale}
      keyOf={({ domain }) => domain.id}
      onLook={rows.look}
      cellsOf={(site) => (
        <>
          {onChoose !== null && (
            <td class="choose">
              <input
                type="checkbox"
                aria-label={TEXT.domains.choose(site.domain.domain)}
                checked={chosen.has(site.domain.id)}
                onChange={() => toggle(site)}
              />
            </td>
          )}
          <SiteCells site={site} />
        </>
      )}
    />
  );
}

/** Kept while the row stays the same: scrolling renders the new rows alone. */
function SiteCells({ site }: { site: Site }) {
  return useMemo(() => cellsOf(site), [site]);
}

function cellsOf(site: Site) {
  const { word, turn, since, problem } = siteState(site);
  return (
    <>
      <th scope="row" class="name">
        <Link href={hrefOf(['domains', site.domain.id])}>
          <Name name={site.domain.domain} />
        </Link>
        {problem !== null && (
          <p class="problem" title={problem.text} lang={problem.lang}>
            {problem.text}
          </p>
        )}
      </th>
      <td class="state">
        <WordBadge word={word} />
      </td>
      <td class="since">{since !== null && <Ago at={since} />}</td>
      <td class="turn">{TEXT.turns[turn]}</td>
    </>
  );
}

interface NothingProps {
  filters: Filters;
  /** Adds the first ones. */
  button: ComponentChildren;
  onChange(changes: Filters): void;
}

/** Why there is no row, and what helps. */
function Nothing({ filters, button, onChange }: NothingProps) {
  if (Object.keys(filters).length === 0)
    return (
      <EmptyState title={TEXT.domains.empty} text={TEXT.domains.emptyHint}>
        {button}
      </EmptyState>
    );
  const { search } = inputOf(filters);
  const none = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
  return (
    <EmptyState title={TEXT.domains.none} text={TEXT.domains.noneHint}>
      {search !== undefined && (
        <Button onClick={() => onChange({ search: externalIdSearch(search) })}>
          {TEXT.domains.asExternalId(search)}
        </Button>
      )}
      <Button onClick={() => onChange(none)}>{TEXT.domains.clear}</Button>
    </EmptyState>
  );
}
