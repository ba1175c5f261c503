import type { DnsAnswer, FailedQuery } from './ask-server.ts';

/** The result of one query. `truncated` is counted besides the kind of the answer that TCP then gave. */
export type AnswerKind = 'answer' | 'nxdomain' | 'nodata' | 'referral' | 'truncated' | FailedQuery['reason'];

/** Calls `onAnswer` with the kinds of each result. */
export function answerCounter(
  onAnswer: (kind: AnswerKind) => void = () => {},
): (result: DnsAnswer | FailedQuery) => void {
  return (result) => {
    if (result.kind === 'failed') return onAnswer(result.reason);
    const { truncated, rcode, answers, authoritative, authorities } = result.response;
    if (truncated) onAnswer('truncated');
    if (answers.length > 0) onAnswer('answer');
    else if (rcode === 'nxdomain') onAnswer('nxdomain');
    else if (!authoritative && authorities.some(({ type }) => type === 'NS')) onAnswer('referral');
    else onAnswer('nodata');
  };
}
