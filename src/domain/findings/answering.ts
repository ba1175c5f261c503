import type { Answer } from '../observation.ts';
import { answerMatches } from '../read-observation.ts';
import type { RecordRole } from '../reading.ts';
import { joinList } from '../text.ts';
import type { Quote } from './finding-draft.ts';
import { chainOf, listAddresses, type RecordView } from './record-view.ts';
import type { Subject } from './subject.ts';

/** What one nameserver says about a record. */
export interface Answering {
  /** Name of the nameserver, or its address where it has no name. */
  server: string;
  /** Whether it has the right record, in each look at it. */
  isRight: boolean;
  /** `no record`, or its values; of both looks, where they differ. */
  says: (quoted: Quote) => string;
}

/** What each nameserver says, by name: those that gave an answer, or a CNAME to one that could not be read. */
export function answeringOf({ domain, observation }: Subject, { role }: RecordView): Answering[] {
  const answering = observation[role].nameservers.flatMap(({ server, answers }): Answering[] => {
    const told = answers.filter(
      (answer) => answer.kind !== 'unreadable' || answer.chain.length > 0 || answer.reason === 'loop',
    );
    if (told.length === 0) return [];
    const says = (quoted: Quote) => [...new Set(told.map((answer) => describe(role, answer, quoted)))].join(', then ');
    return [{ server, isRight: told.every((answer) => answerMatches(domain, role, answer)), says }];
  });
  return answering.toSorted((a, b) => (a.server < b.server ? -1 : 1));
}

function describe(role: RecordRole, answer: Answer, quoted: Quote): string {
  const { chain } = answer;
  const values = answer.kind === 'found' ? answer.values : [];
  const beside = answer.kind === 'found' ? (answer.beside ?? []) : [];
  const isText = role === 'ownership';
  // What is at the end of a routing record's chain was not published at its name.
  const texts = isText ? joinList(values.map(quoted)) : listAddresses(chain.length > 0 ? [] : values);
  const others = isText && beside.length > 0 ? `a CNAME to ${joinList(beside.map(quoted))}` : listAddresses(beside);
  const parts = [chain.length > 0 ? `a CNAME to ${chainOf(chain, quoted)}` : '', texts, others];
  const published = joinList(parts.filter((part) => part !== ''));
  if (published !== '') return published;
  return answer.kind === 'unreadable' ? 'a CNAME to itself' : 'no record';
}
