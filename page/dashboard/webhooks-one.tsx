import { useState } from 'preact/hooks';
import type { Delivery, NameplateClient, Page, Webhook } from '../../client/client.ts';
import { Name } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { Button } from './button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { Command } from './command.tsx';
import { mayDo, useDashboard } from './context.ts';
import { Select } from './fields.tsx';
import { useLoad } from './load.ts';
import { isMissing, LoadState } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { EmptyState, Table } from './parts.tsx';
import { goTo, hrefOf, Link } from './route.tsx';
import { RotateDialog, SecretOnce } from './secret-parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { troubleFirst } from './webhooks-order.ts';
import { DeliveryBadge, WebhookState } from './webhooks-parts.tsx';

const REFRESH_MS = 5_000;
const PAGE_SIZE = 50;
const STATES = ['failed', 'waiting', 'delivered'] as const;

/** One webhook, with its deliveries. */
export function WebhookPage({ id, query }: { id: string; query: URLSearchParams }) {
  const { client } = useDashboard();
  const [secret, setSecret] = useState<string | null>(null);
  const loaded = useLoad(id, (signal) => client.webhooks.getWebhook({ webhookId: id }, { signal }), {
    everyMs: REFRESH_MS,
  });
  const { data, error, reload } = loaded;
  usePageTitle(data?.url ?? TEXT.pages.webhooks);
  if (data === undefined || isMissing(error)) return <LoadState {...loaded} missing={TEXT.webhooks.missing} />;
  return (
    <>
      <p>
        <Link href={hrefOf(['webhooks'])}>{TEXT.pages.webhooks}</Link>
      </p>
      <h1>
        <bdi>{data.url}</bdi>
      </h1>
      <p>
        <WebhookState webhook={data} />{' '}
        <span class="note">
          · {data.types.includes('*') ? TEXT.webhooks.allTypes : data.types.join(TEXT.signs.comma)}
        </span>
      </p>
      {secret !== null && <SecretOnce title={TEXT.webhooks.secretOf} secret={secret} onSaved={() => setSecret(null)} />}
      <Actions webhook={data} onChange={reload} onSecret={setSecret} />
      <Deliveries webhook={data} query={query} />
    </>
  );
}

interface ActionsProps {
  webhook: Webhook;
  onChange: () => void;
  onSecret: (secret: string) => void;
}

function Actions({ webhook, onChange, onSecret }: ActionsProps) {
  const { client, person } = useDashboard();
  const [asked, setAsked] = useState<'disable' | 'rotate' | 'remove' | null>(null);
  const { id, url, enabled } = webhook;
  const mayUpdate = mayDo(person, 'webhook', 'update_webhook');
  const onClose = () => setAsked(null);

  async function test(): Promise<void> {
    const { deliveryId } = await client.webhooks.sendTest({ webhookId: id });
    goTo(hrefOf(['webhooks', id, deliveryId]));
  }

  return (
    <div class="stack">
      <div class="actions">
        {mayUpdate && (
          <ActionButton kind="main" run={test}>
            {TEXT.webhooks.test}
          </ActionButton>
        )}
        {mayUpdate && !enabled && (
          <ActionButton run={() => client.webhooks.updateWebhook({ webhookId: id, enabled: true }).then(onChange)}>
            {TEXT.webhooks.enable}
          </ActionButton>
        )}
        {mayUpdate && enabled && <Button onClick={() => setAsked('disable')}>{TEXT.webhooks.disable}</Button>}
        {mayUpdate && <Button onClick={() => setAsked('rotate')}>{TEXT.webhooks.rotate}</Button>}
        {mayDo(person, 'webhook', 'delete_webhook') && (
          <Button kind="danger" onClick={() => setAsked('remove')}>
            {TEXT.webhooks.remove}
          </Button>
        )}
      </div>
      {mayUpdate && (
        <Command operation="webhooks.sendTest" input={{ webhookId: id }} command={['webhooks', 'test', id]} />
      )}
      {mayUpdate && !enabled && (
        <Command
          operation="webhooks.updateWebhook"
          input={{ webhookId: id, enabled: true }}
          command={['webhooks', 'update', id, '--enable']}
        />
      )}
      {asked === 'disable' && (
        <CallDialog
          title={TEXT.webhooks.disableTitle(url)}
          text={TEXT.webhooks.disableText}
          label={TEXT.webhooks.disable}
          call={{
            operation: 'webhooks.updateWebhook',
            input: { webhookId: id, enabled: false },
            command: ['webhooks', 'update', id, '--disable'],
          }}
          onDone={onChange}
          onClose={onClose}
        />
      )}
      {asked === 'rotate' && (
        <RotateDialog<{ secret: string }>
          title={TEXT.webhooks.rotate}
          text={TEXT.webhooks.rotateText}
          call={{
            operation: 'webhooks.rotateSecret',
            input: { webhookId: id },
            command: ['webhooks', 'rotate-secret', id],
          }}
          onDone={({ secret }) => onSecret(secret)}
          onClose={onClose}
        />
      )}
      {asked === 'remove' && (
        <CallDialog
          title={TEXT.webhooks.removeTitle(url)}
          text={TEXT.webhooks.removeText}
          label={TEXT.webhooks.remove}
          kind="danger"
          call={{
            operation: 'webhooks.deleteWebhook',
            input: { webhookId: id },
            command: ['webhooks', 'delete', id],
          }}
          done={() => TEXT.webhooks.removed}
          onDone={() => goTo(hrefOf(['webhooks']))}
          onClose={onClose}
        />
      )}
    </div>
  );
}

