import type { Static } from 'typebox';
import type { DeliverySchema } from '../../api/webhooks/delivery-operations.ts';
import type { WebhookSchema } from '../../api/webhooks/webhook-operations.ts';
import { type Column, dateTime, factLines, paint, printable, shortDuration } from './output.ts';
import { fromNow } from './show-certificate.ts';

/** A webhook as the API returns it. */
export type ShownWebhook = Static<typeof WebhookSchema>;
/** A delivery as the API returns it. */
export type ShownDelivery = Static<typeof DeliverySchema>;

export const WEBHOOK_COLUMNS: Column<ShownWebhook>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'URL', text: ({ url }) => url },
  { title: 'Types', text: ({ types }) => (types.length > 2 ? `${types.length} types` : typeList(types)) },
  { title: 'State', text: stateOf, style: (webhook) => (stateOf(webhook) === 'enabled' ? 'green' : 'yellow') },
];

export function describeWebhook(webhook: ShownWebhook): string {
  const { id, url, types, enabled, disabledAt, disabledReason, failingSince, createdAt } = webhook;
  const facts: [string, string][] = [
    ['URL', url],
    ['Types', typeList(types)],
    ['Created', dateTime(createdAt)],
  ];
  if (failingSince !== undefined)
    facts.push([
      'Failing',
      `since ${dateTime(failingSince)}; "nameplate webhooks deliveries ${id}" shows what was answered`,
    ]);
  if (!enabled) {
    const why = disabledReason === 'failing' ? 'because nothing was delivered to it for three days' : 'by a request';
    facts.push(['Disabled', `${dateTime(disabledAt)}, ${why}; "nameplate webhooks update ${id} --enable" enables it`]);
  }
  const state = enabled ? paint('green', 'enabled') : paint('yellow', 'disabled');
  return [`${id} is ${state}.`, '', ...factLines(facts)].join('\n');
}

function stateOf({ enabled, failingSince }: ShownWebhook): string {
  if (!enabled) return 'disabled';
  return failingSince === undefined ? 'enabled' : `failing since ${dateTime(failingSince)}`;
}

function typeList(types: readonly string[]): string {
  return types.includes('*') ? 'all' : types.join(', ');
}

export const DELIVERY_COLUMNS: Column<ShownDelivery>[] = [
  { title: 'Time', text: ({ happenedAt }) => dateTime(happenedAt) },
  { title: 'Event', text: ({ type }) => type },
  { title: 'Domain', text: ({ domain = '' }) => domain },
  { title: 'State', text: ({ state }) => state, style: ({ state }) => deliveryStyle(state) },
  { title: 'Attempts', text: ({ attempts }) => String(attempts) },
  { title: 'Answer', text: ({ lastAttempt }) => answerOf(lastAttempt) },
  { title: 'Delivery', text: ({ id }) => id },
];

function answerOf(attempt: ShownDelivery['lastAttempt']): string {
  return attempt === undefined ? '' : String(attempt.status ?? 'none');
}

function deliveryStyle(state: ShownDelivery['state']): 'green' | 'red' | 'yellow' {
  return state === 'delivered' ? 'green' : state === 'failed' ? 'red' : 'yellow';
}

/** Describes the state of a delivery, and the response of its receiver. */
export function describeDelivery(delivery: ShownDelivery, now: number): string {
  const { id, type, domain, state, attempts, lastAttempt, eventId, happenedAt, nextAttemptAt } = delivery;
  const facts: [string, string][] = [
    ['Event', `${eventId}, of ${dateTime(happenedAt)}`],
    ['Attempts', String(attempts)],
  ];
  if (lastAttempt !== undefined) {
    const { at, durationMs, status, error } = lastAttempt;
    const took = durationMs < 1000 ? `${durationMs} ms` : shortDuration(durationMs);
    facts.push([
      'Last attempt',
      `${dateTime(at)}, ${status === undefined ? 'no answer' : `status ${status}`} after ${took}`,
    ]);
    if (error !== undefined) facts.push(['Problem', error]);
  }
  if (nextAttemptAt !== undefined)
    facts.push(['Next attempt', nextAttemptAt > now ? fromNow(nextAttemptAt, now) : 'now']);
  const about = domain === undefined ? type : `${type} of ${printable(domain)}`;
  const painted = paint(deliveryStyle(state), DELIVERY_STATES[state]);
  return [`${about} ${painted} (${id}).`, '', ...factLines(facts), ...bodyOf(lastAttempt)].join('\n');
}

const DELIVERY_STATES: Record<ShownDelivery['state'], string> = {
  delivered: 'was delivered',
  failed: 'was not delivered, and is not sent again by itself',
  waiting: 'is waiting',
};

function bodyOf(attempt: ShownDelivery['lastAttempt']): string[] {
  if (!attempt?.response) return [];
  return [
    '',
    'The receiver answered:',
    '',
    ...attempt.response
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => `  ${printable(line)}`),
  ];
}
