// A platform whose customers bring their own domains: docs/guides/stacks/hono.md.
import { createHash, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { createClient, NameplateError } from '@nameplate/client';
import { UnverifiedWebhook, verifyWebhook } from '@nameplate/client/webhooks';
import { type Context, Hono } from 'hono';

const nameplate = createClient({ baseUrl: setting('NAMEPLATE_URL'), rootKey: setting('NAMEPLATE_ROOT_KEY') });
const [environment, webhookSecret] = [setting('ENVIRONMENT_ID'), setting('WEBHOOK_SECRET')];
const edgeSecret = digest(setting('EDGE_SECRET'));
const edges = setting('EDGE_ADDRESSES').split(',');

/** The customer of each name, in place of your database. */
const sites = new Map<string, string>();

const app = new Hono();

app.use(async (c, next) => {
  if (!isFromEdge(c)) return next();
  const { hostname } = new URL(c.req.url);
  const customer = sites.get(hostname);
  if (customer === undefined) return c.notFound();
  return c.text(`The site of ${customer}, at ${hostname}, for ${c.req.header('X-Real-IP')}.\n`);
});

app.post('/webhooks/nameplate', async (c) => {
  // The signature is that of the text as it came.
  const event = await verifyWebhook({ body: await c.req.text(), headers: c.req.raw.headers, secret: webhookSecret });
  if (event.type === 'domain.verified' || event.type === 'domain.deleted') {
    const { domain, externalId: customer = '' } = event.data;
    if (event.type === 'domain.verified') sites.set(domain.domain, customer);
    else if (sites.get(domain.domain) === customer) sites.delete(domain.domain);
  }
  return c.body(null, 204);
});

// A header says who is signed in: your own sign-in takes its place.
app.post('/domains', async (c) => {
  const customer = c.req.header('X-Customer');
  if (customer === undefined) return c.text('Sign in first.', 401);
  const domain = String((await c.req.parseBody()).domain ?? '').toLowerCase();
  if (sites.get(domain) !== customer) {
    await nameplate.domains.createDomain({ environment, domain, externalId: customer, replaceUnverified: true });
    sites.set(domain, customer);
  }
  const { url } = await nameplate.domains.createSetupLink({ domain });
  return c.redirect(url, 303);
});

app.all('*', (c) => c.text('Forbidden', 403));

app.onError((error, c) => {
  if (error instanceof UnverifiedWebhook) return c.body(null, 400);
  if (error instanceof NameplateError && (error.status === 400 || error.status === 409))
    return c.text(error.detail, error.status);
  console.error(error);
  return c.body(null, 500);
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 4000) });

/** During a rotation the edge sends two secrets: "NEW, OLD". */
function isFromEdge(c: Context): boolean {
  const sent = (c.req.header('Nameplate-Edge-Secret') ?? '').split(', ');
  const isEdge = edges.includes(getConnInfo(c).remote.address ?? '');
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
