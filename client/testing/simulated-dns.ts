import type { NameplateClient } from '../client.ts';

/** How queries fail. `lame`: a response without authority. `bogus`: broken DNSSEC signatures. */
export type DnsFault = 'servfail' | 'timeout' | 'refused' | 'truncate' | 'lame' | 'bogus';

/** The DNS of a playground: authoritative for every name. */
export interface SimulatedDns {
  /** Address and port. */
  address: string;
  /** Replaces the records of a name and type, with one record for each value. `ttl`: seconds, 60 unless given. */
  set(name: string, type: string, values: string | string[], ttl?: number): Promise<void>;
  /** Removes the records of a name and type; without a type, all of them and its fault. */
  remove(name: string, type?: string): Promise<void>;
  /** Makes every query for exactly this name fail, until `none`. */
  fail(name: string, fault: DnsFault | 'none'): Promise<void>;
  /** Publishes the records that a domain needs, as its owner does, in place of other routing records. */
  publish(domain: string): Promise<void>;
}

/** Types of routing records: a name has records of only one of them. */
const ROUTING_TYPES = ['A', 'AAAA', 'ALIAS', 'CNAME'];

/** `panel`: the link to the DNS panel, whose token permits changes. Each call rejects with what the simulator refuses. */
export function simulatedDns(address: string, panel: string, client: NameplateClient): SimulatedDns {
  const { origin, hash } = new URL(panel);

  async function control(command: string, body: object): Promise<void> {
    const headers = { authorization: `Bearer ${hash.slice(1)}`, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/${command}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { message } = (await response.json()) as { message?: string };
    if (!response.ok) throw new Error(message ?? `The playground returned status ${response.status}`);
  }

  const dns: SimulatedDns = {
    address,
    set: (name, type, values, ttl) => control('set', { name, type, values: [values].flat(), ttl }),
    remove: (name, type) => control('remove', { name, type }),
    fail: (name, fault) => control('fail', { name, fault }),
    async publish(domain) {
      const { dnsRecords } = await client.domains.getDomain({ domain });
      for (const { name, type, value, ttl } of dnsRecords) {
        const others = ROUTING_TYPES.includes(type) ? ROUTING_TYPES.filter((each) => each !== type) : [];
        for (const other of others) await dns.remove(name, other);
        await dns.set(name, type, value, ttl);
      }
    },
  };
  return dns;
}
