// A platform whose customers bring their own domains: docs/guides/stacks/express.md.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createClient, NameplateError } from '@nameplate/client';
import { UnverifiedWebhook, verifyWebhook } from '@nameplate/client/webhooks';
import express, { type ErrorRequestHandler, type Request } from 'express';

const nameplate = createClient({ baseUrl: setting('NAMEPLATE_URL'), rootKey: setting('NAMEPLATE_ROOT_KEY') });
const [environment, webhookSecret] = [setting('ENVIRONMENT_ID'), setting('WEBHOOK_SECRET')];
const edgeSecret = digest(setting('EDGE_SECRET'));
const edges = setting('EDGE_ADDRESSES').split(',');

/** The customer of each name, in place of your database. */
const sites = new Map<string, string>();

const app = express();
app.set('trust proxy', edges);

app.use((request, response, next) => {
  if (!isFromEdge(request)) return next();
  const customer = sites.get(request.hostname);
  if (customer === undefined) return response.sendStatus(404);
  response.type('text').send(`The site of ${customer}, at ${request.hostname}, for ${request.ip}.\n`);
});

// The signature is that of the bytes, so nothing may parse them before.
app.post('/webhooks/nameplate', express.raw({ type: 'application/json' }), async (request, response) => {
  const event = await verifyWebhook({ body: request.body, headers: request.headers, secret: webhookSecret });
  if (event.type === 'domain.verified' || event.type === 'domain.deleted') {
    const { domain, externalId: customer = '' } = event.data;
    if (event.type === 'domain.verified') sites.set(domain.domain, customer);
    else if (sites.get(domain.domain) === customer) sites.delete(domain.domain);
  }
  response.sendStatus(204);
});

// A header says who is signed in: your own sign-in takes its place.
app.post('/domains', express.urlencoded(), async (request, response) => {
  const customer = request.get('X-Customer');
  if (customer === undefined) return response.sendStatus(401);
  const domain = String(request.body?.domain ?? '').toLowerCase();
  if (sites.get(domain) !== customer) {
    await nameplate.domains.createDomain({ environment, domain, externalId: customer, replaceUnverified: true });
    sites.set(domain, customer);
  }
  const { url } = await nameplate.domains.createSetupLink({ domain });
  response.redirect(303, url);
});

app.use((_, response) => response.sendStatus(403));

const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof UnverifiedWebhook) return response.sendStatus(400);
  if (error instanceof NameplateError && [400, 409].includes(error.status))
    return response.status(error.status).type('text').send(error.detail);
  console.error(error);
  response.sendStatus(500);
};
app.use(onError);
app.listen(Number(process.env.PORT ?? 4000), '127.0.0.1');

/** During a rotation the edge sends two secrets: "NEW, OLD". */
function isFromEdge(request: Request): boolean {
  const sent = (request.get('Nameplate-Edge-Secret') ?? '').split(', ');
  const isEdge = edges.includes(request.socket.remoteAddress ?? '');
  return isEdge && sent.some((secret) => timingSafeEqual(digest(secret), edgeSecret));
}

/** Digests are of one length, as a comparison in constant time needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}.`);
  return value;
}
