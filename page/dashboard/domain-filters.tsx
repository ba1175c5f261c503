import { useEffect, useRef, useState } from 'preact/hooks';
import { environmentOptions, useChoices } from './environments.ts';
import { Select } from './fields.tsx';
import { type ListInput, searchTerms } from './search-terms.ts';
import { TEXT } from './text.ts';

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
  const environments = environmentOptions(useChoices().data, filters.environment);
  const hasChoice = environments.length > 1 || filters.environment !== undefined;
  const options = { ...choices(), ...(hasChoice && { environment: Object.fromEntries(environments) }) };
  return (
    <search class="filters">
      <SearchBox value={filters.search ?? ''} onChange={(search) => onChange({ search })} />
      {(Object.keys(options) as (keyof ReturnType<typeof choices> | 'environment')[]).map((name) => (
        <label key={name}>
          {TEXT.domains.filters[name]}
          <Select
            options={[['', TEXT.domains.all], ...Object.entries<string>(options[name] ?? {})]}
            value={filters[name] ?? ''}
            onChange={(value) => onChange({ [name]: value })}
          />
        </label>
      ))}
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
