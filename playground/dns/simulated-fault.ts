/**
 * How queries for a name fail. `timeout`: no response. `truncate`: TC over UDP. `lame`: a response without AA, as from
 * a server that does not have the zone. `bogus`: as a resolver responds that finds the DNSSEC signatures broken, with
 * SERVFAIL to all but CD; nameservers respond as before.
 */
export const FAULTS = ['servfail', 'timeout', 'refused', 'truncate', 'lame', 'bogus'] as const;
export type Fault = (typeof FAULTS)[number];

export interface SimulatedFault {
  name: string;
  fault: Fault | null;
  delayMs: number;
}
