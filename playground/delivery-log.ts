import type { Log } from '../server/src/base/log.ts';
import type { ReportedAttempt } from '../server/src/roles/reported-attempts.ts';

/** Logs each attempt to deliver an event. For the playground: in production there may be a thousand a second. */
export function logAttempt(log: Log, { due, result }: ReportedAttempt): void {
  const { type, webhookId, deliveryId, message } = due;
  const attempt = due.attempts + 1;
  const { status, error } = result.attempt ?? {};
  const domain = message?.domain.name;
  const about = { ...(domain !== undefined && { domain }), webhookId, deliveryId, type, attempt, answer: status };
  const to = domain === undefined ? '' : ` to ${webhookId}`;
  const repeated = attempt === 1 ? '' : `, attempt ${attempt}`;
  if (result.outcome.kind === 'delivered') log.info(about, `${type} delivered${to} (status ${status}${repeated})`);
  else log.info(about, `${type} not delivered${to} (attempt ${attempt}): ${error}`);
}
