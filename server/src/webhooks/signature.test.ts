import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signatureFields } from './signature.ts';

const SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const NEXT = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;
const message = { id: 'evt_1', body: '{"type":"domain.verified","data":{"domain":"bücher.example"}}' };

test('another secret, id, body or a time long ago does not verify', () => {
  const now = Date.now();
  const fields = signatureFields(message, [SECRET], now);
  const webhook = new Webhook(SECRET);
  expect(() => new Webhook(NEXT).verify(message.body, fields)).toThrow('No matching signature');
  expect(() => webhook.verify(message.body, { ...fields, 'webhook-id': 'evt_2' })).toThrow('No matching signature');
  expect(() => webhook.verify(`${message.body} `, fields)).toThrow('No matching signature');
  expect(() => webhook.verify(message.body, signatureFields(message, [SECRET], now - 301_000))).toThrow('too old');
});

test('the signature is that of the example in the specification', () => {
  const fields = signatureFields(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    1614265330_000,
  );
  expect(fields).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});
