import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../client/client.ts';
import { Command } from './command.tsx';
import { useDashboard } from './context.ts';
import { useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { EmptyState, PageHead, Table } from './parts.tsx';
import { goTo, hrefOf, Link } from './route.tsx';
import { TEXT, wordFor } from './text.ts';
import { Ago } from './time.tsx';

const REFRESH_MS = 10_000;
const PAGE_SIZE = 50;
const FILTERS = ['actor', 'action', 'target'] as const;
type Filters = Partial<Record<(typeof FILTERS)[number], string>>;

/** Who changed what. The filters are in the address. */
export function AuditPage({ query }: { query: URLSearchParams }) {
  const { client } = useDashboard();
  const given = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []));
  const filters: Filters = Object.fromEntries(given);
  const cursor = query.get('cursor') ?? undefined;
  const wanted = { ...filters, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
  const loaded = useLoad(JSON.stringify(wanted), (signal) => client.audit.listEntries(wanted, { signal }), {
    everyMs: REFRESH_MS,
  });
  const { data, isLoading } = loaded;
  return (
    <>
      <PageHead title={TEXT.pages.audit} about={TEXT.audit.about} />
      <FilterForm key={JSON.stringify(filters)} filters={filters} />
      <LoadState {...loaded} />
      {data?.items.length === 0 && <EmptyState title={TEXT.audit.none} text={TEXT.audit.noneText} />}
      {data !== undefined && data.items.length > 0 && (
        <div aria-busy={isLoading}>
          <Table label={TEXT.audit.table} columns={TEXT.audit.columns}>
            {data.items.map((entry) => (
              <EntryRow key={entry.id} entry={entry} filters={filters} />
            ))}
          </Table>
        </div>
      )}
      <div class="actions">
        {cursor !== undefined && (
          <Link class="button quiet" href={hrefOf(['audit'], filters)}>
            {TEXT.audit.newest}
          </Link>
        )}
        {data?.cursor && (
          <Link class="button quiet" href={hrefOf(['audit'], { ...filters, cursor: data.cursor })}>
            {TEXT.audit.older}
          </Link>
        )}
      </div>
      <Command
        operation="audit.listEntries"
        input={wanted}
        command={['audit', ...Object.entries(filters).flatMap(([name, value]) => [`--${name}`, value])]}
      />
    </>
  );
}

function FilterForm({ filters }: { filters: Filters }) {
  const [typed, setTyped] = useState(filters);
  const submit = (event: Event) => {
    event.preventDefault();
    goTo(hrefOf(['audit'], typed));
  };
  return (
    <search>
      <form class="filters" onSubmit={submit}>
        {FILTERS.map((name) => (
          <label key={name}>
            {TEXT.audit[name]}
            <input
              type="search"
              value={typed[name] ?? ''}
              placeholder={TEXT.audit.hints[name]}
              onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value.trim() })}
            />
          </label>
        ))}
        <button type="submit" class="button quiet">
          {TEXT.audit.filter}
        </button>
        {Object.keys(filters).length > 0 && <Link href={hrefOf(['audit'])}>{TEXT.audit.clear}</Link>}
      </form>
    </search>
  );
}

/** Each value is a filter, at a click. */
function EntryRow({ entry, filters }: { entry: AuditEntry; filters: Filters }) {
  const { at, actor, actorKind, action, target, targetName, detail, from } = entry;
  const only = (more: Filters) => hrefOf(['audit'], { ...filters, ...more });
  const isSaid = Object.keys(detail).length > 0;
  return (
    <tr>
      <td class="whole">
        <Ago at={at} />
      </td>
      <th scope="row">
        <Link href={only({ actor })}>
          <bdi>{actor}</bdi>
        </Link>{' '}
        <span class="note">{wordFor(TEXT.audit.kinds, actorKind)}</span>
      </th>
      <td class="whole">
        <Link href={only({ action })}>{action}</Link>
      </td>
      <td class="loose">
        <Link href={only({ target })}>
          <bdi>{targetName ?? target}</bdi>
        </Link>
        {targetName !== undefined && <span class="note full">{target}</span>}
      </td>
      <td>
        {isSaid && (
          <details>
            <summary>{TEXT.audit.show}</summary>
            <code dir="ltr" class="detail">
              {JSON.stringify(detail, null, 1)}
            </code>
          </details>
        )}
      </td>
      <td class="whole">{from}</td>
    </tr>
  );
}
