import { apexRoutingNote } from '../domain/records.ts';
import { addressRule } from '../net/addresses.ts';
import { createDialer } from '../net/dialer.ts';
import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import { systemLookUp } from '../net/system-dns.ts';
import { startBacklogGauge } from '../webhooks/backlog-gauge.ts';
import { createDeliveryWorker, MAX_IN_FLIGHT } from '../webhooks/delivery-worker.ts';
import { createSender } from '../webhooks/sender.ts';
import { reportAttempts } from './reported-attempts.ts';
import { deliversEvents, type RoleDeps } from './roles.ts';

export interface Deliveries extends Stoppable {
  /** Looks for due deliveries now. */
  wake(): void;
}

/** The deliveries of one process to webhooks. */
export function startDeliveries(deps: RoleDeps): Deliveries {
  const { config, log, deliveryLeaseMs: leaseMs, onAttempt } = deps;
  if (!deliversEvents(config)) {
    log.warn(
      'this process does not deliver events to webhooks: NAMEPLATE_ENCRYPTION_KEY is not set, which unseals their secrets',
    );
    return { wake() {}, stop: async () => {} };
  }
  const dialer = createDialer({ mayDial: addressRule(config.webhookAllowedNetworks), lookUp: systemLookUp() });
  const sender = createSender({ dialer, schemes: config.webhookSchemes, connections: MAX_IN_FLIGHT });
  const apexNote = apexRoutingNote(config.edgeAddresses ?? []);
  const store = onAttempt === undefined ? deps.store : reportAttempts(deps.store, onAttempt);
  const worker = createDeliveryWorker({ ...deps, store, sender, apexNote, random: Math.random, leaseMs });
  worker.start();
  const gauge = startBacklogGauge(deps);
  return {
    wake: worker.wake,
    stop: () => Promise.all([worker.stop(GRACE_MS).finally(sender.stop), gauge.stop()]),
  };
}
