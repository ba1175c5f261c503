import type { DomainOutcome } from '../../client/client.ts';

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
  | { kind: 'added'; domainId: string }
  | { kind: 'there'; domainId: string }
  /** To be sent again: the rate limit. */
  | { kind: 'later' }
  | { kind: 'refused'; message: string };

/** The outcome of one name. */
export function resultOf({ domainId, error }: DomainOutcome): Result {
  if (error === undefined) return { kind: 'added', domainId: domainId ?? '' };
  if (error.status === 409 && domainId !== undefined) return { kind: 'there', domainId };
  if (error.status === 429) return { kind: 'later' };
  const sentences = error.errors?.flatMap(({ message, fix = '' }) => [sentence(message), sentence(fix, '')]) ?? [
    error.detail,
  ];
  return { kind: 'refused', message: sentences.filter(Boolean).join(' ') };
}

/** A message may begin with its verb, behind the place of the mistake, which is the field here; a fix with a small letter. */
function sentence(text: string, subject = 'It '): string {
  const begun = /^[a-z]+ /.test(text)
    ? subject + (subject === '' ? text[0]?.toUpperCase() + text.slice(1) : text)
    : text;
  return begun === '' || /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
