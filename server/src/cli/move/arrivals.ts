/** Where names lead, from one round of lookups to the next. Pure. */

/** `here`: all addresses of the name are the edge's. `partly`: some are. */
export type Lead = 'here' | 'partly' | 'elsewhere' | 'nowhere';

/** `before` is undefined in the first round. */
export interface LeadChange {
  domain: string;
  before: Lead | undefined;
  after: Lead;
}

/** `addresses` and `edges` in canonical form. */
export function leadOf(addresses: readonly string[], edges: ReadonlySet<string>): Lead {
  if (addresses.length === 0) return 'nowhere';
  const here = addresses.filter((address) => edges.has(address)).length;
  if (here === 0) return 'elsewhere';
  return here === addresses.length ? 'here' : 'partly';
}

export interface Arrivals {
  /** Null: the addresses could not be read, so the name stays where it was. Returns the change, if there is one. */
  note(domain: string, lead: Lead | null): LeadChange | null;
  count(lead: Lead): number;
}

export function createArrivals(): Arrivals {
  const leads = new Map<string, Lead>();
  const counts: Record<Lead, number> = { here: 0, partly: 0, elsewhere: 0, nowhere: 0 };
  return {
    note(domain, after) {
      const before = leads.get(domain);
      if (after === null || after === before) return null;
      leads.set(domain, after);
      counts[after] += 1;
      if (before !== undefined) counts[before] -= 1;
      return { domain, before, after };
    },
    count: (lead) => counts[lead],
  };
}
