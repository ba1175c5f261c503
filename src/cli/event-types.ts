import { InvalidArgumentError } from 'commander';
import { DOMAIN_EVENT_TYPES } from '../domain/domain-event.ts';
import { nearest } from '../domain/nearest.ts';

const ALL = '*';

/** One more type of events, of an option that can be repeated. */
export function collectTypes(text: string, before: string[] = []): string[] {
  const known: readonly string[] = [...DOMAIN_EVENT_TYPES, ALL];
  if (known.includes(text)) return [...before, text];
  const meant = nearest(text, DOMAIN_EVENT_TYPES);
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new InvalidArgumentError(`It is not a type of events.${advice} Types are: ${known.join(' ')}`);
}
