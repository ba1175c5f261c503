import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, test } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { newId, plant } from '../support/entities.ts';
import { listen } from '../support/listen.ts';
import { addDomain, openWorld, SECRET, subscribe, type World } from './world.ts';

const closing = closingAfterEach();
let world: World;
beforeEach(async () => {
  world = await openWorld(closing);
});

/**
 * A receiver as docs/guides/webhooks.md shows it: the published library, and the body as it came. Answers 400 where it does
 * not verify.
 */
async function startVerifying(secret: () => string): Promise<{ url: string; events: unknown[] }> {
  const events: unknown[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      const headers = request.headers as Record<string, string>;
      events.push(new Webhook(secret()).verify(Buffer.concat(chunks), headers));
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  return { url: `http://127.0.0.1:${await listen(closing, server)}/`, events };
}

test('the published library verifies what is sent, as it comes', async () => {
  const { url, events } = await startVerifying(() => SECRET);
  const planted = await plant(world.store);
  await subscribe(world, planted, url);
  await addDomain(world, planted, 'bücher.example.com');
  await world.worker.runOnce();
  expect(events).toMatchObject([{ type: 'domain.created', data: { domain: { domain: 'bücher.example.com' } } }]);
});

test('a receiver with another secret refuses it', async () => {
  const { url, events } = await startVerifying(() => `whsec_${Buffer.alloc(24, 8).toString('base64')}`);
  const planted = await plant(world.store);
  await subscribe(world, planted, url);
  await addDomain(world, planted, 'a.example.com');
  await world.worker.runOnce();
  expect(events).toEqual([]);
});

test('during a rotation receivers with the old and with the new secret both verify; afterwards only those with the new one', async () => {
  const next = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  let current = SECRET;
  const { url, events } = await startVerifying(() => current);
  const planted = await plant(world.store);
  const { workspaceId, webhookId } = await subscribe(world, planted, url);
  const now = world.clock.now();
  const secret = { id: newId('whs'), secret: new Uint8Array(Buffer.from(next)), createdAt: now };
  await world.store.rotateWebhookSecret(workspaceId, webhookId, secret, now + 60_000);
  for (current of [SECRET, next]) {
    await addDomain(world, planted, `${events.length}.example.com`);
    await world.worker.runOnce();
  }
  expect(events).toHaveLength(2);

  world.clock.advance(61_000);
  current = SECRET;
  await addDomain(world, planted, 'late.example.com');
  await world.worker.runOnce();
  expect(events).toHaveLength(2);
});
