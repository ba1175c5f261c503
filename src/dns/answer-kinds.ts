import type { Failure, Heard } from './ask-server.ts';

/** What one query came to. `truncated` comes besides the kind of the answer that was then given over TCP. */
export type AnswerKind = 'answer' | 'nxdomain' | 'nodata' | 'referral' | 'truncated' | Failure;

/** Turns what was heard into kinds, one call for each query. */
export function counting(onAnswer: (kind: AnswerKind) => void = () => {}): (heard: Heard) => void {
  return (heard) => {
    if (heard.kind === 'failed') return onAnswer(heard.reason);
    const { transport, rcode, answers, authoritative, authorities } = heard.answer;
    if (transport === 'tcp') onAnswer('truncated');
    if (answers.length > 0) onAnswer('answer');
    else if (rcode === 'nxdomain') onAnswer('nxdomain');
    else if (!authoritative && authorities.some(({ type }) => type === 'NS')) onAnswer('referral');
    else onAnswer('nodata');
  };
}
