import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Simulator } from '../../playground/dns/simulator.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { createWorld, type World } from '../support/dns-world.ts';
import { timelineOf } from '../support/entities.ts';

const DAY_MS = 86_400_000;

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

describe('from pending to verified', () => {
  test('a subdomain is verified through its CNAME alone, with route, wanted certificate and event in one step', async () => {
    const domain = await world.create('api.acme.com');
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', verificationError: null });
    expect(await world.store.findSite('api.acme.com')).toBe(null);

    world.publish(domain, 'routing');
    const verified = await world.check(domain);
    expect(verified).toMatchObject({ status: 'verified', ownershipVerifiedAt: null, verifiedAt: world.clock.now() });
    expect(verified.routingVerifiedAt).not.toBe(null);
    expect(await world.store.findSite('api.acme.com')).toMatchObject({
      hostname: 'api.acme.com',
      domainId: domain.id,
      environmentId: domain.environmentId,
    });
    expect(await world.store.findCertificate('api.acme.com')).toMatchObject({ state: 'wanted' });
    const types = (await timelineOf(world.store, domain)).map((event) => event.type);
    expect(types).toEqual(['domain.created', 'record.seen', 'domain.verified']);
  });

  test('an apex is verified through its TXT record; its ALIAS stays unverified', async () => {
    world.dns.set('target1.cname.nameplate.test', 'A', ['192.0.2.10']);
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.publish(domain, 'routing');
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', routingVerifiedAt: null });
    world.publish(domain, 'ownership');
    const verified = await world.check(domain);
    expect(verified).toMatchObject({ status: 'verified', routingVerifiedAt: null });
    expect(verified.ownershipVerifiedAt).not.toBe(null);
  });

  test('a proxied subdomain (addresses only) needs its TXT record, and its routing record stays unverified', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'A', ['192.0.2.7']);
    expect((await world.check(domain)).verificationError).toContain('has the address 192.0.2.7, not a CNAME record');
    world.publish(domain, 'ownership');
    expect(await world.check(domain)).toMatchObject({
      status: 'verified',
      routingVerifiedAt: null,
      verificationError: null,
    });
  });

  test('one matching record among several TXT records is enough', async () => {
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.dns.set(ownershipName(domain), 'TXT', ['v=spf1 -all', ownershipValue(domain), 'x'.repeat(600)]);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('the target may be reached over several CNAMEs, in other zones too', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'CNAME', ['hop.other.example']);
    world.dns.set('hop.other.example', 'CNAME', [domain.target]);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('the value of a CNAME is compared without case, that of a TXT byte for byte', async () => {
    const routed = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'CNAME', [routed.target.toUpperCase()]);
    expect((await world.check(routed)).status).toBe('verified');

    const owned = await world.create('acme.com', { kind: 'apex' });
    world.dns.set(ownershipName(owned), 'TXT', [ownershipValue(owned).toLowerCase()]);
    expect(await world.check(owned)).toMatchObject({ status: 'verifying', ownershipVerifiedAt: null });
  });

  test('the first check is due at once, and verifyDomain makes one due at once', async () => {
    const domain = await world.create('api.acme.com');
    expect(await world.verifier.runOnce()).toBe(1);
    world.publish(domain);
    expect(await world.verifier.runOnce()).toBe(0);
    expect(await world.store.retryVerification('ws_1', domain.id, world.clock.now(), DAY_MS)).toBe('accepted');
    expect(await world.verifier.runOnce()).toBe(1);
    expect((await world.read(domain)).status).toBe('verified');
  });

  test('checks of a verified domain stop', async () => {
    const domain = await world.create('api.acme.com');
    world.publish(domain);
    await world.check(domain);
    expect(await world.store.earliestDueAt()).toBe(null);
  });
});

