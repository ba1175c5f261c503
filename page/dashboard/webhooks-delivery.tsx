import { Code, Name } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { Command } from './command.tsx';
import { mayDo, useDashboard } from './context.ts';
import { useLoad } from './load.ts';
import { isMissing, LoadState } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { Card, Fact } from './parts.tsx';
import { goTo, hrefOf, Link } from './route.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { DeliveryBadge } from './webhooks-parts.tsx';

const REFRESH_MS = 2_000;

/** One delivery, with what the receiver responded. */
export function DeliveryPage({ id: webhookId, inner: id }: { id: string; inner: string }) {
  const { client, person } = useDashboard();
  const address = { webhookId, deliveryId: id };
  usePageTitle(TEXT.webhooks.delivery);
  const loaded = useLoad(id, (signal) => client.webhooks.getDelivery(address, { signal }), { everyMs: REFRESH_MS });
  const { data, error, reload } = loaded;
  if (data === undefined || isMissing(error)) return <LoadState {...loaded} missing={TEXT.webhooks.missingDelivery} />;
  const { type, domain, eventId, attempts, lastAttempt, nextAttemptAt, happenedAt } = data;

  async function sendAgain(): Promise<void> {
    const { deliveryId } = await client.webhooks.redeliver(address);
    if (deliveryId === id) reload();
    else goTo(hrefOf(['webhooks', webhookId, deliveryId]));
  }

  return (
    <>
      <p>
        <Link href={hrefOf(['webhooks', webhookId])}>{TEXT.webhooks.back}</Link>
      </p>
      <header class="bar">
        <h1>
          {type} <DeliveryBadge delivery={data} />
        </h1>
        {mayDo(person, 'webhook', 'update_webhook') && (
          <ActionButton key={id} run={sendAgain} kind={data.state === 'delivered' ? 'quiet' : 'main'}>
            {TEXT.webhooks.again}
          </ActionButton>
        )}
      </header>
      {mayDo(person, 'webhook', 'update_webhook') && (
        <Command
          operation="webhooks.redeliver"
          input={address}
          command={['webhooks', 'redeliver', id, '--webhook', webhookId]}
        />
      )}
      <section class="card">
        <dl class="facts">
          <Fact label={TEXT.webhooks.event}>
            <Code text={eventId} />
          </Fact>
          {domain !== undefined && (
            <Fact label={TEXT.webhooks.name}>
              <Link href={hrefOf(['domains', data.domainId ?? domain])}>
                <Name name={domain} />
              </Link>
            </Fact>
          )}
          <Fact label={TEXT.webhooks.happened}>
            <Ago at={happenedAt} />
          </Fact>
          <Fact label={TEXT.webhooks.attempts}>{attempts}</Fact>
          {lastAttempt && (
            <Fact label={TEXT.webhooks.lastAttempt}>
              <Ago at={lastAttempt.at} />
            </Fact>
          )}
          {nextAttemptAt !== undefined && (
            <Fact label={TEXT.webhooks.next}>
              <Ago at={nextAttemptAt} />
            </Fact>
          )}
        </dl>
      </section>
      {lastAttempt && (
        <Card title={TEXT.webhooks.response}>
          <dl class="facts">
            {lastAttempt.status !== undefined && <Fact label={TEXT.webhooks.status}>{lastAttempt.status}</Fact>}
            <Fact label={TEXT.webhooks.took}>{`${lastAttempt.durationMs} ms`}</Fact>
            {lastAttempt.error !== undefined && (
              <Fact label={TEXT.webhooks.error}>
                <bdi>{lastAttempt.error}</bdi>
              </Fact>
            )}
          </dl>
          {lastAttempt.response ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
            <pre class="response" dir="ltr" tabIndex={0}>
              <code>{lastAttempt.response}</code>
            </pre>
          ) : (
            <p class="note">{TEXT.webhooks.noResponse}</p>
          )}
        </Card>
      )}
    </>
  );
}
