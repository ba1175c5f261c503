// A platform whose customers bring their own domains. It has two servers: its own API, and the customers' sites, which
// only the edge may ask. docs/guides/quickstart.md says how to run it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { createClient, NameplateError } from '@nameplate/client';
import { UnverifiedWebhook, verifyWebhook } from '@nameplate/client/webhooks';
import { Hono } from 'hono';

const nameplate = createClient({ baseUrl: setting('NAMEPLATE_URL'), rootKey: setting('NAMEPLATE_ROOT_KEY') });
const environment = setting('ENVIRONMENT_ID');
const webhookSecret = setting('WEBHOOK_SECRET');
const edgeSecret = digest(setting('EDGE_SECRET'));

interface Customer {
  id: string;
  /** The last event of each domain. */
  domains: Map<string, string>;
}
/** The customers, in place of your database. */
const customers = new Map(['acme', 'bolt'].map((id): [string, Customer] => [id, { id, domains: new Map() }]));

const platform = new Hono<{ Variables: { customer: Customer } }>();

platform.post('/webhooks/nameplate', async (c) => {
  // The signature is that of the text as it came.
  const event = await verifyWebhook({ body: await c.req.text(), headers: c.req.raw.headers, secret: webhookSecret });
  switch (event.type) {
    case 'domain.verified':
    case 'domain.deleted':
    case 'site.live':
    case 'site.unreachable': {
      const { domain, externalId = '' } = event.data;
      const domains = customers.get(externalId)?.domains;
      if (event.type === 'domain.deleted') domains?.delete(domain.domain);
      else domains?.set(domain.domain, event.type);
    }
  }
  return c.body(null, 204);
});

// A header says who is signed in: your own sign-in takes its place.
platform.use(async (c, next) => {
  const customer = customers.get(c.req.header('X-Customer') ?? '');
  if (customer === undefined) return c.json({ message: 'Sign in first.' }, 401);
  c.set('customer', customer);
  return next();
});

platform.get('/domains', (c) => c.json(Object.fromEntries(c.var.customer.domains)));

platform.get('/domains/:domain', async (c) => c.json(await showSite(c.var.customer.id, c.req.param('domain'))));

platform.post('/domains', async (c) => {
  const { id, domains } = c.var.customer;
  const { domain } = await c.req.json();
  if (!domains.has(domain)) {
    // Somebody who added the name before, and does not control it, cannot keep it from its owner.
    const options = { replaceUnverified: true, externalId: id, metadata: { addedBy: 'settings page' } };
    await nameplate.domains.createDomain({ environment, domain, ...options });
    domains.set(domain, 'domain.created');
  }
  return c.json(await showSite(id, domain), 201);
});

class NotYours extends Error {}

/** What a customer sees of one of its own domains. Those of other customers are as good as missing. */
async function showSite(customerId: string, name: string) {
  const { domain, certificate, live, externalId } = await nameplate.domains.getSite({ domain: name });
  if (externalId !== customerId) throw new NotYours();
  const { status, verificationError: problem, dnsRecords: records } = domain;
  return { domain: domain.domain, status, problem, records, certificate: certificate.state, live: live?.state };
}

/** Tells customers what they can mend, and nobody anything else. */
platform.onError((error, c) => {
  const code = error instanceof NameplateError ? error.code : null;
  if (error instanceof UnverifiedWebhook) return c.body(null, 400);
  if (error instanceof NotYours || code === 'data/domain_not_found')
    return c.json({ message: 'You have no such domain.' }, 404);
  if (code === 'data/domain_already_exists') return c.json({ message: 'Another customer has this domain.' }, 409);
  if (error instanceof NameplateError && code === 'validation/invalid_input')
    return c.json({ message: `The domain ${error.errors[0]?.message}.` }, 400);
  console.error(error);
  return c.json({ message: 'Try again later.' }, 500);
});

const sites = new Hono();

// During a rotation the edge sends two secrets: "NEW, OLD".
sites.use(async (c, next) => {
  const sent = (c.req.header('Nameplate-Edge-Secret') ?? '').split(', ');
  if (sent.some((secret) => timingSafeEqual(digest(secret), edgeSecret))) return next();
  return c.text('Forbidden', 403);
});

sites.all('*', (c) => {
  const customer = customers.get(decodeURIComponent(c.req.header('Nameplate-External-Id') ?? ''));
  if (customer === undefined) return c.notFound();
  return c.text(`The site of ${customer.id}, at ${new URL(c.req.url).hostname}.\n`);
});

const hostname = '127.0.0.1';
serve({ fetch: sites.fetch, hostname, port: Number(process.env.SITES_PORT ?? 4000) });
serve({ fetch: platform.fetch, hostname, port: Number(process.env.PLATFORM_PORT ?? 3000) }, () => {
  console.log('The platform is up.');
});

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

/** Digests are of one length, as a comparison in constant time needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
