import { withinTime } from '../server/src/base/time-limit.ts';
import { signatureProblem, startReceiver, type VerifiedRequest } from '../server/src/cli/api/webhook-receiver.ts';
import { type Step, unexpected } from './step.ts';

/** Calls an operation of the API as a step with this title, and returns the response's `data`. */
type Call = (title: string, operation: string, body: unknown, expected: number) => Promise<unknown>;

const TIMEOUT_MS = 8000;

/** The end of the demo: a webhook is told that the domain is deleted. Rejects if a step does not end as expected. */
export async function playDelivery(call: Call, domain: string, onStep: (step: Step) => void): Promise<void> {
  const secret = Promise.withResolvers<string>();
  const received = Promise.withResolvers<VerifiedRequest>();
  const onRefused = (reason: string) => received.reject(unexpected('a signature that verifies', reason));
  const receiver = await startReceiver({ port: 0, secret: secret.promise, onEvent: received.resolve, onRefused });
  try {
    const url = `${receiver.origin}/events`;
    const created = await call(
      'So far, the platform has polled. Nameplate can tell it instead. The platform creates a webhook; the receiver is a small server on this machine:',
      'webhooks.createWebhook',
      { url, types: ['domain.deleted'] },
      200,
    );
    const { secret: given } = created as { secret: string };
    secret.resolve(given);
    await call('The customer leaves, so the platform deletes the domain:', 'domains.deleteDomain', { domain }, 200);

    const { fields, body } = await withinTime(TIMEOUT_MS, received.promise, () => {
      throw unexpected('the event within 8 s', null);
    });
    onStep({
      title: 'Nameplate tells the receiver at once, in a request that is signed with the secret:',
      request: { method: 'POST', path: url, fields, body: JSON.parse(body) },
    });
    const problem = signatureProblem(given, fields, body.replace(domain, 'evil.example.com'));
    if (problem === null) throw unexpected('a changed body to be refused', body);
    onStep({
      title: `The receiver verifies the signature with the standardwebhooks library, and answers. With "evil.example.com" in place of the name, the library would say "${problem}":`,
      answer: { status: 204, body: '' },
    });
  } finally {
    await receiver.close();
  }
}
