import type { DomainOutcome } from '../../client/client.ts';
import { violationText } from './violation-text.ts';

/** A line of a pasted list. */
export interface PastedName {
  /** From 1. */
  line: number;
  domain: string;
  externalId?: string;
}

export const MOST_NAMES = 1000;
/** Names of one request. */
export const BATCH = 100;

/** One name a line, and behind a comma or a tab its external id. Blank lines, and comments behind `#`, are left out. */
export function pastedNames(text: string): PastedName[] {
  return text.split(/\r\n|\r|\n/).flatMap((whole, at) => {
    const [domain = '', externalId = ''] = whole
      .replace(/(^|\s)#.*$/, '')
      .split(/[,\t]/)
      .map((part) => part.trim());
    if (domain === '') return [];
    return [{ line: at + 1, domain, ...(externalId !== '' && { externalId }) }];
  });
}

export type Result =
  | { kind: 'added' | 'there'; domainId: string }
  /** To be sent again: the rate limit. */
  | { kind: 'later' }
  | { kind: 'refused'; message: string };

/** The outcome of one name. */
export function resultOf({ domainId = '', error }: DomainOutcome): Result {
  if (error === undefined) return { kind: 'added', domainId };
  if (error.status === 409 && domainId !== '') return { kind: 'there', domainId };
  if (error.status === 429) return { kind: 'later' };
  // The field of the mistake is the one that it is shown at.
  const sentences = error.errors?.map((violation) => violationText(violation, 'It')) ?? [error.detail];
  return { kind: 'refused', message: sentences.join(' ') };
}
