import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { START_LIMIT_MS } from '../support/debian.ts';
import { askRaw, extendedError } from './dns-packets.ts';
import { type Internet, startInternet } from './internet.ts';
import { dsData } from './registry.ts';
import { tamper, withExpiredSignatures } from './signed-zone.ts';

// The lab itself: tests that prove something by what a resolver refuses prove nothing where it refuses for another
// reason.

let internet: Internet;
beforeAll(async () => {
  internet = await startInternet();
}, START_LIMIT_MS);
afterAll(() => internet.close());

const resolve = (name: string, type: 'A' | 'TXT' = 'TXT') =>
  askRaw({ address: internet.resolver.address, port: internet.port, name, type, recursion: true });

describe('the internet of the tests', () => {
  test.each(['test', 'com', 'co.uk'])('a zone below %s is delegated by its parent', async (top) => {
    const [first] = internet.nameservers;
    const host = { host: `ns1.provider.${top}`, address: first.address };
    const { name } = await internet.registerName(`referral.${top}`, [host]);
    const response = await askRaw({ address: '127.53.0.4', port: internet.port, name: `www.${name}`, type: 'A' });
    expect(response).toMatchObject({ rcode: 'NOERROR', flag_aa: false, answers: [] });
    expect(response.authorities).toMatchObject([{ type: 'NS', name, data: host.host }]);
    expect(response.additionals?.filter(({ type }) => type === 'A')).toMatchObject([
      { name: host.host, data: host.address },
    ]);
  });

  async function signed(label: string) {
    const [first] = internet.nameservers;
    const zone = await internet.register(label);
    await zone.publish('@ TXT "signed"', [first], { signed: true });
    const serve = (content: string) => first.serve(zone.name, content);
    return { zone, serve, content: await first.readZone(zone.name), keys: await first.readKeys(zone.name) };
  }

  test('a signed zone is secure, one without DS is not, and nothing else', async () => {
    const { zone } = await signed('secure');
    await zone.secure();
    expect(await resolve(zone.name)).toMatchObject({ rcode: 'NOERROR', flag_ad: true });
    const island = await signed('island');
    expect(await resolve(island.zone.name)).toMatchObject({ rcode: 'NOERROR', flag_ad: false });
  });

  test('the resolver says why a record is bogus: changed (6), expired (7), other key (9)', async () => {
    const changed = await signed('changed');
    await changed.zone.secure();
    await changed.serve(tamper(changed.content, '"signed"', '"changed"'));
    const expired = await signed('expired');
    await expired.zone.secure();
    await expired.serve(withExpiredSignatures(expired.content, expired.keys));
    const other = await signed('other-key');
    const [first] = internet.nameservers;
    await other.zone.secure((await first.readDs(other.zone.name)).map((ds) => dsData(ds).replace(/.{8}$/, '00000000')));
    const responses = await Promise.all([changed, expired, other].map(({ zone }) => resolve(zone.name)));
    expect(responses.map((response) => extendedError(response))).toEqual([6, 7, 9]);
  });
});
