// A platform whose customers bring their own domains. It has two servers: its own API, and the customers' sites, which
// only the edge may ask. docs/guides/quickstart.md says how to run it.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createClient, NameplateError } from '@nameplate/client';
import { UnverifiedWebhook, verifyWebhook } from '@nameplate/client/webhooks';
import express, { type ErrorRequestHandler } from 'express';

const nameplate = createClient({ baseUrl: setting('NAMEPLATE_URL'), rootKey: setting('NAMEPLATE_ROOT_KEY') });
const environment = setting('ENVIRONMENT_ID');
const webhookSecret = setting('WEBHOOK_SECRET');
const edgeSecret = digest(setting('EDGE_SECRET'));

/** The customers, in place of your database: the domains of each, and the last event of each domain. */
const customers = new Map(['acme', 'bolt'].map((id) => [id, { id, domains: new Map<string, string>() }]));

const platform = express();

// The signature is that of the bytes, so nothing may parse them before.
platform.post('/webhooks/nameplate', express.raw({ type: 'application/json' }), async (request, response) => {
  const event = await verifyWebhook({ body: request.body, headers: request.headers, secret: webhookSecret });
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
  response.sendStatus(204);
});

// A header says who is signed in: your own sign-in takes its place.
platform.use((request, response, next) => {
  response.locals.customer = customers.get(request.get('X-Customer') ?? '');
  if (response.locals.customer !== undefined) next();
  else response.status(401).json({ message: 'Sign in first.' });
});

platform.get('/domains', (_, response) => {
  response.json(Object.fromEntries(response.locals.customer.domains));
});

platform.get('/domains/:domain', async (request, response) => {
  response.json(await showSite(response.locals.customer.id, request.params.domain));
});

platform.post('/domains', express.json(), async (request, response) => {
  const { id, domains } = response.locals.customer;
  const { domain } = request.body ?? {};
  if (!domains.has(domain)) {
    // Somebody who added the name before, and does not control it, cannot keep it from its owner.
    const options = { replaceUnverified: true, externalId: id, metadata: { addedBy: 'settings page' } };
    await nameplate.domains.createDomain({ environment, domain, ...options });
    domains.set(domain, 'domain.created');
  }
  response.status(201).json(await showSite(id, domain));
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
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  const code = error instanceof NameplateError ? error.code : null;
  if (error instanceof UnverifiedWebhook) response.sendStatus(400);
  else if (error instanceof NotYours || code === 'data/domain_not_found')
    response.status(404).json({ message: 'You have no such domain.' });
  else if (code === 'data/domain_already_exists')
    response.status(409).json({ message: 'Another customer has this domain.' });
  else if (code === 'validation/invalid_input')
    response.status(400).json({ message: `The domain ${error.errors[0].message}.` });
  else {
    console.error(error);
    response.sendStatus(500);
  }
};
platform.use(onError);

const sites = express();

// During a rotation the edge sends two secrets: "NEW, OLD".
sites.use((request, response, next) => {
  const sent = (request.get('Nameplate-Edge-Secret') ?? '').split(', ');
  if (sent.some((secret) => timingSafeEqual(digest(secret), edgeSecret))) next();
  else response.sendStatus(403);
});

sites.use((request, response) => {
  const customer = customers.get(decodeURIComponent(request.get('Nameplate-External-Id') ?? ''));
  if (customer === undefined) response.sendStatus(404);
  else response.type('text').send(`The site of ${customer.id}, at ${request.hostname}.\n`);
});

sites.listen(Number(process.env.SITES_PORT ?? 4000), '127.0.0.1');
platform.listen(Number(process.env.PLATFORM_PORT ?? 3000), '127.0.0.1', () => console.log('The platform is up.'));

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}

/** Digests are of one length, as a comparison in constant time needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
