import { type DnsRecord, dnsRecords } from '../server/src/domain/records.ts';
import type { Store } from '../server/src/store/store.ts';
import type { Simulator } from './dns/simulator.ts';

type Publish = (simulator: Simulator, routing: DnsRecord, ownership: DnsRecord) => void;

/** The playground's CA for CAA records. */
export const CA_NAME = 'ca.nameplate.test';

const set = (simulator: Simulator, { name, type, value, ttl }: DnsRecord) => simulator.set(name, type, [value], ttl);
const setAll: Publish = (simulator, ...records) => {
  for (const record of records) set(simulator, record);
};

/**
 * Zones whose names always end the same way, for tests that cannot publish records: a domain in one of them has its
 * records before its first check.
 */
const ENDINGS: Record<string, Publish> = {
  'verified.test': setAll,
  'wrong-target.test'(simulator, routing, ownership) {
    set(simulator, { ...routing, value: 'elsewhere.example.net' });
    set(simulator, ownership);
  },
  'caa-blocked.test'(simulator, routing, ownership) {
    setAll(simulator, routing, ownership);
    simulator.set('caa-blocked.test', 'CAA', ['0 issue "another-ca.example.net"']);
  },
  'servfail.test'(simulator, routing, ownership) {
    setAll(simulator, routing, ownership);
    for (const { name } of [routing, ownership]) simulator.fail(name, 'servfail');
  },
};

/** Runs before a query is answered; null: there is nothing to do. Records are published once for each domain. */
export function fixedNames(
  store: Pick<Store, 'findDomainByName'>,
  workspaceId: string,
): (simulator: Simulator, name: string) => Promise<void> | null {
  const published = new Set<string>();
  return (simulator, name) => {
    const publish = ENDINGS[name.split('.').slice(-2).join('.')];
    if (publish === undefined) return null;
    // `_service.shop.verified.test` belongs to the domain `shop.verified.test`.
    return store.findDomainByName(workspaceId, name.replace(/^_[^.]+\./, '')).then((domain) => {
      if (domain === null || published.has(domain.id)) return;
      published.add(domain.id);
      const [routing, ownership] = dnsRecords(domain);
      publish(simulator, routing, ownership);
    });
  };
}
