import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { type ApiOptions, apiCommand, collectTypes, define, parseDuration, parseLimit } from '../options.ts';
import { dateTime, listing, paint, printable, show } from '../output/output.ts';
import {
  DELIVERY_COLUMNS,
  describeDelivery,
  describeWebhook,
  type ShownDelivery,
  type ShownWebhook,
  WEBHOOK_COLUMNS,
} from '../output/show-webhook.ts';
import { type ApiClient, ApiError, apiAction, type CommandCall, connect, nextCommand } from './api-client.ts';
import { addListen } from './listen.ts';

const EXAMPLE = 'wh_01kaghq2r3s4t5v6w7x8y9z0a1';
const DELIVERY = 'dlv_01kaghr1s2t3v4w5x6y7z8a9b0';

export function addWebhooks(program: Command): void {
  const summary = 'Send the events of all domains to a URL, and see whether they were delivered.';
  const webhooks = define(program, 'webhooks', summary, [
    'nameplate webhooks listen',
    'nameplate webhooks create https://hooks.example.com/nameplate',
  ]);
  addListen(webhooks);
  addCreate(webhooks);
  apiCommand(webhooks, 'get <id>', 'Show one webhook, without its secret.', [EXAMPLE]).action(
    apiAction(({ api }, webhookId) => api.call<ShownWebhook>('webhooks.getWebhook', { webhookId }), describeWebhook),
  );
  apiCommand(webhooks, 'list', 'List the webhooks of the workspace, oldest first.', ['']).action(
    apiAction(
      ({ api }) => api.list<ShownWebhook>('webhooks.listWebhooks', {}),
      listing(WEBHOOK_COLUMNS, 'No webhooks yet.'),
    ),
  );
  addUpdate(webhooks);
  addRotateSecret(webhooks);
  addTest(webhooks);
  addDeliveries(webhooks);
  apiCommand(webhooks, 'delete <id>', 'Delete a webhook. Waiting events are not sent.', [EXAMPLE]).action(
    apiAction(
      async ({ api }, id) => {
        await api.call('webhooks.deleteWebhook', { webhookId: id });
        return { id, deleted: true };
      },
      ({ id }) => `Deleted webhook ${id}.`,
    ),
  );
}

interface TypeOption {
  type?: string[];
}

/** A secret, which is shown once. */
export function secretLines(heading: string, secret: string, after: string): string {
  return [heading, '', `  ${paint('bold', secret)}`, '', after].join('\n');
}

function addCreate(webhooks: Command): void {
  const summary = 'Create a webhook. Its secret, with which receivers verify signatures, is shown only once.';
  apiCommand(webhooks, 'create <url>', summary, [
    'https://hooks.example.com/nameplate',
    'https://hooks.example.com/nameplate --type domain.verified --type domain.failed',
  ])
    .option('--type <type>', 'type of events to send; repeat it for several (default: all)', collectTypes)
    .action(
      apiAction(
        async ({ api, options: { type: types = ['*'] } }: CommandCall<TypeOption>, url) => {
          const { webhookId: id, secret } = await api.call<{ webhookId: string; secret: string }>(
            'webhooks.createWebhook',
            { url, types },
          );
          return { id, url, types, secret };
        },
        ({ id, secret }, call) => {
          const heading = `Created webhook ${id}. Save its secret now: it is not shown again.`;
          return secretLines(heading, secret, nextCommand(call, `webhooks test ${id}`));
        },
      ),
    );
}

interface UpdateOptions extends TypeOption {
  receiver?: string;
  enable?: true;
  disable?: true;
}

function addUpdate(webhooks: Command): void {
  const summary =
    'Change the URL or the event types of a webhook, or disable or enable it. A disabled webhook misses new events. Events that already waited are sent once it is enabled.';
  apiCommand(webhooks, 'update <id>', summary, [
    `${EXAMPLE} --receiver https://hooks.example.com/new`,
    `${EXAMPLE} --disable`,
  ])
    .option('--receiver <url>', 'new URL to send events to')
    .option(
      '--type <type>',
      'type of events to send, in place of the previous types; repeat it for several; * means all',
      collectTypes,
    )
    .addOption(new Option('--enable', 'send events again, starting at once').conflicts('disable'))
    .addOption(new Option('--disable', 'send nothing'))
    .action(async (webhookId: string, { receiver, type, enable, disable, ...options }: ApiOptions & UpdateOptions) => {
      const change = {
        ...(receiver && { url: receiver }),
        ...(type && { types: type }),
        ...((enable || disable) && { enabled: enable === true }),
      };
      if (Object.keys(change).length === 0)
        throw new CliError('Nothing to change. Use --receiver, --type, --enable or --disable.', {
          exitCode: EXIT.usage,
        });
      const api = await connect(options);
      const updated = await api.call<ShownWebhook>('webhooks.updateWebhook', { webhookId, ...change });
      show(options, updated, describeWebhook);
    });
}

