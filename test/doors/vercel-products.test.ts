import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addresses, cname, everywhere, txt } from '../support/observations.ts';
import { openVercelDoor, type VercelDoor } from './vercel-door.ts';

// Requests as products with published code send them, and the fields of responses that they decide by. They read the
// body before the status, take `error.code` for granted, and send some bodies without a type, and types without a body.

let door: VercelDoor;
let project: string;
beforeAll(async () => {
  door = await openVercelDoor();
  project = `/v9/projects/${door.tree.environmentId}`;
});
afterAll(() => door.api.close());

const JSON_TYPE = { headers: { 'content-type': 'application/json' } };
const TEAM = 'teamId=team_1';

describe('a link shortener (dub)', () => {
  const get = async (name: string) =>
    (await door.request('GET', `${project}/domains/${name}?${TEAM}`, undefined, JSON_TYPE)).body;
  const config = async (name: string) =>
    (await door.request('GET', `/v6/domains/${name}/config?${TEAM}`, undefined, JSON_TYPE)).body;

  /** Asks for a wildcard above a subdomain first, since that would serve it. */
  async function addDomain(name: string) {
    const wildcard = await get(`*.${name.split('.').slice(-2).join('.')}`);
    if (wildcard.verified) return wildcard;
    const path = `/v10/projects/${door.tree.environmentId}/domains?${TEAM}`;
    return (await door.request('POST', path, { name }, JSON_TYPE)).body;
  }

  /** The status that its dashboard shows. */
  async function statusOf(name: string): Promise<string> {
    const [domain, first] = await Promise.all([get(name), config(name)]);
    if (domain.error?.code === 'not_found') return 'Domain Not Found';
    if (domain.error) return 'Unknown Error';
    if (first.conflicts?.length > 0) return 'Conflicting DNS Records';
    if (domain.verified) return first.misconfigured ? 'Invalid Configuration' : 'Valid Configuration';
    const verification = (await door.request('POST', `${project}/domains/${name}/verify?${TEAM}`, undefined, JSON_TYPE))
      .body;
    if (!verification.verified) return 'Pending Verification';
    return (await config(name)).misconfigured ? 'Invalid Configuration' : 'Valid Configuration';
  }

  it('adds a domain, shows its TXT record, sees it verified, and removes it', async () => {
    const name = 'go.acme.com';
    expect(await statusOf(name)).toBe('Domain Not Found');
    const added = await addDomain(name);
    expect(added.error).toBeUndefined();
    expect((await addDomain(name)).error.code).toBe('domain_already_in_use');

    expect(await statusOf(name)).toBe('Pending Verification');
    const record = (await get(name)).verification.find(({ type }: { type: string }) => type === 'TXT');
    // As it is entered in the zone of the apex.
    expect(record.domain.slice(0, record.domain.length - added.apexName.length - 1)).toBe('_service.go');

    const [{ value }] = (await config(name)).recommendedCNAME;
    door.publish(name, { routing: everywhere(cname(value)) });
    const status = statusOf(name);
    await door.check(name);
    expect(await status).toBe('Valid Configuration');
    expect(await statusOf(name)).toBe('Valid Configuration');
    door.publish(name, { routing: everywhere(cname('old.example.net')) });
    expect(await statusOf(name)).toBe('Invalid Configuration');

    const removed = (await door.request('DELETE', `/v6/domains/${name}?${TEAM}`)).body;
    expect(removed.error).toBeUndefined();
    expect(await statusOf(name)).toBe('Domain Not Found');
  });

  it('sees an apex through its TXT and A records', async () => {
    const name = 'link-acme.com';
    const added = await addDomain(name);
    const { value } = added.verification.find(({ type }: { type: string }) => type === 'TXT');
    const [{ value: ipv4 }] = (await config(name)).recommendedIPv4;
    door.publish(name, { ownership: everywhere(txt(value)), routing: everywhere(addresses(...ipv4)) });
    await door.check(name);
    expect(await statusOf(name)).toBe('Valid Configuration');
    await door.request('DELETE', `${project}/domains/${name}?${TEAM}`);
    expect(await statusOf(name)).toBe('Domain Not Found');
  });
});

describe('a site builder (JesusFilm)', () => {
  const name = 'story.acme.com';
  const path = () => `${project}/domains/${name}?${TEAM}`;

  /** As its mutation does; it throws for every status and code that it does not know. */
  async function check() {
    const [config, domain] = await Promise.all([
      door.request('GET', `/v6/domains/${name}/config?${TEAM}`),
      door.request('GET', path()),
    ]);
    if (domain.status !== 200 || config.status !== 200) throw new Error('not handled');
    const verify = domain.body.verified
      ? null
      : await door.request('POST', `${project}/domains/${name}/verify?${TEAM}`);
    const known = ['existing_project_domain', 'missing_txt_record'];
    if (verify !== null && verify.status !== 200 && !known.includes(verify.body.error.code))
      throw new Error('not handled');
    const verified: boolean = domain.body.verified || verify?.body.verified === true;
    return { configured: !config.body.misconfigured, verified, verification: domain.body.verification };
  }

  it('adds a domain with a body of no type, checks it, and deletes it twice', async () => {
    const add = () => door.request('POST', `/v10/projects/${door.tree.environmentId}/domains?${TEAM}`, { name });
    expect(await add()).toMatchObject({ status: 200, body: { name, apexName: 'acme.com' } });
    expect(await add()).toMatchObject({ status: 400, body: { error: { code: expect.any(String) } } });
    expect(await check()).toMatchObject({
      configured: false,
      verified: false,
      verification: [{ type: 'TXT' }, { type: 'CNAME' }],
    });
    const stored = await door.api.store.findDomainByName(door.api.workspaceId, name);
    door.publish(name, { routing: everywhere(cname(stored?.target ?? '')) });
    await door.check(name);
    expect(await check()).toEqual({ configured: true, verified: true, verification: undefined });
    expect((await door.request('DELETE', path())).status).toBe(200);
    expect((await door.request('DELETE', path())).status).toBe(404);
  });
});