describe('a mistake', () => {
  const told = async ({ workspaceId, id }: Domain) =>
    (await world.store.listDomainEvents(workspaceId, id, { limit: 50 })).items.filter(
      ({ type }) => type === 'diagnosis.changed',
    );

  test('is told once, with the record to change and its value, before it is corrected', async () => {
    const domain = await world.create('api.acme.com');
    await world.check(domain);
    expect(await told(domain)).toEqual([]);
    world.dns.set('api.acme.com', 'CNAME', ['typo.acme.com']);
    await world.check(domain);
    await world.check(domain);
    const events = await told(domain);
    expect(events).toHaveLength(1);
    const action = { kind: 'change', zone: 'acme.com', type: 'CNAME', name: 'api.acme.com', value: domain.target };
    const [mistake] = events[0]?.data.findings ?? [];
    expect(mistake).toMatchObject({ severity: 'blocking', record: 'routing', seen: ['typo.acme.com'], action });
    expect(events[0]?.data.verificationError).toContain(mistake?.message);
    world.dns.set('api.acme.com', 'CNAME', [domain.target]);
    expect((await world.check(domain)).status).toBe('verified');
    expect(await told(domain)).toHaveLength(1);
  });
});

describe('the queries of a check in the steady state', () => {
  /** The queries of the fifth check, as `name type`: the first three look around, and the delegation is cached. */
  async function queriesOf(domain: Domain): Promise<string[]> {
    for (let i = 0; i < 4; i++) await world.check(domain);
    const before = world.dns.log().length;
    await world.store.retryVerification('ws_1', domain.id, world.clock.now(), DAY_MS);
    expect(await world.verifier.runOnce()).toBe(1);
    const queries = world.dns.log().slice(before);
    return queries.map(({ name, type }) => `${name} ${type}`).toSorted();
  }

  const BOTH = ['_service.api.acme.com TXT', 'api.acme.com A'];

  test('are two while nothing is published', async () => {
    expect(await queriesOf(await world.create('api.acme.com'))).toEqual(BOTH);
  });

  test('are two while both records have wrong values', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'A', ['192.0.2.7']);
    world.dns.set('_service.api.acme.com', 'TXT', ['wrong']);
    expect(await queriesOf(domain)).toEqual(BOTH);
  });

  test('are two while the TXT record is there, and the CNAME leads elsewhere', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'CNAME', ['www.acme.com']);
    world.dns.set('www.acme.com', 'A', ['192.0.2.7']);
    world.publish(domain, 'ownership');
    expect(await queriesOf(domain)).toEqual(BOTH);
  });

  test('are two of an apex whose address is the only record', async () => {
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.dns.set('acme.com', 'A', ['192.0.2.7']);
    expect(await queriesOf(domain)).toEqual(['_service.acme.com TXT', 'acme.com A']);
  });
});

