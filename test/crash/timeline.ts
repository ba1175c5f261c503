import type { DomainStatus } from '../../src/domain/domain.ts';
import type { DomainEventData, DomainEventType } from '../../src/store/contract/store.ts';

/** One entry of the timeline, of whichever domain, in the order in which they were written. */
export interface Entry {
  domainId: string;
  type: DomainEventType;
  data: DomainEventData;
}

/** From which states an event may come, and to which it leads; null: the domain is not there (docs/verification.md). */
const PATHS: Record<DomainEventType, { from: (DomainStatus | null)[]; to: DomainStatus | null }> = {
  'domain.created': { from: [null], to: 'pending' },
  'domain.updated': { from: ['pending', 'verifying'], to: 'verifying' },
  'domain.verified': { from: ['pending', 'verifying'], to: 'verified' },
  'domain.failed': { from: ['pending', 'verifying'], to: 'failed' },
  'domain.retried': { from: ['failed'], to: 'pending' },
  'domain.superseded': { from: ['verified'], to: 'failed' },
  'domain.deleted': { from: ['pending', 'verifying', 'verified', 'failed'], to: null },
  'certificate.issued': { from: ['verified'], to: 'verified' },
  'certificate.renewed': { from: ['verified'], to: 'verified' },
  'certificate.failed': { from: ['verified'], to: 'verified' },
};

/** Transitions that the rules do not know, events that say nothing new, and names that two domains held as verified at one time. */
export function timelineFaults(entries: Iterable<Entry>): string[] {
  const faults: string[] = [];
  const last = new Map<string, Entry>();
  const ended = new Set<string>();
  const holders = new Map<string, string>();
  for (const entry of entries) {
    const { domainId, type, data } = entry;
    const before = last.get(domainId);
    const { from, to } = PATHS[type];
    const was = before === undefined ? null : before.data.status;
    if (ended.has(domainId) || !from.includes(was) || (to !== null && data.status !== to)) {
      faults.push(`${domainId} was ${was ?? 'not there'}, and ${type} made it ${data.status}`);
    } else if (before?.type === type && JSON.stringify(before.data) === JSON.stringify(data)) {
      faults.push(`${domainId} has ${type} twice, which says nothing new`);
    }
    const holder = holders.get(data.name);
    if (type === 'domain.verified') {
      if (holder !== undefined && holder !== domainId)
        faults.push(`${data.name} was verified for ${domainId} while ${holder} held it`);
      holders.set(data.name, domainId);
    } else if (holder === domainId) {
      holders.delete(data.name);
    }
    if (to === null) ended.add(domainId);
    last.set(domainId, entry);
  }
  return faults;
}
