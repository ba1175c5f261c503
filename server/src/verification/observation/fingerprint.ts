import { hash } from 'node:crypto';
import type { Answer, ZoneObservation } from '../../domain/observation.ts';

/** What the first look at one record saw. */
export interface FirstAnswer {
  zone: ZoneObservation;
  /** Null: there was no nameserver to ask. */
  answer: Answer | null;
  isMatch: boolean;
}

const LENGTH = 12;

/**
 * The same for two checks whose first looks tell the same: 12 characters. Addresses are left out where there is no CNAME: who proxies gives others in
 * every answer.
 */
export function fingerprintOf(ownership: FirstAnswer, routing: FirstAnswer): string {
  const seen = [summaryOf(ownership, true), summaryOf(routing, false)];
  return hash('sha256', JSON.stringify(seen), 'base64url').slice(0, LENGTH);
}

function summaryOf({ zone, answer, isMatch }: FirstAnswer, withValues: boolean): unknown[] {
  const of = [zone.apex, zone.failure];
  if (answer === null || isMatch) return [...of, isMatch];
  const { kind, chain } = answer;
  switch (kind) {
    case 'found':
      return [...of, kind, chain, withValues ? answer.values : [], chain.length > 0 ? answer.beside : undefined];
    case 'absent':
      return [...of, kind, chain, answer.reason];
    case 'unreadable':
      // Not why: which nameservers are asked first, and so which fail, is chance.
      return [...of, kind, chain];
    default:
      return kind satisfies never;
  }
}
