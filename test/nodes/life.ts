import type { DomainEventType } from '../../server/src/domain/domain-event.ts';

/** A time during which a domain waited for its records to be found. Unix ms. */
export interface Wait {
  domainId: string;
  name: string;
  from: number;
  until: number;
  /** How it ended; null: not yet. */
  end: DomainEventType | null;
}

/** An event as far as waits are concerned, in the order of writing. */
export interface Happened {
  domainId: string;
  name: string;
  type: DomainEventType;
  at: number;
}

/** Every wait in a timeline that was read at `now`. */
export function waitsIn(timeline: Iterable<Happened>, now: number): Wait[] {
  const waits: Wait[] = [];
  const open = new Map<string, Wait>();
  for (const { domainId, name, type, at } of timeline) {
    if (type === 'domain.created' || type === 'domain.retried') {
      const wait: Wait = { domainId, name, from: at, until: now, end: null };
      waits.push(wait);
      open.set(domainId, wait);
    } else if (!type.startsWith('record.')) {
      Object.assign(open.get(domainId) ?? {}, { until: at, end: type });
      open.delete(domainId);
    }
  }
  return waits;
}

/** The longest time in a wait during which nobody was asked; `asked` are the times, in order. */
export function longestUnchecked({ from, until }: Wait, asked: readonly number[]): number {
  const times = [from, ...asked.filter((at) => at > from && at < until), until];
  return Math.max(...times.map((at, i) => at - (times[i - 1] ?? at)));
}
