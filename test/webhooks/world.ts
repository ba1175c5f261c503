import { createLog } from '../../server/src/base/log.ts';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { addressRule } from '../../server/src/net/addresses.ts';
import { type AddressLookup, createDialer } from '../../server/src/net/dialer.ts';
import { createMetrics, type Metrics } from '../../server/src/roles/metrics.ts';
import type { Store } from '../../server/src/store/store.ts';
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from '../../server/src/webhooks/delivery-worker.ts';
import { createSender, type SenderOptions } from '../../server/src/webhooks/sender.ts';
import type { Closing } from '../support/closing.ts';
import { openEngine } from '../support/engine.ts';
import { aDomain, newId, type Planted, plant } from '../support/entities.ts';
import { type Behaviour, type Receiver, startReceiver } from './receivers.ts';

/** Deliveries as they run, on a real store. Only the clock is ours. */
export interface World {
  store: Store;
  metrics: Metrics;
  logged: string[];
  clock: { now(): number; advance(ms: number): void };
  worker: DeliveryWorker;
  /** Another one, as another node has it. */
  makeWorker(options?: WorkerOptions): DeliveryWorker;
}

export type WorkerOptions = Partial<Omit<DeliveryWorkerOptions, 'sender'> & Omit<SenderOptions, 'dialer'>> & {
  /** Where names lead; to 127.0.0.1 unless given. */
  lookUp?: AddressLookup;
};

export const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

export async function openWorld(closing: Closing, options: WorkerOptions = {}): Promise<World> {
  const { store, remove } = await openEngine();
  closing.push(remove, () => store.close());
  const metrics = createMetrics();
  const logged: string[] = [];
  const log = createLog('info', { write: (line) => logged.push(line) });
  let aheadMs = 0;
  const clock = {
    now: () => Date.now() + aheadMs,
    advance(ms: number) {
      aheadMs += ms;
    },
  };

  function makeWorker(more: WorkerOptions = {}): DeliveryWorker {
    const { lookUp = async () => ['127.0.0.1'], ...about } = { ...options, ...more };
    const { schemes = ['https', 'http'], tls = {}, connections = 500, timeLimitMs = 10_000, ...rest } = about;
    const dialer = createDialer({ mayDial: addressRule(['127.0.0.1/32']), lookUp });
    const sender = createSender({ dialer, schemes, tls, connections, timeLimitMs });
    const worker = createDeliveryWorker({ store, sender, clock, random: () => 0, log, metrics, pollMs: 10, ...rest });
    closing.push(
      () => sender.stop(),
      () => worker.stop(0),
    );
    return worker;
  }
  return { store, metrics, logged, clock, worker: makeWorker(), makeWorker };
}

export interface Subscription {
  webhookId: string;
  workspaceId: string;
}

/** Adds a webhook. Its secret is `SECRET`. */
export async function subscribe(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  { workspace }: Planted,
  url: string,
): Promise<Subscription> {
  const webhookId = newId('wh');
  const createdAt = clock.now();
  const about = { types: null, createdAt, updatedAt: null, disabledAt: null, disabledReason: null, failingSince: null };
  const secret = { id: newId('whs'), secret: new Uint8Array(Buffer.from(SECRET)), createdAt };
  await store.createWebhook({ id: webhookId, workspaceId: workspace.id, url, ...about }, secret, 10);
  return { webhookId, workspaceId: workspace.id };
}

/** A workspace with one webhook, to a receiver whose requests are verified. */
export async function plantReceiver(
  closing: Closing,
  world: World,
  behaviour?: Behaviour,
): Promise<{ planted: Planted; receiver: Receiver } & Subscription> {
  const receiver = await startReceiver(closing, SECRET, behaviour);
  const planted = await plant(world.store);
  return { planted, receiver, ...(await subscribe(world, planted, receiver.url)) };
}

/** Attaches a domain now, which is an event. */
export async function addDomain(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  { environment }: Planted,
  name: string,
): Promise<string> {
  const domain = aDomain(environment, { name, createdAt: clock.now() });
  const { kind } = await store.createDomain(domain, clock.now() + WINDOW_MS);
  if (kind !== 'created') throw new Error(`${name} could not be created: ${kind}`);
  return domain.id;
}

/** Deletes a domain, which is another event. */
export async function removeDomain(
  { store, clock }: Pick<World, 'store' | 'clock'>,
  { workspace }: Planted,
  domainId: string,
): Promise<void> {
  await store.deleteDomain(workspace.id, domainId, clock.now());
}

/** The value of a counter or gauge with this label. */
export async function valueWith(metric: Metrics['deliveryAttempts' | 'webhooks'], label: string): Promise<number> {
  const { values } = await metric.get();
  return values.find(({ labels }) => Object.values(labels).includes(label))?.value ?? 0;
}
