import { Code, Name } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { Command } from './command.tsx';
import { mayDo, useDashboard } from './context.ts';
import { useLoad } from './load.ts';
import { isMissing, LoadState } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { Card, fact } from './parts.tsx';
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
  const texts = TEXT.webhooks;
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
          {fact(texts.event, <Code text={eventId} />)}
          {fact(
            texts.name,
            domain !== undefined && (
              <Link href={hrefOf(['domains', data.domainId ?? domain])}>
                <Name name={domain} />
              </Link>
            ),
          )}
          {fact(texts.happened, <Ago at={happenedAt} />)}
          {fact(texts.attempts, attempts)}
          {fact(texts.lastAttempt, lastAttempt && <Ago at={lastAttempt.at} />)}
          {fact(texts.next, nextAttemptAt !== undefined && <Ago at={nextAttemptAt} />)}
        </dl>
      </section>
      {lastAttempt && (
        <Card title={texts.response}>
          <dl class="facts">
            {fact(texts.status, lastAttempt.status)}
            {fact(texts.took, `${lastAttempt.durationMs} ms`)}
            {fact(texts.error, lastAttempt.error !== undefined && <bdi>{lastAttempt.error}</bdi>)}
          </dl>
          {lastAttempt.response ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
            <pre class="response" dir="ltr" tabIndex={0}>
              <code>{lastAttempt.response}</code>
            </pre>
          ) : (
            <p class="note">{texts.noResponse}</p>
          )}
        </Card>
      )}
    </>
  );
}
