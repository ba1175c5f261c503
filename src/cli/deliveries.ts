import { type Command, Option } from 'commander';
import { systemClock } from '../clock.ts';
import { type ApiClient, ApiError, connect } from './api-client.ts';
import { CliError } from './cli-error.ts';
import { nextCommand } from './next-command.ts';
import { type ApiOptions, apiCommand, parseLimit } from './options.ts';
import { printable, show, table } from './output.ts';
import { DELIVERY_COLUMNS, describeDelivery, type ShownDelivery, type ShownWebhook } from './show-webhook.ts';

const WEBHOOK = 'wh_01kaghq2r3s4t5v6w7x8y9z0a1';
const DELIVERY = 'dlv_01kaghr1s2t3v4w5x6y7z8a9b0';

const DEFAULT_LIMIT = 50;

/** The commands for what was sent to webhooks. */
export function addDeliveries(webhooks: Command): void {
  addList(webhooks);
  addGet(webhooks);
  addRedeliver(webhooks);
}

interface ListOptions extends ApiOptions {
  state?: ShownDelivery['state'];
  limit?: number;
}

function addList(webhooks: Command): void {
  const summary = 'Show what was sent to a webhook and what waits, the newest last.';
  apiCommand(webhooks, 'deliveries <id>', summary, [
    `nameplate webhooks deliveries ${WEBHOOK}`,
    `nameplate webhooks deliveries ${WEBHOOK} --state failed --json`,
  ])
    .addOption(
      new Option('--state <state>', 'only deliveries in this state; failed: given up').choices([
        'waiting',
        'delivered',
        'failed',
      ]),
    )
    .option('--limit <n>', `how many of the newest to show (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(async (webhookId: string, { state, limit = DEFAULT_LIMIT, ...options }: ListOptions) => {
      const api = await connect(options);
      const newest = await api.list<ShownDelivery>('webhooks.listDeliveries', { webhookId, state }, limit);
      show(options, newest.toReversed(), (rows) =>
        rows.length === 0 ? 'No such deliveries are kept of this webhook.' : table(DELIVERY_COLUMNS, rows),
      );
    });
}

interface DeliveryOptions extends ApiOptions {
  webhook?: string;
}

function addGet(webhooks: Command): void {
  const summary = 'Show one delivery, and what the receiver answered last.';
  deliveryCommand(webhooks, 'delivery <delivery>', summary, [`nameplate webhooks delivery ${DELIVERY}`]).action(
    async (deliveryId: string, { webhook, ...options }: DeliveryOptions) => {
      const api = await connect(options);
      const found = await findDelivery(api, deliveryId, webhook);
      show(options, found, () => describeDelivery(found, systemClock.now()));
    },
  );
}

function addRedeliver(webhooks: Command): void {
  const summary =
    'Send an event again, with the same id, whether it was delivered or given up. One that waits is attempted now.';
  deliveryCommand(webhooks, 'redeliver <delivery>', summary, [`nameplate webhooks redeliver ${DELIVERY}`]).action(
    async (given: string, { webhook, ...options }: DeliveryOptions) => {
      const api = await connect(options);
      const { webhookId } = webhook === undefined ? await findDelivery(api, given) : { webhookId: webhook };
      const call = { webhookId, deliveryId: given };
      const { deliveryId: id } = await api.call<{ deliveryId: string }>('webhooks.redeliver', call);
      show(options, { id }, () => `${id} is sent now.\n\n${nextCommand(api, options, `webhooks delivery ${id}`)}`);
    },
  );
}

function deliveryCommand(webhooks: Command, usage: string, summary: string, examples: string[]): Command {
  return apiCommand(webhooks, usage, summary, examples).option(
    '--webhook <id>',
    'its webhook (default: whichever has this delivery)',
  );
}

/** The delivery of the given webhook, else of whichever has it. Throws `CliError`. */
async function findDelivery(api: ApiClient, deliveryId: string, given?: string): Promise<ShownDelivery> {
  const get = (webhookId: string) => api.call<ShownDelivery>('webhooks.getDelivery', { webhookId, deliveryId });
  if (given !== undefined) return get(given);
  for (const { id } of await api.list<ShownWebhook>('webhooks.listWebhooks', {})) {
    try {
      return await get(id);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  throw new CliError(
    `No webhook has the delivery ${printable(deliveryId)}. "nameplate webhooks deliveries WEBHOOK" lists those of one; they are kept for 14 days unless the operator sets another time.`,
  );
}
