/** The DNS of the measurements: which zones there are, and who speaks for them. */

/** The domain with this number. `zones`: how many the domains are spread over; unless given, each has its own. */
export function nameOf(number: number, zones = number + 1): string {
  return `d${number}.z${zoneOf(number, zones)}.test`;
}

export function zoneOf(number: number, zones = number + 1): number {
  return number % zones;
}

/** The zone of a name or of what is below it. */
export function apexOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

/**
 * Loopback addresses of nameservers. Each may be asked so and so often, as in the world outside, so there have to be
 * many.
 */
export const NAMESERVERS = 64;

export function addressOf(nameserver: number): string {
  return `127.64.0.${nameserver + 1}`;
}

/** The two nameservers of the zone with this number. */
export function nameserversOf(zone: number): [number, number] {
  return [zone % NAMESERVERS, (zone + 1) % NAMESERVERS];
}

/**
 * The records of a verified domain. They follow from its name, `www.z<number>.test`, so that a nameserver needs no
 * table of a million.
 */
export function recordsOf(name: string): { target: string; token: string } {
  const label = name.replaceAll('.', '-');
  return { target: `${label}.cname.bench.test`, token: label };
}
