import { UnverifiedWebhook, verifyWebhook } from '@nameplate/client/webhooks';
import { setting, sites } from '../../../nameplate';

export async function POST(request: Request): Promise<Response> {
  const signed = { body: await request.text(), headers: request.headers, secret: setting('WEBHOOK_SECRET') };
  try {
    const event = await verifyWebhook(signed);
    if (event.type === 'domain.verified' || event.type === 'domain.deleted') {
      const { domain, externalId: customer = '' } = event.data;
      if (event.type === 'domain.verified') sites.set(domain.domain, customer);
      else if (sites.get(domain.domain) === customer) sites.delete(domain.domain);
    }
  } catch (error) {
    if (!(error instanceof UnverifiedWebhook)) throw error;
    return new Response(null, { status: 400 });
  }
  return new Response(null, { status: 204 });
}
