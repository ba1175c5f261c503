import type { QueryLimits, RecordQueries } from '../../dns/resolver.ts';
import type { ZoneObservation } from '../../domain/observation.ts';

/** `ownNameservers` is asked for beside the records: nothing waits for it. */
export interface FreshZone {
  zone: ZoneObservation;
  ownNameservers: Promise<string[] | null>;
}

/** Reads the zone of a name as its parent delegates it now; once in a check for both records. `cached`: where the first look found the name. */
export type FreshZones = (cached: ZoneObservation, name: string) => Promise<FreshZone>;

export function freshZones(dns: RecordQueries, options: QueryLimits): FreshZones {
  const read = new Map<string, Promise<FreshZone>>();

  async function readZone(name: string): Promise<FreshZone> {
    const zone = await dns.findZone(name, options);
    const ownNameservers = zone.failure === null ? dns.ownNameservers(zone, options) : Promise.resolve(null);
    return { zone, ownNameservers };
  }

  return async (cached, name) => {
    const reading = read.get(cached.apex) ?? readZone(name);
    read.set(cached.apex, reading);
    const fresh = await reading;
    const { apex, failure } = fresh.zone;
    // The other name may be in a lower zone of its own, whose nameservers know nothing of this one.
    return failure !== null || apex === '.' || name === apex || name.endsWith(`.${apex}`) ? fresh : readZone(name);
  };
}
