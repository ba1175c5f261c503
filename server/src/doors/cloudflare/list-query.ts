import { badInput } from './envelope.ts';
import type { ListQuery } from './list-hostnames.ts';

/** Pages as the vendor has them. */
const PER_PAGE = { least: 5, most: 1000, unless: 50 };
const MOST_PAGES = 1_000_000;
const LONGEST = 255;

const NAMES: Record<string, 'id' | 'exact' | 'contain' | 'startsWith'> = {
  id: 'id',
  hostname: 'exact',
  'hostname.exact': 'exact',
  'hostname.contain': 'contain',
  'hostname.startsWith': 'startsWith',
};

/** The query of a list. Throws a `Problem` for values that the vendor refuses, and for filters that are not here. */
export function listQuery(query: Record<string, unknown>): ListQuery {
  const given = new Map<string, string>();
  for (const [written, value] of Object.entries(query)) {
    // Clients write `hostname.contain` or `hostname[contain]`.
    const name = written.replace(/^hostname\[(\w+)\]$/, 'hostname.$1');
    if (typeof value !== 'string' || given.has(name))
      throw badInput(1434, `${written.slice(0, 40)} must be sent once.`);
    given.set(name, value);
  }
  const named = Object.keys(NAMES).filter((name) => given.has(name));
  if (named.length > 1) throw badInput(1438, `Only one of ${named.join(', ')} must be specified.`);
  for (const name of ['certificate_authority', 'custom_origin_server']) {
    if (given.has(name)) throw badInput(1434, `The filter ${name} is not supported here. Leave it out.`);
  }
  const take = (name: string, allowed: readonly string[]) => {
    const value = given.get(name);
    if (value === undefined || allowed.includes(value)) return value;
    throw badInput(1434, `${name} must be one of ${allowed.join(', ')}.`);
  };
  const [filter] = named;
  const text = filter === undefined ? undefined : textOf(filter, given.get(filter) ?? '');
  const hostnameStatus = given.get('hostname_status');
  const sslStatus = given.get('ssl_status');
  const ssl = take('ssl', ['0', '1']);
  const wildcard = take('wildcard', ['true', 'false']);
  return {
    page: numberOf(given.get('page'), 'page', { least: 1, most: MOST_PAGES, unless: 1 }),
    perPage: numberOf(given.get('per_page'), 'per_page', PER_PAGE),
    ...(filter !== undefined && { [NAMES[filter] as string]: text }),
    ...(hostnameStatus !== undefined && { hostnameStatus }),
    ...(sslStatus !== undefined && { sslStatus }),
    ...(ssl !== undefined && { ssl: ssl === '1' }),
    ...(wildcard !== undefined && { wildcard: wildcard === 'true' }),
    order: (take('order', ['ssl', 'ssl_status']) ?? 'created') as ListQuery['order'],
    direction: (take('direction', ['asc', 'desc']) ?? 'asc') as ListQuery['direction'],
  };
}

function textOf(name: string, value: string): string {
  if (value.length > 0 && value.length <= LONGEST && !/[\p{Cc}\p{Cs}]/u.test(value)) return value;
  throw badInput(1437, `Invalid ${name} query parameter. It has 1 to ${LONGEST} characters, none of them a control.`);
}

function numberOf(
  value: string | undefined,
  name: string,
  { least, most, unless }: { least: number; most: number; unless: number },
): number {
  if (value === undefined) return unless;
  const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw badInput(1434, `${name} must be a whole number from ${least} to ${most}.`);
}
