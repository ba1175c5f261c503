import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { throttledWarn } from '../base/throttled-log.ts';
import { TEST_EVENT_TYPE } from '../domain/webhook-message.ts';
import type { DeliveryResult, DueDelivery } from '../store/store.ts';
import type { Attempt } from './attempt.ts';

/** Logs problems of deliveries for the operator. */
export type DeliveryLog = (due: DueDelivery, attempt: Attempt, result: DeliveryResult) => void;

const EVERY_MS = 60_000;
const SEALED =
  'the secret of a webhook cannot be unsealed: its events wait; docs/guides/certificates.md says what to do';

/** A line a minute for each webhook, however many deliveries there are. Never a URL, which may hold secrets. */
export function createDeliveryLog(log: Pick<Log, 'info' | 'error'>, clock: Clock): DeliveryLog {
  const info = throttledWarn(log, clock, EVERY_MS, 'info');
  const error = throttledWarn(log, clock, EVERY_MS, 'error');
  return ({ workspaceId, webhookId, deliveryId, eventId, type }, attempt, { outcome }) => {
    const about = { workspaceId, webhookId };
    if (outcome.kind === 'failed' && type !== TEST_EVENT_TYPE) info('events were given up', about, webhookId);
    if (attempt.kind === 'secret') error(SEALED, about, `secret ${webhookId}`);
    if (attempt.kind === 'error') {
      const fields = { ...about, err: attempt.cause, deliveryId, eventId };
      error('deliveries failed by a fault of this program', fields, `error ${webhookId}`);
    }
  };
}