function addRotateSecret(webhooks: Command): void {
  const summary =
    'Create a new secret for a webhook. It is shown only once. Until the overlap ends, the server also signs with the previous secret, so that you have time to update receivers.';
  apiCommand(webhooks, 'rotate-secret <id>', summary, [EXAMPLE, `${EXAMPLE} --overlap 0`])
    .option(
      '--overlap <time>',
      'how long the server also signs with the previous secret, such as 1h; use 0 if it has leaked (default: 1d)',
      parseOverlap,
    )
    .action(
      apiAction(
        async ({ api, options: { overlap } }: CommandCall<{ overlap?: number }>, id) => {
          const body = { webhookId: id, ...(overlap !== undefined && { overlapSeconds: overlap }) };
          const rotated = await api.call<{ secret: string; previousExpiresAt: number }>('webhooks.rotateSecret', body);
          return { id, ...rotated };
        },
        ({ secret, previousExpiresAt }, { options }) =>
          secretLines(
            'This is the new secret. Save it now: it is not shown again.',
            secret,
            options.overlap === 0
              ? 'The previous secret signs no more.'
              : `The previous secret signs too, until ${dateTime(previousExpiresAt)}.`,
          ),
      ),
    );
}

/** As `parseDuration`, or 0. Returns whole seconds. */
export function parseOverlap(text: string): number {
  const ms = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text);
  if (ms % 1000 !== 0) throw new InvalidArgumentError('Expected whole seconds.');
  return ms / 1000;
}

function addTest(webhooks: Command): void {
  const summary =
    'Send a test event of the type webhook.test, and show what the receiver answered. Exits with 3 if it is not delivered.';
  apiCommand(webhooks, 'test <id>', summary, [EXAMPLE]).action(
    apiAction(async ({ api }, webhookId) => {
      const { deliveryId } = await api.call<{ deliveryId: string }>('webhooks.sendTest', { webhookId });
      const delivery = await untilFinished(api, webhookId, deliveryId);
      if (delivery.state !== 'delivered') process.exitCode = EXIT.blocked;
      return delivery;
    }, describeNow),
  );
}

const POLL_MS = 250;
/** An attempt takes 10 s at most. */
const TEST_MS = 15_000;

/** Waits for the delivery of a test: until it is finished, or 15 s. */
async function untilFinished(api: ApiClient, webhookId: string, deliveryId: string): Promise<ShownDelivery> {
  const deadline = systemClock.now() + TEST_MS;
  for (;;) {
    const delivery = await api.call<ShownDelivery>('webhooks.getDelivery', { webhookId, deliveryId });
    if (delivery.state !== 'waiting' || systemClock.now() > deadline) return delivery;
    await sleep(POLL_MS);
  }
}

function describeNow(delivery: ShownDelivery): string {
  return describeDelivery(delivery, systemClock.now());
}

const DEFAULT_LIMIT = 50;

interface ListOptions {
  state?: ShownDelivery['state'];
  limit?: number;
}

/** Commands for deliveries to webhooks. */
function addDeliveries(webhooks: Command): void {
  const list = 'Show the deliveries of a webhook, sent and waiting, newest last.';
  apiCommand(webhooks, 'deliveries <id>', list, [EXAMPLE, `${EXAMPLE} --state failed --json`])
    .addOption(
      new Option('--state <state>', 'only deliveries in this state; "failed" means given up').choices([
        'waiting',
        'delivered',
        'failed',
      ]),
    )
    .option('--limit <n>', `how many of the newest deliveries to show (default: ${DEFAULT_LIMIT})`, parseLimit)
    .action(
      apiAction(
        async ({ api, options: { state, limit = DEFAULT_LIMIT } }: CommandCall<ListOptions>, webhookId) => {
          const newest = await api.list<ShownDelivery>('webhooks.listDeliveries', { webhookId, state }, limit);
          return newest.toReversed();
        },
        listing(DELIVERY_COLUMNS, 'No such deliveries are kept of this webhook.'),
      ),
    );

  const get = "Show one delivery, and the receiver's last answer.";
  deliveryCommand(webhooks, 'delivery <delivery>', get).action(
    apiAction(
      ({ api, options: { webhook } }: CommandCall<DeliveryOptions>, id) => findDelivery(api, id, webhook),
      describeNow,
    ),
  );

  const redeliver =
    'Send an event again with the same id, whether it was delivered or given up. If the delivery still waits, attempt it now.';
  deliveryCommand(webhooks, 'redeliver <delivery>', redeliver).action(
    apiAction(
      async ({ api, options: { webhook } }: CommandCall<DeliveryOptions>, deliveryId) => {
        const webhookId = webhook ?? (await findDelivery(api, deliveryId)).webhookId;
        const sent = await api.call<{ deliveryId: string }>('webhooks.redeliver', { webhookId, deliveryId });
        return { id: sent.deliveryId };
      },
      ({ id }, call) => `${id} is sent now.\n\n${nextCommand(call, `webhooks delivery ${id}`)}`,
    ),
  );
}

interface DeliveryOptions {
  webhook?: string;
}

function deliveryCommand(webhooks: Command, usage: string, summary: string): Command {
  return apiCommand(webhooks, usage, summary, [DELIVERY]).option(
    '--webhook <id>',
    'webhook of the delivery (default: the command searches all webhooks)',
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
