import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseAt, keyringFor } from '../../server/src/store/database.ts';
import { parseDatabaseUrl } from '../../server/src/store/url.ts';
import { runInProcess } from '../support/command-in-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'nameplate-connect-'));
const url = `sqlite:${join(directory, 'nameplate.db')}`;
const env = {
  NO_COLOR: '1',
  NAMEPLATE_DATABASE_URL: url,
  NAMEPLATE_CNAME_ZONE: 'cname.platform.net',
  NAMEPLATE_SERVICE: 'acme',
  NAMEPLATE_PUBLIC_URL: 'https://api.platform.net',
  NAMEPLATE_DOMAIN_CONNECT_PROVIDER: 'platform.net',
};
const NAMES = ['--provider-name', 'Acme', '--service-name', 'Acme Shops'];
const nameplate = (more: object, ...args: string[]) => runInProcess(args, { ...env, ...more });
const json = async (more: object, ...args: string[]) => JSON.parse((await nameplate(more, ...args, '--json')).stdout);
const storedKeys = async () => {
  const database = await databaseAt(parseDatabaseUrl(url));
  const store = await database.open({ keyring: keyringFor(database, undefined) });
  const keys = await store.listConnectKeys();
  await store.close();
  return keys;
};

beforeAll(async () => {
  await nameplate({}, 'migrate');
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('nameplate domain-connect', () => {
  it('makes one key, however often the templates are printed, and seals it', async () => {
    const first = await json({}, 'domain-connect', 'template', ...NAMES);
    expect(await json({}, 'domain-connect', 'template', ...NAMES)).toEqual(first);
    const [key, ...others] = await storedKeys();
    expect(others).toEqual([]);
    const { name, type, values } = first.record;
    expect({ name, type }).toEqual({ name: `_${key?.id.replace('_', '-')}.platform.net`, type: 'TXT' });
    const data = values.map((value: string) => value.replace(/^p=\d,a=RS256,d=/, '')).join('');
    expect(Buffer.from(data, 'base64')).toEqual(Buffer.from(key?.publicKey ?? []));
    for (const value of values) expect(value.length).toBeLessThanOrEqual(255);
    const file = readFileSync(join(directory, 'nameplate.db'));
    expect(file.includes(Buffer.from(key?.privateKey ?? []).subarray(-32))).toBe(false);
    const entries: { action: string }[] = (await json({}, 'audit')).entries;
    expect(entries.filter(({ action }) => action.startsWith('domain-connect'))).toMatchObject([
      { action: 'domain-connect template', target: key?.id },
    ]);
  });

  it('has a template for each kind of name that can be connected', async () => {
    const kinds = async (more: object) => {
      const { templates } = await json(more, 'domain-connect', 'template', ...NAMES);
      return templates.map(({ template }: { template: Record<string, unknown> }) => [
        template.serviceId,
        template.hostRequired,
        (template.records as { host: string; type: string }[]).map(({ host, type }) => `${host} ${type}`),
      ]);
    };
    const subdomain = ['custom-domains', true, ['@ CNAME', '_acme TXT']];
    expect(await kinds({})).toEqual([subdomain]);
    const edge = { NAMEPLATE_EDGE_ADDRESSES: '192.0.2.7,2001:db8::7', NAMEPLATE_CHALLENGE_ZONE: 'ch.platform.net' };
    expect(await kinds(edge)).toEqual([
      subdomain,
      ['custom-domains-apex', false, ['@ A', '@ AAAA', '_acme TXT']],
      ['custom-domains-wildcard', false, ['* CNAME', '_acme TXT', '_acme-challenge CNAME']],
    ]);
    const wildcard = ['custom-domains-wildcard', false, ['* CNAME', '_acme TXT']];
    expect(await kinds({ NAMEPLATE_CNAME_ZONE_DELEGATED: 'on' })).toEqual([subdomain, wildcard]);
  });

  it('writes each template under the name that the public repository wants', async () => {
    const output = mkdtempSync(join(directory, 'templates-'));
    const more = ['--logo', 'https://platform.net/logo.svg', '--redirect-domain', 'app.platform.net'];
    await nameplate({}, 'domain-connect', 'template', ...NAMES, ...more, '--output', output);
    expect(readdirSync(output)).toEqual(['platform.net.custom-domains.json']);
    expect(JSON.parse(readFileSync(join(output, 'platform.net.custom-domains.json'), 'utf8'))).toMatchObject({
      providerId: 'platform.net',
      providerName: 'Acme',
      serviceName: 'Acme Shops',
      version: 1,
      logoUrl: 'https://platform.net/logo.svg',
      syncPubKeyDomain: 'platform.net',
      syncRedirectDomain: 'api.platform.net,app.platform.net',
    });
  });

  it('keeps the newest ten keys', async () => {
    const names: string[] = [];
    for (let i = 0; i < 10; i += 1) names.push((await json({}, 'domain-connect', 'rotate-key')).record.name);
    const kept = (await storedKeys()).map(({ id }) => `_${id.replace('_', '-')}.platform.net`);
    expect(kept).toEqual(names.reverse());
  });

  it('says which setting is missing', async () => {
    const { code, stderr } = await nameplate(
      { NAMEPLATE_DOMAIN_CONNECT_PROVIDER: undefined },
      'domain-connect',
      'rotate-key',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('NAMEPLATE_DOMAIN_CONNECT_PROVIDER is not set.');
  });
});
