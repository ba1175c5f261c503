import type { ApiCalls, NameplateClient, Page, Site } from '../../client/client.ts';

/** Reads the search box of the list, as `domains.listWorkspaceDomains` takes it. */
export interface SearchTerms {
  /** Part of a name or an id. */
  search?: string;
  externalId?: string;
  metadata?: Record<string, string>;
}

/** Pairs that one request may have. */
const MOST_PAIRS = 5;
/** A word, or one of its parts in quotation marks: `key="two words"`. */
const WORD = /(?:[^\s"]|"[^"]*"?)+/g;
const EXTERNAL_ID = /^(?:id|externalId):(.+)$/i;
const PAIR = /^([^=]+)=(.*)$/;

/**
 * Reads what was typed: `key=value` is a pair of metadata, `id:VALUE` an external id, and all else a part of the name. No name of a
 * domain has a colon or an equals sign.
 */
export function searchTerms(typed: string): SearchTerms {
  const terms: SearchTerms = {};
  const names: string[] = [];
  for (const word of typed.match(WORD) ?? []) {
    const text = withoutAddress(word.replaceAll('"', ''));
    const externalId = EXTERNAL_ID.exec(text)?.[1];
    const [, key, value] = PAIR.exec(text) ?? [];
    const { metadata = {} } = terms;
    if (externalId !== undefined) terms.externalId = externalId;
    else if (key === undefined || value === undefined) names.push(text);
    else if (Object.keys(metadata).length < MOST_PAIRS) terms.metadata = { ...metadata, [key]: value };
  }
  if (names.length > 0) terms.search = names.join(' ');
  return terms;
}

/** The search that finds an external id, whatever it contains. */
export function externalIdSearch(externalId: string): string {
  return `id:"${externalId}"`;
}

export type ListInput = Parameters<ApiCalls['domains']['listWorkspaceDomains']>[0];

/** A text that may be the whole of a name or an id: the API finds it at once. */
export const WHOLE = /^(dom_\w{20,}|[^\s.]+(\.[^\s.]+)+)$/u;

/** A page of the list; the name that the search is the whole of comes first. */
export async function findNames(
  { domains }: NameplateClient,
  input: ListInput,
  signal: AbortSignal,
): Promise<Page<Site>> {
  const { search = '', cursor, limit, ...filters } = input;
  const isWhole = cursor === undefined && Object.keys(filters).length === 0 && WHOLE.test(search);
  const [page, exact] = await Promise.all([
    domains.listWorkspaceDomains(input, { signal }),
    isWhole ? domains.getSite({ domain: search }, { signal }).catch(() => null) : null,
  ]);
  if (exact === null) return page;
  return { ...page, items: [exact, ...page.items.filter(({ domain }) => domain.id !== exact.domain.id)] };
}

/** People paste addresses: the name in one is meant. */
function withoutAddress(text: string): string {
  return text.replace(/^https?:\/\/([^/:]+).*$/i, '$1');
}
