import type { LoggedQuery, Simulator } from '../../playground/dns/simulator.ts';

/** When a nameserver was asked for the ownership record of each domain, by the name of the domain. */
export interface Watch {
  /** Unix ms, in order. */
  asked: ReadonlyMap<string, number[]>;
  stop(): void;
}

const OWNERSHIP = '_service.';
/** The simulator remembers its last 1,000 queries; no test asks as much in this time. */
const LOOK_EVERY_MS = 20;

/** Reads the log of a simulator before it forgets. */
export function watchChecks(dns: Simulator): Watch {
  const asked = new Map<string, number[]>();
  let last: LoggedQuery | undefined = dns.log().at(-1);

  function look(): void {
    const log = dns.log();
    const news = log.slice(last === undefined ? 0 : log.lastIndexOf(last) + 1);
    if (last !== undefined && news.length === log.length && log.length > 0) throw new Error('queries were missed');
    last = log.at(-1) ?? last;
    for (const { name, type, at } of news) {
      if (type !== 'TXT' || !name.startsWith(OWNERSHIP)) continue;
      const domain = name.slice(OWNERSHIP.length);
      const times = asked.get(domain);
      if (times === undefined) asked.set(domain, [at]);
      else times.push(at);
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS);

  return {
    asked,
    stop() {
      look();
      clearInterval(timer);
    },
  };
}
