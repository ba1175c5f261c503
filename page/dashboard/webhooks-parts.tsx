import type { Delivery, Webhook } from '../../client/client.ts';
import { Badge, type Tone } from './parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { type DeliveryWord, deliveryWord } from './webhooks-order.ts';

export function WebhookState({ webhook: { enabled, disabledReason, failingSince } }: { webhook: Webhook }) {
  if (!enabled) {
    const isFailing = disabledReason === 'failing';
    return (
      <Badge tone={isFailing ? 'bad' : 'warn'}>{isFailing ? TEXT.webhooks.stopped : TEXT.webhooks.disabled}</Badge>
    );
  }
  if (failingSince === undefined) return <Badge tone="good">{TEXT.webhooks.enabled}</Badge>;
  return (
    <>
      <Badge tone="bad">{TEXT.webhooks.failing}</Badge>{' '}
      <span class="note">
        {TEXT.webhooks.failingSince} <Ago at={failingSince} />
      </span>
    </>
  );
}

const TONES: Record<DeliveryWord, Tone> = { failed: 'bad', retrying: 'warn', waiting: 'busy', delivered: 'good' };

export function DeliveryBadge({ delivery }: { delivery: Delivery }) {
  const word = deliveryWord(delivery);
  return <Badge tone={TONES[word]}>{TEXT.webhooks.words[word]}</Badge>;
}
