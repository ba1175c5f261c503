import { NameplateError } from '@nameplate/client';
import { nameplate, setting, sites } from '../../nameplate';

// A header says who is signed in: your own sign-in takes its place.
export async function POST(request: Request): Promise<Response> {
  const customer = request.headers.get('x-customer');
  if (customer === null) return new Response('Sign in first.', { status: 401 });
  const domain = String((await request.formData()).get('domain')).toLowerCase();
  const { domains } = nameplate();
  try {
    if (sites.get(domain) !== customer) {
      const environment = setting('ENVIRONMENT_ID');
      await domains.createDomain({ environment, domain, externalId: customer, replaceUnverified: true });
      sites.set(domain, customer);
    }
    const { url } = await domains.createSetupLink({ domain });
    return Response.redirect(url, 303);
  } catch (error) {
    if (!(error instanceof NameplateError && [400, 409].includes(error.status))) throw error;
    return new Response(error.detail, { status: error.status });
  }
}