interface Wanted {
  webhookId: string;
  state: (typeof STATES)[number] | undefined;
  cursor: string | undefined;
}

/** One page of a state; without one, the newest of each. */
async function loadDeliveries(
  { webhooks }: NameplateClient,
  { webhookId, state, cursor }: Wanted,
  signal: AbortSignal,
): Promise<Page<Delivery>> {
  if (state !== undefined) return webhooks.listDeliveries({ webhookId, state, cursor, limit: PAGE_SIZE }, { signal });
  const pages = await Promise.all(
    STATES.map((each) => webhooks.listDeliveries({ webhookId, state: each, limit: PAGE_SIZE }, { signal })),
  );
  return { items: troubleFirst(pages.flatMap(({ items }) => items)), cursor: undefined };
}

function Deliveries({ webhook: { id }, query }: { webhook: Webhook; query: URLSearchParams }) {
  const { client } = useDashboard();
  const state = STATES.find((each) => each === query.get('state'));
  const wanted: Wanted = { webhookId: id, state, cursor: query.get('cursor') ?? undefined };
  const loaded = useLoad(JSON.stringify(wanted), (signal) => loadDeliveries(client, wanted, signal), {
    everyMs: REFRESH_MS,
  });
  const { data, isLoading } = loaded;
  return (
    <section class="stack">
      <header class="bar">
        <h2>{TEXT.webhooks.deliveries}</h2>
        <label class="actions">
          {TEXT.webhooks.state}
          <Select
            options={Object.entries(TEXT.webhooks.states)}
            value={state ?? ''}
            onChange={(value) => goTo(hrefOf(['webhooks', id], { state: value }))}
          />
        </label>
      </header>
      <LoadState {...loaded} />
      {data?.items.length === 0 && (
        <EmptyState title={TEXT.webhooks.noDeliveries} text={TEXT.webhooks.noDeliveriesText} />
      )}
      {data !== undefined && data.items.length > 0 && (
        <div aria-busy={isLoading}>
          <Table label={TEXT.webhooks.deliveriesTable} columns={TEXT.webhooks.deliveryColumns}>
            {data.items.map((delivery) => (
              <DeliveryRow key={delivery.id} delivery={delivery} />
            ))}
          </Table>
        </div>
      )}
      {data?.cursor && (
        <Link class="button quiet" href={hrefOf(['webhooks', id], { state, cursor: data.cursor })}>
          {TEXT.webhooks.older}
        </Link>
      )}
    </section>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { id, webhookId, type, domain, attempts, lastAttempt, happenedAt } = delivery;
  return (
    <tr>
      <th scope="row">
        <Link href={hrefOf(['webhooks', webhookId, id])}>{type}</Link>
      </th>
      <td>{domain !== undefined && <Name name={domain} />}</td>
      <td>
        <DeliveryBadge delivery={delivery} />
      </td>
      <td>{attempts}</td>
      <td>
        <bdi>{lastAttempt?.error ?? lastAttempt?.status ?? ''}</bdi>
      </td>
      <td>
        <Ago at={happenedAt} />
      </td>
    </tr>
  );
}
