import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { readCommandConfig } from '../../config/config.ts';
import { CliError, EXIT, messageOf } from '../cli-error.ts';
import { type ApiOptions, apiCommand, collectTypes, parsePort } from '../options.ts';
import { type JsonOption, jsonText, paint, print, printable, show, timeOfDay } from '../output/output.ts';
import type { ShownWebhook } from '../output/show-webhook.ts';
import { stopInTime, untilSignal } from '../signals.ts';
import { hostnameOf } from '../store/open-database.ts';
import { type ApiClient, ApiError, connect, readSecret, typedCommand } from './api-client.ts';
import { type EventDetails, eventDetails } from './events.ts';
import type { VerifiedRequest, WebhookReceiver } from './webhook-receiver.ts';

interface ListenOptions extends ApiOptions {
  port?: number;
  type?: string[];
  domain?: string;
  secretFile?: string;
}

export function addListen(webhooks: Command): void {
  const summary =
    'Receive events on this machine, verify their signatures and show each event, until you press Ctrl-C. Creates a webhook for this purpose and deletes it at the end.';
  const examples = ['', '--domain shop.example.com --json', '--port 3000 --secret-file webhook.secret'];
  const json = 'print one JSON document a line: first where it listens, then each event';
  apiCommand(webhooks, 'listen', summary, examples, json)
    .option('--port <port>', 'port to listen on, at 127.0.0.1 (default: any free port)', parsePort)
    .option('--type <type>', 'only events of this type; repeat it for several', collectTypes)
    .option('--domain <domain>', 'only events of this domain, by name or id')
    .option(
      '--secret-file <path>',
      'file that contains the secret of an existing webhook that leads to --port, or - to read the secret from standard input (default: NAMEPLATE_WEBHOOK_SECRET). With a secret, the command needs --port, creates no webhook and calls no server',
    )
    .action(listen);
}

async function listen(options: ListenOptions): Promise<void> {
  const stopped = untilSignal('SIGHUP');
  const secret = givenSecret(options);
  if (secret === undefined) return listenAsWebhook(await connect(options), options, stopped);
  if (!options.port) {
    const message = 'Use --port with a secret: the port to which the URL of its webhook leads.';
    throw new CliError(message, { exitCode: EXIT.usage });
  }
  const receiver = await receive(options.port, Promise.resolve(secret), options);
  show(
    options,
    { event: 'ready', receiver: receiver.origin },
    () => `Listening at ${receiver.origin}. Ctrl-C ends it.\n`,
  );
  await stopped;
  await stopInTime(receiver.close);
}

/** Creates a webhook of its own for as long as it listens. */
async function listenAsWebhook(api: ApiClient, options: ListenOptions, stopped: Promise<unknown>): Promise<void> {
  if (api.playground !== null) await deleteLeftovers(api);
  const secret = Promise.withResolvers<string>();
  const receiver = await receive(options.port ?? 0, secret.promise, options);
  try {
    const created = await createWebhook(api, receiver.origin, options.type);
    secret.resolve(created.secret);
    const { webhookId } = created;
    show(options, { event: 'ready', receiver: receiver.origin, webhookId }, () =>
      [
        `Listening at ${receiver.origin}, as webhook ${webhookId}. Ctrl-C ends it and deletes the webhook.`,
        `To see an event now, in another terminal: ${paint('bold', typedCommand(api, options, `webhooks test ${webhookId}`))}`,
        '',
      ].join('\n'),
    );
    await stopped;
    await stopInTime(() => deleteWebhook(api, webhookId, options));
  } finally {
    await receiver.close();
  }
}

async function receive(port: number, secret: Promise<string>, options: ListenOptions): Promise<WebhookReceiver> {
  const { startReceiver } = await import('./webhook-receiver.ts');
  const { domain } = options;
  const wanted = domain === undefined || domain.startsWith('dom_') ? domain : await hostnameOf(domain);
  const printer = eventPrinter(options, wanted);
  return startReceiver({ port, secret, ...printer }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new CliError(`Port ${port} is in use by another program. Use another --port.`);
    throw new CliError(`Cannot listen on port ${port}: ${messageOf(error)}`);
  });
}

/** The secret of a webhook that was made elsewhere. It never comes from the arguments, which others can see. */
function givenSecret({ secretFile }: ListenOptions): string | undefined {
  const what = 'secret of a webhook';
  const secret = secretFile === undefined ? readCommandConfig().webhookSecret : readSecret(secretFile, what);
  if (secret === undefined || /^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) return secret;
  throw new CliError(`Expected the ${what}, which begins with "whsec_" and is followed by Base64.`);
}

