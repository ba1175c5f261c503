import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GRANTS, dataOf } from '../support/api-harness.ts';
import { addresses, cname, everywhere } from '../support/observations.ts';
import { openVercelDoor, type VercelDoor } from './vercel-door.ts';

const HOST = 'customers.platform.net';
const ADDRESS = '198.51.100.7';
const WITHOUT = ALL_GRANTS.filter((grant) => !grant.endsWith('.use_shared_target'));

let door: VercelDoor;
let environment: string;
let withoutUse: string;
beforeAll(async () => {
  door = await openVercelDoor();
  environment = door.tree.environmentId;
  const { store, workspaceId } = door.api;
  await store.addSharedTarget({ host: HOST, workspaceId, addresses: [ADDRESS], createdAt: 5 });
  const rival = (await door.api.createWorkspace()).id;
  await store.addSharedTarget({ host: 'customers.rival.net', workspaceId: rival, addresses: [], createdAt: 5 });
  withoutUse = (await door.api.createKey({ permissions: WITHOUT })).key;
});
afterAll(() => door.api.close());

interface Shown {
  cloudflare: { type: string; value: string }[];
  vercel: { verification: { type: string; value: string }[]; recommendedCNAME: object[]; recommendedIPv4: object[] };
}

/** Attaches a name through each door, and has what the door shows of its records. */
async function attach(name: string, key = door.api.rootKey): Promise<Shown> {
  const url = `${door.api.url}/compat/cloudflare/client/v4/zones/${environment}/custom_hostnames`;
  const headers = { authorization: `Bearer ${key}` };
  const body = JSON.stringify({ hostname: `one-${name}` });
  const { result } = (await (await fetch(url, { method: 'POST', headers, body })).json()) as {
    result: { nameplate: { dns_records: Shown['cloudflare'] } };
  };
  const path = `/v10/projects/${environment}/domains`;
  const added = await door.request('POST', path, { name: `two-${name}` }, { key });
  const { body: config } = await door.request('GET', `/v6/domains/two-${name}/config`, undefined, { key });
  return { cloudflare: result.nameplate.dns_records, vercel: { ...config, verification: added.body.verification } };
}

/** The value of the routing record, as each door shows it. */
function targetsOf({ cloudflare, vercel }: Shown): unknown[] {
  const challenge = vercel.verification.find(({ type }) => type === 'CNAME');
  return [cloudflare[0]?.value, challenge?.value, vercel.recommendedCNAME];
}

describe('the target of a new domain, through each door', () => {
  it('is the shared target of the workspace, where there is exactly one and the key may use it', async () => {
    expect(targetsOf(await attach('shared.acme.com'))).toEqual([HOST, HOST, [{ rank: 1, value: HOST }]]);
  });

  it('of an apex comes with the addresses of the shared target, which verify it', async () => {
    const { vercel } = await attach('shared.com');
    expect(vercel.recommendedIPv4).toEqual([{ rank: 1, value: [ADDRESS] }]);
    door.publish('two-shared.com', { routing: everywhere(addresses(ADDRESS)) });
    await door.check('two-shared.com');
    const { body } = await door.request('GET', `/v9/projects/${environment}/domains/two-shared.com`);
    expect(body.verified).toBe(true);
    expect((await door.request('GET', '/v6/domains/two-shared.com/config')).body).toMatchObject({
      configuredBy: 'A',
      misconfigured: false,
    });
  });

  it('verifies a name that leads there already, at the first check', async () => {
    await attach('early.acme.com');
    door.publish('two-early.acme.com', { routing: everywhere(cname(HOST)) });
    const verified = door.request('POST', `/v9/projects/${environment}/domains/two-early.acme.com/verify`);
    await door.check('two-early.acme.com');
    expect((await verified).body).toMatchObject({ verified: true });
  });

  it('is one of its own for a key that may not use the shared one', async () => {
    const targets = targetsOf(await attach('plain.acme.com', withoutUse));
    for (const each of targets) expect(JSON.stringify(each)).toContain('.cname.platform.test');
  });

  it('is one of its own where the workspace has two', async () => {
    const { store, workspaceId, call } = door.api;
    await store.addSharedTarget({ host: 'more.platform.net', workspaceId, addresses: [], createdAt: 6 });
    expect(dataOf<object[]>(await call('targets.listTargets', {}))).toHaveLength(2);
    for (const each of targetsOf(await attach('two.acme.com')))
      expect(JSON.stringify(each)).toContain('.cname.platform.test');
  });
});
