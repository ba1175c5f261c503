import { expect, it } from 'vitest';
import openapi from '../../openapi.json' with { type: 'json' };
import { en } from './languages/en.ts';
import { deliveryWord, troubleFirst } from './webhooks-order.ts';

const lost = { at: 1, durationMs: 1, error: 'HTTP 500' };

it.each([
  ['given up', { state: 'failed', lastAttempt: lost }, 'failed'],
  ['an attempt failed, and another follows', { state: 'waiting', lastAttempt: lost }, 'retrying'],
  ['not attempted yet', { state: 'waiting' }, 'waiting'],
  ['delivered after a failure', { state: 'delivered', lastAttempt: { at: 1, durationMs: 1 } }, 'delivered'],
])('a delivery has one word: %s', (_, delivery, word) => {
  expect(deliveryWord(delivery)).toBe(word);
});

it('deliveries that failed come first, then those that are failing, each newest first', () => {
  const delivery = (id: string, state: string, createdAt: number, hasFailed = false) => ({
    ...{ id, state, createdAt },
    ...(hasFailed && { lastAttempt: lost }),
  });
  const all = [
    delivery('delivered', 'delivered', 9),
    delivery('waiting', 'waiting', 8),
    delivery('failed before', 'failed', 1, true),
    delivery('failing', 'waiting', 5, true),
    delivery('failed', 'failed', 3, true),
  ];
  expect(troubleFirst(all).map(({ id }) => id)).toEqual(['failed', 'failed before', 'failing', 'waiting', 'delivered']);
});

it('the types that can be chosen are those of the API', () => {
  const { schema } = openapi.paths['/v2/webhooks.createWebhook'].post.requestBody.content['application/json'];
  expect([...Object.keys(en.domain.events), '*']).toEqual(schema.properties.types.items.enum);
});
