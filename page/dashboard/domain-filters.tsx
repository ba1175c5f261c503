import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiCalls } from '../../client/client.ts';
import { EnvironmentSelect, useEnvironments } from './environments.tsx';
import { searchTerms } from './search-terms.ts';
import { TEXT } from './text.ts';

export type ListInput = Parameters<ApiCalls['domains']['listWorkspaceDomains']>[0];

/** The filters of the list, as the address has them. */
export type Filters = Partial<Record<(typeof FILTERS)[number], string>>;

export const FILTERS = ['search', 'status', 'certificate', 'live', 'environment'] as const;

const choices = () => ({
  status: TEXT.statuses,
  certificate: TEXT.domains.certificates,
  live: TEXT.domains.lives,
});

/** Reads the filters of an address; a value that is none of the choices is left out. */
export function filtersOf(query: URLSearchParams): Filters {
  const filters: Filters = {};
  const known: Partial<Record<string, object>> = choices();
  for (const name of FILTERS) {
    const value = query.get(name);
    const allowed = known[name];
    if (value && (allowed === undefined || Object.hasOwn(allowed, value))) filters[name] = value;
  }
  return filters;
}

/** The input of the API for these filters. */
export function inputOf({ search = '', environment, ...chosen }: Filters): ListInput {
  return {
    ...(chosen as Pick<ListInput, 'status' | 'certificate' | 'live'>),
    ...searchTerms(search),
    ...(environment !== undefined && { within: { environment } }),
  };
}

interface FilterBarProps {
  filters: Filters;
  onChange(changes: Filters): void;
}

/** The search and the filters. */
export function FilterBar({ filters, onChange }: FilterBarProps) {
  const environments = useEnvironments().data ?? [];
  return (
    <search class="filters">
      <SearchBox value={filters.search ?? ''} onChange={(search) => onChange({ search })} />
      {(['status', 'certificate', 'live'] as const).map((name) => (
        <label key={name}>
          {TEXT.domains.filters[name]}
          <select
            value={filters[name] ?? ''}
            onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
          >
            <option value="">{TEXT.domains.all}</option>
            {Object.entries(choices()[name]).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      ))}
      {(environments.length > 1 || filters.environment !== undefined) && (
        <label for="environment">
          {TEXT.domains.filters.environment}
          <EnvironmentSelect
            id="environment"
            environments={environments}
            value={filters.environment ?? ''}
            none={TEXT.domains.all}
            onChange={(environment) => onChange({ environment })}
          />
        </label>
      )}
    </search>
  );
}

/** Pause in typing after which the list is asked for. */
const TYPING_MS = 120;

function SearchBox({ value, onChange }: { value: string; onChange(text: string): void }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    // The address was changed from elsewhere.
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = text;
      latest.current(text);
    }, TYPING_MS);
  };
  return (
    <label class="search">
      {TEXT.domains.search}
      <input
        type="search"
        value={typed}
        maxLength={256}
        placeholder={TEXT.domains.searchHint}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
    </label>
  );
}
