import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { Domain, Finding } from '../../client/client.ts';
import { type UnknownEvent, UnverifiedWebhook, verifyWebhook, type WebhookEvent } from '../../client/verify-webhook.ts';
import type { WebhookEventType } from '../../server/src/domain/webhook-message.ts';
import { signatureFields } from '../../server/src/webhooks/signature.ts';
import { producedBodies } from '../docs/webhook-bodies.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const NOW = Date.UTC(2026, 10, 20, 12);
const BODY = '{"type":"webhook.test","timestamp":"2026-11-20T12:00:00.000Z","data":{"webhookId":"wh_1"}}';

const sign = (body: string, secrets = [SECRET], at = NOW) => signatureFields({ id: 'evt_1', body }, secrets, at);

/** A receiver that knows every type of event. */
function told(event: WebhookEvent | UnknownEvent): unknown {
  switch (event.type) {
    case 'domain.verified':
      expectTypeOf(event.data.domain).toEqualTypeOf<Domain>();
      return event.data.domain.domain;
    case 'diagnosis.changed':
      expectTypeOf(event.data.findings).toEqualTypeOf<Finding[]>();
      return event.data.findings[0]?.code;
    case 'certificate.issued':
      return event.data.certificate.state;
    case 'redirect.removed':
      return event.data.redirect.reason;
    case 'domain.moved':
      return event.data.move.to;
    case 'site.live':
      return event.data.live.checkedAt;
    case 'webhook.test':
      return event.data.webhookId;
    case 'domain.created':
    case 'domain.retried':
    case 'domain.failed':
    case 'domain.superseded':
    case 'domain.drifted':
    case 'domain.recovered':
    case 'domain.deleted':
    case 'domain.restored':
    case 'domain.suspended':
    case 'domain.resumed':
    case 'redirect.set':
    case 'record.seen':
    case 'record.lost':
    case 'certificate.renewed':
    case 'site.ready_to_switch':
    case 'certificate.failed':
    case 'certificate.expiring':
    case 'site.unreachable':
      return event.data.domain.id;
    default:
      expectTypeOf(event).toEqualTypeOf<UnknownEvent>();
      return `unknown: ${event.type}`;
  }
}

describe('verifyWebhook', () => {
  let bodies: Map<string, string>;
  beforeAll(async () => {
    bodies = await producedBodies();
  });

  it('returns every event that a server sends, by whose type the client knows its data', async () => {
    expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<WebhookEventType>();
    expect(bodies.size).toBeGreaterThan(20);
    for (const body of bodies.values()) {
      const event = await verifyWebhook({ body, headers: sign(body), secret: SECRET, now: NOW });
      expect(event).toEqual(JSON.parse(body));
      expect(told(event)).toEqual(expect.not.stringMatching(/^unknown/));
    }
  });

  it('returns an event of a type that it does not know as one', async () => {
    const body = BODY.replace('webhook.test', 'domain.painted');
    expect(told(await verifyWebhook({ body, headers: sign(body), secret: SECRET, now: NOW }))).toBe(
      'unknown: domain.painted',
    );
  });

  it('takes bytes, and header fields of fetch, of Node and of others', async () => {
    const fields = sign(BODY);
    const upper = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toUpperCase(), value]));
    for (const headers of [fields, upper, new Headers(fields)]) {
      const body = new TextEncoder().encode(BODY);
      expect(told(await verifyWebhook({ body, headers, secret: SECRET, now: NOW }))).toBe('wh_1');
    }
  });

  it('accepts either secret while it is rotated', async () => {
    for (const secret of [SECRET, OTHER])
      expect(await verifyWebhook({ body: BODY, headers: sign(BODY, [OTHER, SECRET]), secret, now: NOW })).toBeDefined();
  });

  it.each([
    ['of another secret', { headers: sign(BODY, [OTHER]) }],
    ['of another body', { body: BODY.replace('wh_1', 'wh_2') }],
    ['of another event', { headers: { ...sign(BODY), 'webhook-id': 'evt_2' } }],
    ['of another time', { headers: { ...sign(BODY), 'webhook-timestamp': String(NOW / 1000 + 1) } }],
    ['of no time', { headers: { ...sign(BODY), 'webhook-timestamp': 'now' } }],
    ['older than five minutes', { now: NOW + 301_000 }],
    ['more than five minutes in the future', { now: NOW - 301_000 }],
    ['that is none', { headers: { ...sign(BODY), 'webhook-signature': 'v1,! v2,AAAA AAAA v1,' } }],
    ['that is not there', { headers: {} }],
  ])('refuses a signature %s', async (_, change) => {
    const request = { body: BODY, headers: sign(BODY), secret: SECRET, now: NOW, ...change };
    await expect(verifyWebhook(request)).rejects.toBeInstanceOf(UnverifiedWebhook);
  });

  it('says where the secret is none', async () => {
    const request = { body: BODY, headers: sign(BODY), secret: 'secret', now: NOW };
    await expect(verifyWebhook(request)).rejects.toThrow('The secret of a webhook is "whsec_" and Base64');
  });
});
