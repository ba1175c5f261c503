import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../clock.ts';
import { type ApiClient, connect } from './api-client.ts';
import { CliError, EXIT } from './cli-error.ts';
import { addDeliveries } from './deliveries.ts';
import { collectTypes } from './event-types.ts';
import { addListen } from './listen.ts';
import { nextCommand } from './next-command.ts';
import { type ApiOptions, apiCommand, define, parseDuration } from './options.ts';
import { dateTime, paint, show, table } from './output.ts';
import {
  describeDelivery,
  describeWebhook,
  type ShownDelivery,
  type ShownWebhook,
  WEBHOOK_COLUMNS,
} from './show-webhook.ts';

const EXAMPLE = 'wh_01kaghq2r3s4t5v6w7x8y9z0a1';

export function addWebhooks(program: Command): void {
  const webhooks = define(
    program,
    'webhooks',
    'Have the events of all domains sent to a URL, and see what became of them.',
    ['nameplate webhooks listen', 'nameplate webhooks create https://hooks.example.com/nameplate'],
  );
  addListen(webhooks);
  addCreate(webhooks);
  addGet(webhooks);
  addList(webhooks);
  addUpdate(webhooks);
  addRotateSecret(webhooks);
  addTest(webhooks);
  addDeliveries(webhooks);
  addDelete(webhooks);
}

interface TypeOption {
  type?: string[];
}

function addCreate(webhooks: Command): void {
  const summary = 'Create a webhook. Its secret, by which receivers verify signatures, is shown once.';
  apiCommand(webhooks, 'create <url>', summary, [
    'nameplate webhooks create https://hooks.example.com/nameplate',
    'nameplate webhooks create https://hooks.example.com/nameplate --type domain.verified --type domain.failed',
  ])
    .option('--type <type>', 'type of events to send; repeat it for several (default: all)', collectTypes)
    .action(async (url: string, { type: types = ['*'], ...options }: ApiOptions & TypeOption) => {
      const api = await connect(options);
      const { webhookId: id, secret } = await api.call<{ webhookId: string; secret: string }>(
        'webhooks.createWebhook',
        { url, types },
      );
      show(options, { id, url, types, secret }, () =>
        [
          `Created webhook ${id}. Save its secret now: it is not shown again.`,
          '',
          `  ${paint('bold', secret)}`,
          '',
          nextCommand(api, options, `webhooks test ${id}`),
        ].join('\n'),
      );
    });
}

function addGet(webhooks: Command): void {
  apiCommand(webhooks, 'get <id>', 'Show one webhook, without its secret.', [
    `nameplate webhooks get ${EXAMPLE}`,
  ]).action(async (webhookId: string, options: ApiOptions) => {
    const api = await connect(options);
    show(options, await api.call<ShownWebhook>('webhooks.getWebhook', { webhookId }), describeWebhook);
  });
}

function addList(webhooks: Command): void {
  apiCommand(webhooks, 'list', 'List the webhooks of the workspace, oldest first.', ['nameplate webhooks list']).action(
    async (options: ApiOptions) => {
      const api = await connect(options);
      const found = await api.list<ShownWebhook>('webhooks.listWebhooks', {});
      show(options, found, (rows) => (rows.length === 0 ? 'No webhooks yet.' : table(WEBHOOK_COLUMNS, rows)));
    },
  );
}

interface UpdateOptions extends ApiOptions, TypeOption {
  receiver?: string;
  enable?: true;
  disable?: true;
}

function addUpdate(webhooks: Command): void {
  const summary =
    'Change the URL or the types of a webhook, or disable it. A disabled webhook misses new events; what waited is sent once it is enabled.';
  apiCommand(webhooks, 'update <id>', summary, [
    `nameplate webhooks update ${EXAMPLE} --receiver https://hooks.example.com/new`,
    `nameplate webhooks update ${EXAMPLE} --disable`,
  ])
    .option('--receiver <url>', 'URL that events are sent to from now on')
    .option('--type <type>', 'type of events to send from now on; repeat it for several, * means all', collectTypes)
    .addOption(new Option('--enable', 'send events again, at once').conflicts('disable'))
    .addOption(new Option('--disable', 'send nothing'))
    .action(async (webhookId: string, { receiver, type, enable, disable, ...options }: UpdateOptions) => {
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
    'Make a new secret for a webhook, shown once. For a day, the previous one signs too, so that receivers can change.';
  apiCommand(webhooks, 'rotate-secret <id>', summary, [
    `nameplate webhooks rotate-secret ${EXAMPLE}`,
    `nameplate webhooks rotate-secret ${EXAMPLE} --overlap 0`,
  ])
    .option(
      '--overlap <time>',
      'how long the previous secret signs too, such as 1h; 0 if it has leaked (default: 1d)',
      parseOverlap,
    )
    .action(async (webhookId: string, { overlap, ...options }: ApiOptions & { overlap?: number }) => {
      const api = await connect(options);
      const body = { webhookId, ...(overlap !== undefined && { overlapSeconds: overlap }) };
      const rotated = await api.call<{ secret: string; previousExpiresAt: number }>('webhooks.rotateSecret', body);
      show(options, { id: webhookId, ...rotated }, ({ secret, previousExpiresAt }) =>
        [
          'This is the new secret. Save it now: it is not shown again.',
          '',
          `  ${paint('bold', secret)}`,
          '',
          overlap === 0
            ? 'The previous secret signs no more.'
            : `The previous secret signs too, until ${dateTime(previousExpiresAt)}.`,
        ].join('\n'),
      );
    });
}

/** As `parseDuration`, or 0. Returns whole seconds. */
function parseOverlap(text: string): number {
  const ms = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text);
  if (ms % 1000 !== 0) throw new InvalidArgumentError('Expected whole seconds.');
  return ms / 1000;
}

function addTest(webhooks: Command): void {
  const summary =
    'Send a test event, webhook.test, and show what the receiver answered. Exits with 3 unless it is delivered.';
  apiCommand(webhooks, 'test <id>', summary, [`nameplate webhooks test ${EXAMPLE}`]).action(
    async (webhookId: string, options: ApiOptions) => {
      const api = await connect(options);
      const { deliveryId } = await api.call<{ deliveryId: string }>('webhooks.sendTest', { webhookId });
      const delivery = await untilFinished(api, webhookId, deliveryId);
      show(options, delivery, () => describeDelivery(delivery, systemClock.now()));
      if (delivery.state !== 'delivered') process.exitCode = EXIT.blocked;
    },
  );
}

const POLL_MS = 250;
/** An attempt takes 10 s at most. */
const TEST_MS = 15_000;

/** The delivery of a test once it is finished, or after 15 s as it is then. */
async function untilFinished(api: ApiClient, webhookId: string, deliveryId: string): Promise<ShownDelivery> {
  const deadline = systemClock.now() + TEST_MS;
  for (;;) {
    const delivery = await api.call<ShownDelivery>('webhooks.getDelivery', { webhookId, deliveryId });
    if (delivery.state !== 'waiting' || systemClock.now() > deadline) return delivery;
    await sleep(POLL_MS);
  }
}

function addDelete(webhooks: Command): void {
  const summary = 'Delete a webhook. What waits is not sent.';
  apiCommand(webhooks, 'delete <id>', summary, [`nameplate webhooks delete ${EXAMPLE}`]).action(
    async (webhookId: string, options: ApiOptions) => {
      const api = await connect(options);
      await api.call('webhooks.deleteWebhook', { webhookId });
      show(options, { id: webhookId, deleted: true }, () => `Deleted webhook ${webhookId}.`);
    },
  );
}
