import type { DomainStatus } from '../../server/src/domain/domain.ts';
import type { DomainEventType } from '../../server/src/domain/domain-event.ts';
import type { DomainEventData } from '../../server/src/store/store.ts';

/** One entry of the timeline, of whichever domain, in the order in which they were written. */
export interface Entry {
  domainId: string;
  type: DomainEventType;
  data: DomainEventData;
}

/**
 * The status that `domain` has after the event; `same`: that before it; `any`: whichever it had once; null: the domain
 * is not there.
 */
type To = DomainStatus | 'same' | 'any' | null;

/**
 * From which states an event may come, and to which it leads; null: the domain is not there (docs/guides/verification.md).
 * That a domain is `verifying` is no event.
 */
const PATHS: Record<DomainEventType, { from: (DomainStatus | null)[]; to: To }> = {
  'domain.created': { from: [null], to: 'pending' },
  'record.seen': { from: ['pending', 'verifying', 'verified'], to: 'same' },
  'record.lost': { from: ['pending', 'verifying', 'verified'], to: 'same' },
  'diagnosis.changed': { from: ['pending', 'verifying', 'verified'], to: 'same' },
  'domain.verified': { from: ['pending', 'verifying'], to: 'verified' },
  'domain.failed': { from: ['pending', 'verifying', 'verified'], to: 'failed' },
  'domain.retried': { from: ['failed'], to: 'pending' },
  'domain.superseded': { from: ['verified'], to: 'failed' },
  'domain.drifted': { from: ['verified'], to: 'verified' },
  'domain.recovered': { from: ['verified'], to: 'verified' },
  'domain.deleted': { from: ['pending', 'verifying', 'verified', 'failed'], to: null },
  'domain.restored': { from: [null], to: 'any' },
  'domain.moved': { from: ['pending', 'verifying', 'verified', 'failed'], to: 'same' },
  'domain.suspended': { from: ['pending', 'verifying', 'verified', 'failed'], to: 'same' },
  'domain.resumed': { from: ['pending', 'verifying', 'verified', 'failed'], to: 'same' },
  'redirect.set': { from: ['pending', 'verifying', 'verified', 'failed'], to: 'same' },
  'redirect.removed': { from: ['pending', 'verifying', 'verified', 'failed'], to: 'same' },
  'certificate.issued': { from: ['verifying', 'verified'], to: 'same' },
  'certificate.renewed': { from: ['verifying', 'verified'], to: 'same' },
  'certificate.failed': { from: ['verifying', 'verified'], to: 'same' },
  'certificate.expiring': { from: ['verified'], to: 'verified' },
  'site.ready_to_switch': { from: ['verifying'], to: 'verifying' },
  'site.live': { from: ['verified'], to: 'verified' },
  'site.unreachable': { from: ['verified'], to: 'verified' },
};

/**
 * Transitions that the rules do not know, events that say nothing new, and names that two domains held as verified at
 * one time.
 */
export function timelineFaults(entries: Iterable<Entry>): string[] {
  const faults: string[] = [];
  const last = new Map<string, Entry>();
  const ended = new Set<string>();
  const drifted = new Set<string>();
  const holders = new Map<string, string>();
  for (const entry of entries) {
    const { domainId, type, data } = entry;
    const before = last.get(domainId);
    const { from, to } = PATHS[type];
    const isBack = type === 'domain.restored' && ended.delete(domainId);
    const was = before === undefined || isBack ? null : before.data.status;
    const needsDrift = type === 'domain.recovered' || (type === 'domain.failed' && was === 'verified');
    const isMissing = needsDrift && !drifted.has(domainId);
    if (
      ended.has(domainId) ||
      isMissing ||
      (type === 'domain.restored' && !isBack) ||
      !from.includes(was) ||
      !leadsTo(to, was, data.status)
    ) {
      faults.push(`${domainId} was ${was ?? 'not there'}, and ${type} made it ${data.status}`);
    } else if (before?.type === type && JSON.stringify(before.data) === JSON.stringify(data)) {
      faults.push(`${domainId} has ${type} twice, which says nothing new`);
    }
    const holder = holders.get(data.name);
    if (type === 'domain.verified' || (isBack && data.status === 'verified')) {
      if (holder !== undefined && holder !== domainId)
        faults.push(`${data.name} was verified for ${domainId} while ${holder} held it`);
      holders.set(data.name, domainId);
    } else if (holder === domainId) {
      holders.delete(data.name);
    }
    if (type === 'domain.drifted') drifted.add(domainId);
    else if (type === 'domain.recovered' || data.status !== 'verified') drifted.delete(domainId);
    if (to === null) ended.add(domainId);
    last.set(domainId, entry);
  }
  return faults;
}

function leadsTo(to: To, was: DomainStatus | null, status: DomainStatus): boolean {
  if (to === null || to === 'any') return true;
  if (to === 'same') return status === was || (was === 'pending' && status === 'verifying');
  return status === to;
}
