import { TEST_EVENT_TYPE } from '../domain/webhook-message.ts';
import type { Log } from '../log.ts';
import type { DeliveryResult, DueDelivery } from '../store/contract/store.ts';
import type { Attempt } from './attempt.ts';
import { countedLog } from './counted-log.ts';

/** What the operator has to know of deliveries: few lines, however many deliveries there are. Never a URL, which may hold secrets. */
export interface DeliveryLog {
  add(due: DueDelivery, attempt: Attempt, result: DeliveryResult): void;
  /** Logs what is left. */
  stop(): void;
}

export function createDeliveryLog(log: Pick<Log, 'info' | 'error'>): DeliveryLog {
  const givenUp = countedLog((fields) => log.info(fields, 'events were given up'));
  const sealed = countedLog((fields) => {
    log.error(
      fields,
      'the secret of a webhook cannot be unsealed: its events wait; docs/certificates.md says what to do',
    );
  });
  const failed = countedLog((fields) => log.error(fields, 'deliveries failed by a fault of this program'));
  return {
    add({ workspaceId, webhookId, deliveryId, eventId, type }, attempt, { outcome }) {
      if (outcome.kind === 'failed' && type !== TEST_EVENT_TYPE) givenUp.add(webhookId, { workspaceId });
      if (attempt.kind === 'secret') sealed.add(webhookId, { workspaceId });
      if (attempt.kind === 'error') failed.add(webhookId, { workspaceId, err: attempt.cause, deliveryId, eventId });
    },
    stop() {
      for (const one of [givenUp, sealed, failed]) one.stop();
    },
  };
}
