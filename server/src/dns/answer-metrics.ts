import type { MetricFactory } from '../base/metric-factory.ts';
import type { Failure } from '../domain/reading.ts';
import type { AnsweredResponse, FailedResponse } from './ask-server.ts';

export type AnswerMetrics = ReturnType<typeof answerMetrics>;

export function answerMetrics({ counter }: MetricFactory) {
  return {
    dnsAnswers: counter(
      'nameplate_dns_answers_total',
      'DNS queries, by kind of answer. no_resolver: the resolvers did not say who serves a public suffix.',
      ['kind'],
      ['no_resolver'],
    ),
    connectAnswers: counter(
      'nameplate_domain_connect_answers_total',
      'Questions whether a DNS provider publishes records itself, by outcome: offered, or why not.',
      ['outcome'],
      ['offered', 'no_record', 'record', 'settings', 'template', 'key', 'busy', 'unavailable'],
    ),
    dnsForgeries: counter(
      'nameplate_dns_forgeries_total',
      'DNS responses from the address of a server that was asked, with an id or a question that no query has.',
    ),
  };
}

/** The result of one query. `truncated` is counted besides the kind of the answer that TCP then gave. */
export type AnswerKind = 'answer' | 'nxdomain' | 'nodata' | 'referral' | 'truncated' | Failure;

/** Calls `onAnswer` with the kinds of each result. */
export function answerCounter(
  onAnswer: (kind: AnswerKind) => void = () => {},
): (result: Pick<AnsweredResponse, 'kind' | 'message'> | Pick<FailedResponse, 'kind' | 'reason'>) => void {
  return (result) => {
    if (result.kind === 'failed') return onAnswer(result.reason);
    const { truncated, rcode, answers, authoritative, authorities } = result.message;
    if (truncated) onAnswer('truncated');
    if (answers.length > 0) onAnswer('answer');
    else if (rcode === 'nxdomain') onAnswer('nxdomain');
    else if (!authoritative && authorities.some(({ type }) => type === 'NS')) onAnswer('referral');
    else onAnswer('nodata');
  };
}
