import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startApi, type Tree } from '../support/api-harness.ts';
import { FETCH_LIMIT_MS, npmPackages } from '../support/npm-packages.ts';

/** The part of the vendor's client that these tests use. */
interface Client {
  customHostnames: {
    create(params: object, options?: object): Promise<Hostname>;
    list(params: object): Promise<{ result: Hostname[] }> & AsyncIterable<Hostname>;
    get(id: string, params: object): Promise<Hostname>;
    edit(id: string, params: object): Promise<Hostname>;
    delete(id: string, params: object): Promise<{ id: string }>;
    fallbackOrigin: { get(params: object): Promise<{ origin: string }> };
  };
  user: { tokens: { verify(): Promise<{ status: string }> } };
  zones: { get(params: object): Promise<{ id: string }> };
}

interface Hostname {
  id: string;
  hostname: string;
  created_at: string;
  custom_metadata?: Record<string, string>;
  ssl: { status: string; settings: object; dcv_delegation_records?: object[] };
  verification_errors?: string[];
}

type ErrorClass = new (...args: never[]) => Error;
interface Sdk {
  default: (new (
    options: object,
  ) => Client) &
    Record<'NotFoundError' | 'ConflictError' | 'AuthenticationError', ErrorClass>;
}

const VERSION = '7.3.0';

let sdk: string;
let api: Harness;
let tree: Tree;
let Cloudflare: Sdk['default'];
let client: Client;
let zone_id: string;

beforeAll(async () => {
  sdk = npmPackages(`cloudflare-${VERSION}`, [`cloudflare@${VERSION}`], 'cloudflare/index.mjs');
  ({ default: Cloudflare } = (await import(sdk)) as Sdk);
  api = await startApi({ settings: { challengeZone: 'acme.platform.test' } });
  tree = await api.createTree();
  zone_id = tree.environmentId;
  client = connect();
}, FETCH_LIMIT_MS);
afterAll(() => api.close());

function connect(more: object = {}): Client {
  return new Cloudflare({
    baseURL: `${api.url}/compat/cloudflare/client/v4`,
    apiToken: api.rootKey,
    maxRetries: 0,
    ...more,
  });
}

describe("the vendor's own client, unchanged but for its base URL and token", () => {
  it('creates, gets, edits and deletes a custom hostname', async () => {
    const custom_metadata = { plan: 'pro' };
    const ssl = { method: 'http', type: 'dv', settings: { min_tls_version: '1.2' } };
    const created = await client.customHostnames.create({ zone_id, hostname: 'sdk.acme.com', custom_metadata, ssl });
    expect(created).toMatchObject({ hostname: 'sdk.acme.com', custom_metadata, status: 'pending' });
    expect(await client.customHostnames.get(created.id, { zone_id })).toEqual(created);
    const edited = await client.customHostnames.edit(created.id, { zone_id, custom_metadata: { plan: 'free' }, ssl });
    expect(edited).toMatchObject({ id: created.id, custom_metadata: { plan: 'free' } });
    expect(await client.customHostnames.delete(created.id, { zone_id })).toMatchObject({ id: created.id });
  });

  it('reads every page of a list, and its filters', async () => {
    const made: string[] = [];
    for (let at = 0; at < 13; at += 1) {
      made.push(`page${at}.pages.com`);
      await client.customHostnames.create({ zone_id, hostname: `page${at}.pages.com` });
    }
    const seen: string[] = [];
    for await (const { hostname } of client.customHostnames.list({ zone_id, per_page: 5 })) seen.push(hostname);
    expect(seen).toEqual(made);
    const found = await client.customHostnames.list({ zone_id, hostname: { contain: 'age1' } });
    expect(found.result.map(({ hostname }) => hostname)).toEqual(made.filter((name) => name.includes('age1')));
  });

  it('throws its own classes of errors', async () => {
    await client.customHostnames.create({ zone_id, hostname: 'twice.acme.com' });
    const again = client.customHostnames.create({ zone_id, hostname: 'twice.acme.com' });
    await expect(again).rejects.toBeInstanceOf(Cloudflare.ConflictError);
    await expect(again).rejects.toMatchObject({ status: 409, errors: [{ code: 1406 }] });
    const missing = client.customHostnames.get('dom_00000000000000000000000000', { zone_id });
    await expect(missing).rejects.toBeInstanceOf(Cloudflare.NotFoundError);
    const stranger = connect({ apiToken: 'np_wrong' });
    await expect(stranger.user.tokens.verify()).rejects.toBeInstanceOf(Cloudflare.AuthenticationError);
  });

  it('waits for the time in Retry-After when it is limited, and creates then', async () => {
    const rates = { 'domains.createDomain': { limit: 1, windowMs: 1000 } };
    const { id: workspaceId } = await api.createWorkspace({ limits: { rates, domains: null } });
    const { key } = await api.createKey({ workspaceId });
    const { environmentId } = await api.createTree('limited', key);
    const statuses: number[] = [];
    const limited = connect({
      apiToken: key,
      maxRetries: 1,
      fetch: async (...request: Parameters<typeof fetch>) => {
        const response = await fetch(...request);
        statuses.push(response.status);
        // The time that the client waits: the clock of the server is the test's.
        if (response.status === 429) api.clock.advance(1000);
        return response;
      },
    });
    for (const hostname of ['a.limited.com', 'b.limited.com'])
      await limited.customHostnames.create({ zone_id: environmentId, hostname });
    expect(statuses).toEqual([201, 429, 201]);
  });

  it('verifies its token, and reads the zone and its fallback origin', async () => {
    await api.call('deployments.createDeployment', { environment: zone_id, origin: 'https://origin.example.net' });
    expect(await client.user.tokens.verify()).toMatchObject({ status: 'active' });
    expect(await client.zones.get({ zone_id })).toMatchObject({ id: zone_id });
    expect(await client.customHostnames.fallbackOrigin.get({ zone_id })).toMatchObject({
      origin: 'origin.example.net',
    });
  });

  it('has no field of custom hostnames that docs/reference/compat-cloudflare.md does not name', () => {
    const types = readFileSync(new URL('resources/custom-hostnames/custom-hostnames.d.ts', sdk), 'utf8');
    const page = readFileSync(new URL('../../docs/reference/compat-cloudflare.md', import.meta.url), 'utf8');
    const fields = new Set([...types.matchAll(/^ +(?:readonly )?(\w+)\??: (?!readonly)/gm)].map(([, field]) => field));
    expect(fields.size).toBeGreaterThan(40);
    const isNamed = (field = '') => new RegExp(`\\b${field}\\b`).test(page);
    const ours = ['zone_id', 'fallbackOrigin', 'certificatePack', 'quota', '_key', 'contain', 'exact', 'startsWith'];
    expect([...fields].filter((field = '') => !ours.includes(field) && !isNamed(field))).toEqual([]);
  });
});
