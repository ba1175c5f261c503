import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { type Harness, startApi } from '../support/api-harness.ts';
import { verifiedAt } from '../support/entities.ts';

// The calls that Twenty, an open-source CRM, makes for the custom domains of its workspaces, and the fields it reads.

let api: Harness;
let zone: string;

beforeAll(async () => {
  api = await startApi();
  zone = (await api.createTree()).environmentId;
});
afterAll(() => api.close());

const SSL = {
  method: 'txt',
  type: 'dv',
  settings: {
    http2: 'on',
    min_tls_version: '1.2',
    tls_1_3: 'on',
    ciphers: ['ECDHE-RSA-AES128-GCM-SHA256', 'AES128-SHA'],
    early_hints: 'on',
  },
  bundle_method: 'ubiquitous',
  wildcard: false,
};

interface Hostname {
  id: string;
  hostname: string;
  created_at: string;
  verification_errors?: string[];
  ssl: { status: string };
}

async function send<Result>(method: string, suffix = '', body?: object): Promise<Result> {
  const headers = { authorization: `Bearer ${api.rootKey}`, 'content-type': 'application/json' };
  const url = `${api.url}/compat/cloudflare/client/v4/zones/${zone}/custom_hostnames${suffix}`;
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { success, result } = (await response.json()) as { success: boolean; result: Result };
  expect(success).toBe(true);
  return result;
}

const find = (hostname: string) => send<Hostname[]>('GET', `?hostname=${hostname}`);
const create = (hostname: string) => send<Hostname>('POST', '', { hostname, ssl: SSL });

/** As the product decides what its page says. */
function redirection({ verification_errors }: Hostname): 'error' | 'success' {
  return verification_errors?.[0] === 'custom hostname does not CNAME to this zone.' ? 'error' : 'success';
}

describe("a product's calls for custom domains", () => {
  it('register a hostname that is not there, refresh it until it works, and change it for another', async () => {
    expect(await find('crm.acme.com')).toEqual([]);
    const { id } = await create('crm.acme.com');
    const [waiting, ...others] = (await find('crm.acme.com')) as [Hostname];
    expect(others).toEqual([]);
    expect({ id: waiting.id, redirection: redirection(waiting) }).toEqual({ id, redirection: 'error' });
    expect(waiting.ssl.status).toMatch(/^pending/);
    expect(Date.parse(waiting.created_at)).toBe(api.clock.now());

    await send('PATCH', `/${id}`, { ssl: SSL });
    const before = await api.store.findDomainById(api.workspaceId, id);
    if (before === null) throw new Error('it was not created');
    const now = api.clock.now();
    await api.store.saveTransition({ before, after: verifiedAt(before, now), memory: NO_MEMORY, now });
    await send('PATCH', `/${id}`, { ssl: SSL });
    const [working] = (await find('crm.acme.com')) as [Hostname];
    expect(redirection(working)).toBe('success');

    await send('DELETE', `/${id}`);
    await create('sales.acme.com');
    expect(await find('crm.acme.com')).toEqual([]);
    expect(await find('sales.acme.com')).toHaveLength(1);
  });
});