describe('verificationError names', () => {
  test('a wrong TXT value, until it is right', async () => {
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.dns.set('_service.acme.com', 'TXT', ['service-domain-verify=wrong']);
    expect((await world.check(domain)).verificationError).toBe(
      `The TXT record at _service.acme.com has the value "service-domain-verify=wrong". Character 23 is "w" instead of "T". In the DNS settings of acme.com, change the TXT record. Name: \`_service\`, Value: \`${ownershipValue(domain)}\`.`,
    );
    world.publish(domain, 'ownership');
    expect(await world.check(domain)).toMatchObject({ status: 'verified', verificationError: null });
  });

  test('the domain whose TXT value was published, only if it is of the same workspace', async () => {
    const [mine, other] = ['Zt4mQ8rV1xKc7NwLb2YpH5sJ', 'Aa1Bb2Cc3Dd4Ee5Ff6Gg7Hh8'];
    const domain = await world.create('acme.com', { kind: 'apex', token: mine });
    const blog = await world.create('blog.acme.com', { token: other });
    const foreign = await world.create('foreign.com', { token: 'x'.repeat(24), workspaceId: 'ws_2' });
    world.publish(blog, 'ownership');
    world.dns.set('_service.acme.com', 'TXT', [ownershipValue(blog)]);
    expect((await world.check(domain)).verificationError).toBe(
      `The TXT record at _service.acme.com has the value "${ownershipValue(blog)}". That is the value of blog.acme.com. In the DNS settings of acme.com, change the TXT record. Name: \`_service\`, Value: \`${ownershipValue(domain)}\`.`,
    );
    world.dns.set('_service.acme.com', 'TXT', [ownershipValue(foreign)]);
    const { verificationError } = await world.check(domain);
    expect(verificationError).toContain('It looks like the value of another domain');
    expect(verificationError).not.toContain('foreign.com');
  });

  test('a CNAME to another host', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'CNAME', ['old.example.net']);
    expect((await world.check(domain)).verificationError).toBe(
      `api.acme.com is a CNAME to "old.example.net". That host does not exist. It has to lead to ${domain.target}. In the DNS settings of acme.com, change the CNAME record. Name: \`api\`, Value: \`${domain.target}\`.`,
    );
  });

  test('records below a doubled zone', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('_service.api.acme.com.acme.com', 'TXT', [ownershipValue(domain)]);
    world.dns.set('api.acme.com.acme.com', 'CNAME', [domain.target]);
    const { verificationError } = await world.check(domain);
    expect(verificationError).toContain('The CNAME record is at api.acme.com.acme.com');
    expect(verificationError).toContain('The TXT record is at _service.api.acme.com.acme.com');
  });

  test('only the ownership record below a doubled zone', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('_service.api.acme.com.acme.com', 'TXT', [ownershipValue(domain)]);
    expect((await world.check(domain)).verificationError).toContain(
      'The TXT record is at _service.api.acme.com.acme.com',
    );
  });

  test("a zone that cannot be read, after the third check, and never as the record's absence", async () => {
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.dns.fail('_service.acme.com', 'servfail');
    expect((await world.check(domain)).verificationError).toBe(null);
    expect((await world.check(domain)).verificationError).toBe(null);
    expect((await world.check(domain)).verificationError).toContain(
      'A failure (SERVFAIL) came from ns1.simulator.test.',
    );
    world.dns.unfail('_service.acme.com');
    world.publish(domain, 'ownership');
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('the target of a CNAME that cannot be read, not the record itself', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'CNAME', ['www.acme.com']);
    world.dns.set('www.acme.com', 'CNAME', ['lb.broken.example']);
    world.dns.fail('lb.broken.example', 'servfail');
    for (let i = 0; i < 2; i++) await world.check(domain);
    expect((await world.check(domain)).verificationError).toMatch(
      /^api\.acme\.com is a CNAME to "www\.acme\.com" → "lb\.broken\.example"\. That host could not be read\. .*\(SERVFAIL\) .*\..* Value: `target1\.cname/,
    );
  });

  test('a CNAME loop', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com', 'CNAME', ['b.acme.com']);
    world.dns.set('b.acme.com', 'CNAME', ['api.acme.com']);
    for (let i = 0; i < 2; i++) await world.check(domain);
    expect((await world.check(domain)).verificationError).toContain(
      'lead in a circle. Each leads to the next: api.acme.com → "b.acme.com" → "api.acme.com".',
    );
  });
});

describe('nameservers', () => {
  /** Adds nameservers at further addresses. */
  async function nameservers(...hosts: string[]): Promise<Simulator[]> {
    const servers = [world.dns, ...(await Promise.all(hosts.map((host) => world.server(host))))];
    for (const server of servers) {
      server.setZone(
        'acme.com',
        servers.map((_, index) => `ns${index + 1}.acme.com`),
      );
      for (const [index, { address }] of servers.entries()) server.set(`ns${index + 1}.acme.com`, 'A', [address]);
    }
    return servers.slice(1);
  }

  /** The distinct messages of consecutive checks, which start with a random nameserver. */
  async function toldInTurn(domain: Domain, checks = 25): Promise<(string | null)[]> {
    const told: (string | null)[] = [null];
    for (let i = 0; i < checks; i++) {
      const { status, verificationError } = await world.check(domain);
      expect(status).toBe('verifying');
      if (verificationError !== told.at(-1)) told.push(verificationError);
    }
    return told;
  }

  test('one of two is stale: not verified, the same message from every check, verified when it catches up', async () => {
    const [second] = await nameservers('127.0.0.2');
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.publish(domain, 'ownership');
    expect(await toldInTurn(domain)).toEqual([
      null,
      `The nameservers of acme.com do not agree on the TXT record at _service.acme.com. ns1.acme.com has it, and ns2.acme.com does not. ns2.acme.com answers: no record. If you have just changed it, wait a few minutes. Otherwise publish the same at all of them, or remove those that differ. Name: \`_service\`, Value: \`${ownershipValue(domain)}\`.`,
    ]);
    world.publish(domain, 'ownership', second);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('one of two still has the old CNAME: the same message from every check after the first that finds it', async () => {
    const [second] = await nameservers('127.0.0.2');
    const domain = await world.create('api.acme.com');
    world.publish(domain, 'routing');
    second?.set('api.acme.com', 'CNAME', ['old.example.net']);
    const told = await toldInTurn(domain);
    const old = `api.acme.com is a CNAME to "old.example.net". That host does not exist. It has to lead to ${domain.target}. In the DNS settings of acme.com, change the CNAME record. Name: \`api\`, Value: \`${domain.target}\`.`;
    expect(told.filter((each) => each !== old)).toEqual([
      null,
      `The nameservers of acme.com do not agree on the CNAME record at api.acme.com. ns1.acme.com has it, and ns2.acme.com does not. ns2.acme.com answers: a CNAME to "old.example.net". If you have just changed it, wait a few minutes. Otherwise publish the same at all of them, or remove those that differ. Name: \`api\`, Value: \`${domain.target}\`.`,
    ]);
    expect(told.indexOf(old)).toBeLessThan(2);
  });

  test('two of three are stale: all are asked, so that every check reports the same', async () => {
    await nameservers('127.0.0.2', '127.0.0.3');
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.publish(domain, 'ownership');
    expect(await toldInTurn(domain)).toEqual([
      null,
      `The nameservers of acme.com do not agree on the TXT record at _service.acme.com. ns1.acme.com has it, and ns2.acme.com does not. ns2.acme.com answers: no record. ns3.acme.com answers: no record. If you have just changed it, wait a few minutes. Otherwise publish the same at all of them, or remove those that differ. Name: \`_service\`, Value: \`${ownershipValue(domain)}\`.`,
    ]);
  });

  test('a disagreement is over as soon as the record is gone from all of them', async () => {
    await nameservers('127.0.0.2');
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.publish(domain, 'ownership');
    expect((await toldInTurn(domain)).at(-1)).toContain('do not agree');
    world.dns.remove(ownershipName(domain));
    expect((await world.check(domain)).verificationError).toBe(null);
  });

  test('one of two is down: the other answers for the zone', async () => {
    const [second] = await nameservers('127.0.0.2');
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.publish(domain, 'ownership');
    second?.fail('_service.acme.com', 'timeout');
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('an NXDOMAIN of the resolver never hides a record of the nameservers', async () => {
    await world.close();
    world = await createWorld({ resolver: '127.0.0.3' });
    const resolver = await world.server('127.0.0.3');
    resolver.setZone('acme.com', ['ns1.provider.example']);
    resolver.set('ns1.provider.example', 'A', ['127.0.0.1']);
    world.dns.setZone('acme.com', ['ns1.provider.example']);
    const domain = await world.create('acme.com', { kind: 'apex' });
    world.publish(domain, 'ownership');
    expect((await world.check(domain)).status).toBe('verified');
    expect(resolver.list().some(({ type }) => type === 'TXT')).toBe(false);
  });
});

describe('the window', () => {
  test('24 hours after createdAt, to the millisecond, a domain without its records fails, and checks stop', async () => {
    const domain = await world.create('api.acme.com');
    await world.verifier.runOnce();
    world.clock.pass(DAY_MS - 1);
    await world.verifier.runOnce();
    expect((await world.read(domain)).status).toBe('verifying');
    expect(await world.store.earliestDueAt()).toBe(domain.createdAt + DAY_MS);
    world.clock.pass(1);
    expect(await world.verifier.runOnce()).toBe(1);
    const failed = await world.read(domain);
    expect(failed).toMatchObject({ status: 'failed', updatedAt: domain.createdAt + DAY_MS });
    expect(failed.verificationError).toMatch(
      /^Not verified within 24 hours\. There is no CNAME record at api\.acme\.com/,
    );
    expect(await world.store.earliestDueAt()).toBe(null);
  });

  test('a domain without checks for days is checked before it fails', async () => {
    const domain = await world.create('api.acme.com');
    world.publish(domain);
    world.clock.pass(3 * DAY_MS);
    await world.verifier.runOnce();
    expect((await world.read(domain)).status).toBe('verified');
  });

  test('from failed, verifyDomain begins a new window with the same records', async () => {
    const domain = await world.create('api.acme.com');
    await world.check(domain);
    world.clock.pass(DAY_MS);
    await world.check(domain);
    const failed = await world.check(domain);
    expect(failed.status).toBe('failed');
    await world.store.retryVerification('ws_1', domain.id, world.clock.now(), DAY_MS);
    const { target, token, createdAt } = domain;
    const kept = { target, token, createdAt, verificationError: failed.verificationError };
    expect(await world.read(domain)).toMatchObject({ ...kept, status: 'pending', windowStartedAt: world.clock.now() });
    world.publish(domain);
    await world.verifier.runOnce();
    expect((await world.read(domain)).status).toBe('verified');
  });
});

describe('two workspaces that claim one name', () => {
  test('the first to verify holds it; a claimant takes over only after the first is gone, in two checks', async () => {
    const first = await world.create('api.acme.com');
    world.publish(first);
    expect((await world.check(first)).status).toBe('verified');

    world.clock.pass(1);
    const second = await world.create('api.acme.com', { workspaceId: 'ws_2' });
    world.dns.set(ownershipName(second), 'TXT', [ownershipValue(first), ownershipValue(second)]);
    expect((await world.check(second)).verificationError).toContain(`Value: \`${second.target}\``);
    world.publish(second, 'routing');
    world.dns.set(ownershipName(second), 'TXT', [ownershipValue(first), ownershipValue(second)]);
    expect((await world.check(second)).verificationError).toContain('Its records are still in place.');

    world.dns.set(ownershipName(second), 'TXT', [ownershipValue(second)]);
    expect(await world.check(second)).toMatchObject({ status: 'verifying', verificationError: null });
    expect((await world.check(second)).status).toBe('verified');
    const loser = await world.read(first);
    expect(loser).toMatchObject({ status: 'failed', verifiedAt: null });
    expect(loser.verificationError).toContain('Another account of this service proved that it owns api.acme.com');
    expect(await world.store.findSite('api.acme.com')).toMatchObject({ domainId: second.id });
    expect((await timelineOf(world.store, first)).at(-1)?.type).toBe('domain.superseded');
  });

  test('the error of a claim older than the incumbent advises to delete and add the domain again', async () => {
    const older = await world.create('api.acme.com', { workspaceId: 'ws_2' });
    const first = await world.create('api.acme.com');
    world.publish(first);
    expect((await world.check(first)).status).toBe('verified');
    world.publish(older);
    await world.check(older);
    expect((await world.check(older)).verificationError).toContain('delete the domain, add it again');
    expect((await world.read(first)).status).toBe('verified');
  });
});

describe('in the steady state', () => {
  /** The distinct errors of the checks after the third, each tenth of which looks at everything. */
  async function told(domain: Domain): Promise<Set<string | null>> {
    for (let i = 0; i < 3; i++) await world.check(domain);
    const errors = new Set<string | null>();
    for (let i = 0; i < 18; i++) errors.add((await world.check(domain)).verificationError);
    return errors;
  }

  test('every check reports a record below a doubled zone, not only those that look for it', async () => {
    const domain = await world.create('api.acme.com');
    world.dns.set('api.acme.com.acme.com', 'CNAME', [domain.target]);
    const errors = await told(domain);
    expect([...errors]).toEqual([expect.stringContaining('api.acme.com.acme.com')]);
  });

  test('every check reports nameservers that fail in different ways in the same words', async () => {
    for (const host of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      const server = await world.server(host);
      server.fail('_service.acme.com', host === '127.0.0.2' ? 'refused' : 'servfail');
    }
    world.dns.fail('_service.acme.com', 'lame');
    const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
    world.dns.setZone(
      'acme.com',
      hosts.map((_, i) => `ns${i + 1}.acme.com`),
    );
    for (const [i, host] of hosts.entries()) world.dns.set(`ns${i + 1}.acme.com`, 'A', [host]);
    const errors = await told(await world.create('acme.com', { kind: 'apex' }));
    expect(errors.size).toBe(1);
    expect([...errors][0]).not.toBe(null);
  });
});