/** The URLs of webhooks that this command makes contain it. */
const PATH = '/nameplate-webhooks-listen';

function createWebhook(api: ApiClient, origin: string, types = ['*']): Promise<{ webhookId: string; secret: string }> {
  return api
    .call<{ webhookId: string; secret: string }>('webhooks.createWebhook', { url: `${origin}${PATH}`, types })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || !error.errors.some(({ location }) => location === 'body.url')) throw error;
      throw new CliError(`${error.message}\n${TUNNEL_ADVICE}`, { details: error.details });
    });
}

const TUNNEL_ADVICE = `This server does not send events to this machine's own address. Open a tunnel from a public address to it,
create a webhook with that URL (nameplate webhooks create), and listen with its secret:
  NAMEPLATE_WEBHOOK_SECRET=whsec_… nameplate webhooks listen --port 3000`;

/**
 * Deletes webhooks that earlier calls could not delete, because they were killed or the playground had stopped: nobody
 * listens there any more.
 */
async function deleteLeftovers(api: ApiClient): Promise<void> {
  const { isFree } = await import('./ports.ts');
  for (const { id, url } of await api.list<ShownWebhook>('webhooks.listWebhooks', {})) {
    const { hostname, port, pathname } = new URL(url);
    const isOurs = hostname === '127.0.0.1' && pathname === PATH;
    if (isOurs && (await isFree(Number(port), { udp: false }))) {
      await api.call('webhooks.deleteWebhook', { webhookId: id });
    }
  }
}

async function deleteWebhook(api: ApiClient, webhookId: string, options: ListenOptions): Promise<void> {
  try {
    await api.call('webhooks.deleteWebhook', { webhookId });
  } catch (error) {
    const command = typedCommand(api, options, `webhooks delete ${webhookId}`);
    throw new CliError(`The webhook was not deleted: ${messageOf(error)}\nTo delete it later: ${command}`);
  }
  if (!options.json) print(`\nDeleted webhook ${webhookId}.`);
}

/** The body of an event (docs/guides/webhooks.md). */
interface EventBody {
  type: string;
  data: Omit<EventDetails, 'verificationError'> & {
    domain?: { id: string; domain: string } & Pick<EventDetails, 'verificationError'>;
  };
}

interface PrinterOptions extends JsonOption {
  /** Types of events to print; all unless given. */
  type?: string[];
}

/**
 * Prints the events that a receiver got, one line each; with `json` whole. `wanted`: name or id of the only domain
 * whose events are printed.
 */
export function eventPrinter({ json, type: types }: PrinterOptions, wanted: string | undefined) {
  const seen = new Set<string>();
  const isWanted = ({ type, data: { domain } }: EventBody) =>
    domain === undefined ||
    ((types === undefined || types.includes(type) || types.includes('*')) &&
      (wanted === undefined || [domain.id, domain.domain].includes(wanted)));
  return {
    onEvent({ fields, body }: VerifiedRequest) {
      const id = fields['webhook-id'];
      const event = JSON.parse(body) as EventBody;
      if (!isWanted(event)) return;
      print(json ? jsonText({ id, ...event }) : describeReceived(event, seen.has(id)));
      seen.add(id);
    },
    onRefused(reason: string) {
      const message = `Refused a request: its signature is wrong (${reason}).`;
      print(
        json
          ? jsonText({ error: { message } })
          : `${timeOfDay(systemClock.now())}  ${paint('red', printable(message))}`,
      );
    },
  };
}

const TYPE_WIDTH = 'certificate.expiring'.length;

/** `20:14:05  record.seen           shop.example.com  The TXT record was found with the right value.` */
function describeReceived({ type, data: { domain, ...change } }: EventBody, isRepeated: boolean): string {
  const { verificationError } = domain ?? {};
  const details = eventDetails(type, { ...change, ...(verificationError !== undefined && { verificationError }) });
  return [
    timeOfDay(systemClock.now()),
    paint('bold', printable(type).padEnd(domain === undefined ? 0 : TYPE_WIDTH)),
    printable(domain?.domain ?? ''),
    printable(details),
    isRepeated ? paint('dim', '(sent again)') : '',
  ]
    .filter((part) => part !== '')
    .join('  ');
}
