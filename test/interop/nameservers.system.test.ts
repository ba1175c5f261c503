import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Internet, startInternet, type Zone } from './internet.ts';
import type { Nameserver } from './knot.ts';
import { type MiddleboxOptions, startMiddlebox } from './middlebox.ts';
import {
  checkThrice,
  createInterop,
  type InteropOptions,
  type InteropWorld,
  ownershipLine,
  routingLine,
  txtLine,
} from './world.ts';

let internet: Internet;
let world: InteropWorld;
let first: Nameserver;
let second: Nameserver;
beforeAll(async () => {
  internet = await startInternet();
  [first, second] = internet.nameservers;
}, START_LIMIT_MS);
afterAll(() => internet.close());

const opened: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  // Short timeouts for silent servers: these are on loopback.
  world = await open({ triesMs: [200, 400] });
});
afterEach(async () => {
  for (const nameserver of internet.nameservers) nameserver.resume();
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(options?: InteropOptions): Promise<InteropWorld> {
  const one = await createInterop(internet, options);
  opened.push(one);
  return one;
}

const apex = (zone: Zone) => world.create(zone.name, { kind: 'apex' });

/** In front of the first nameserver. */
async function middlebox(options: Omit<MiddleboxOptions, 'port' | 'to'>) {
  const box = await startMiddlebox(internet.spareHost(), { port: internet.port, to: first.address, ...options });
  opened.push(box);
  return box;
}

describe('one of two nameservers', () => {
  test('is stale: not verified, the same message from every check, verified when it catches up', async () => {
    const zone = await internet.register('stale', [first, second]);
    const domain = await apex(zone);
    await zone.publish('', [second]);
    await zone.publish(ownershipLine(domain), [first]);
    const told: (string | null)[] = [];
    // Each check starts with one of the two at random; both cases are needed.
    for (let checks = 0; checks < 30; checks++) {
      const { status, verificationError } = await world.check(domain);
      expect(status).toBe('verifying');
      told.push(verificationError);
    }
    // No message until a check asks the one with the record.
    expect([...new Set(told.slice(told.findIndex((each) => each !== null)))]).toEqual([
      `The nameservers of stale.test do not agree on the TXT record at _service.stale.test: ${first.host} has it, ${second.host} does not. ${second.host} answers no record. If you have just changed it, wait a few minutes. Otherwise publish the same at all of them, or remove those that differ. Name: \`_service\`, Value: \`service-domain-verify=Token1\`.`,
    ]);
    await zone.publish(ownershipLine(domain), [second]);
    expect(await world.check(domain)).toMatchObject({ status: 'verified', verificationError: null });
  });

  test('has another value: not verified, and the message has both values', async () => {
    const zone = await internet.register('split', [first, second]);
    const domain = await world.create(`api.${zone.name}`);
    await zone.publish('api CNAME old.platform.test.', [second]);
    await zone.publish(routingLine(domain), [first]);
    const told = new Set<string | null>();
    for (let checks = 0; checks < 30; checks++) told.add((await world.check(domain)).verificationError);
    expect((await world.read(domain)).status).toBe('verifying');
    expect([...told].join('\n')).toContain(`${second.host} answers a CNAME to "old.platform.test"`);
  });

  test('is stopped: the other answers for the zone', async () => {
    // The resolver also needs some time to find the one that responds.
    world = await open();
    const zone = await internet.register('stopped', [first, second]);
    const domain = await apex(zone);
    await zone.publish(ownershipLine(domain), [first, second]);
    second.pause();
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('does not serve the zone: the other answers for it', async () => {
    const zone = await internet.register('half-lame', [first, second]);
    const domain = await apex(zone);
    await zone.publish(ownershipLine(domain), [first]);
    expect((await world.check(domain)).status).toBe('verified');
  });
});

describe('a zone that cannot be read is reported after the third check, and verified once it can be', () => {
  /** The zone has been read before, so that its nameservers are cached. */
  async function known(label: string, host = first as { host: string; address: string }) {
    const zone = await internet.register(label, [host]);
    const domain = await world.create(`api.${zone.name}`);
    await zone.publish(`${ownershipLine(domain)}\napi CNAME old.platform.test.`);
    expect(await world.check(domain)).toMatchObject({ ownershipVerifiedAt: world.clock.now() });
    return { zone, domain };
  }

  test.each([
    ['SERVFAIL, because it cannot be loaded', 'servfail', 'answers with a failure (SERVFAIL)'],
    ['REFUSED, because it was removed', 'refused', 'refuses to answer (REFUSED)'],
    ['no answer', 'silent', 'does not answer in time'],
  ])('%s', async (_title, fault, words) => {
    const { zone, domain } = await known(fault);
    const ownershipVerifiedAt = world.clock.now();
    if (fault === 'servfail') await first.serve(zone.name, null);
    if (fault === 'refused') await first.drop(zone.name);
    if (fault === 'silent') first.pause();
    const told = await checkThrice(world, domain);
    expect(told.verificationError).toContain(`${first.host} ${words}`);
    // The flags still show the last readable check.
    expect(told).toMatchObject({ status: 'verifying', ownershipVerifiedAt });
    first.resume();
    await zone.publish(routingLine(domain));
    await internet.resolver.forget(zone.name);
    expect(await world.check(domain)).toMatchObject({ status: 'verified', verificationError: null });
  });

  test('lame: the nameserver answers, without authority', async () => {
    let authoritative = true;
    const withoutAa = (answer: Buffer) => {
      if (!authoritative) answer.writeUInt8(answer.readUInt8(2) & ~0x04, 2);
      return answer;
    };
    const box = await middlebox({ change: withoutAa });
    const { zone, domain } = await known('lame', box);
    authoritative = false;
    await zone.publish(routingLine(domain));
    const told = await checkThrice(world, domain);
    expect(told.verificationError).toContain(`${box.host} does not serve the zone`);
    expect(told.status).toBe('verifying');
    authoritative = true;
    await internet.resolver.forget(zone.name);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('lame from the beginning: no nameserver serves the zone, and the message names the one that refuses', async () => {
    const zone = await internet.register('lame-from-start');
    const domain = await apex(zone);
    expect((await checkThrice(world, domain)).verificationError).toBe(
      `The zone lame-from-start.test could not be read: ${first.host} refuses to answer (REFUSED). Create the zone lame-from-start.test at that DNS provider, or set the nameservers of the provider that has it, at the registrar of lame-from-start.test.`,
    );
    await zone.publish(ownershipLine(domain));
    await internet.resolver.forget(zone.name);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('where a CNAME points into a zone that no nameserver serves: the message names its target', async () => {
    await internet.register('broken');
    const zone = await internet.register('leads-to-broken');
    const domain = await world.create(`api.${zone.name}`);
    await zone.publish('api CNAME lb.broken.test.');
    expect((await checkThrice(world, domain)).verificationError).toBe(
      `api.leads-to-broken.test is a CNAME to "lb.broken.test", which could not be read: ${first.host} refuses to answer (REFUSED). In the DNS settings of leads-to-broken.test, change the CNAME record. Name: \`api\`, Value: \`${domain.target}\`.`,
    );
    await zone.publish(routingLine(domain));
    expect((await world.check(domain)).status).toBe('verified');
  });
});

describe('responses that do not fit into a packet', () => {
  const big = Array.from({ length: 40 }, (_, index) => `${'x'.repeat(100)}${index}`);

  test('come over TCP', async () => {
    const box = await middlebox({});
    const zone = await internet.register('big', [box]);
    const domain = await apex(zone);
    await zone.publish([...big.map((text) => txtLine(domain, text)), ownershipLine(domain)].join('\n'));
    expect((await world.check(domain)).status).toBe('verified');
    expect(box.connections()).toBeGreaterThanOrEqual(2);
  });

  test('come over TCP, where a nameserver truncates every UDP response', async () => {
    const zone = await internet.register('tcp-only');
    const domain = await world.create(`api.${zone.name}`);
    await zone.publish(routingLine(domain), [first], { tcpOnly: true });
    expect((await world.check(domain)).status).toBe('verified');
  });

  test.each(['refuse', 'silent'] as const)('cannot be read where TCP is blocked (%s)', async (tcp) => {
    const box = await middlebox({ tcp });
    const zone = await internet.register(`tcp-${tcp}`, [box]);
    const domain = await apex(zone);
    await zone.publish([...big.map((text) => txtLine(domain, text)), ownershipLine(domain)].join('\n'));
    const { status, verificationError } = await checkThrice(world, domain);
    expect(status).toBe('verifying');
    expect(verificationError).toContain(`${box.host} does not answer over TCP`);
  });
});

describe('a nameserver whose TCP is blocked', () => {
  test.each(['refuse', 'silent'] as const)('has its zone verified in the first check (%s)', async (tcp) => {
    const zone = await internet.register(`verified-${tcp}`, [await middlebox({ tcp }), second]);
    const domain = await world.create(`api.${zone.name}`);
    await zone.publish(routingLine(domain), [first, second]);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test.each(['refuse', 'silent'] as const)('has it verified where it is the only one (%s)', async (tcp) => {
    const zone = await internet.register(`alone-${tcp}`, [await middlebox({ tcp })]);
    const domain = await apex(zone);
    await zone.publish(ownershipLine(domain));
    expect((await world.check(domain)).status).toBe('verified');
  });
});

describe('a nameserver without EDNS', () => {
  const hasEdns = (query: Buffer) => query.readUInt16BE(10) > 0;

  test('that answers FORMERR is queried without', async () => {
    const formerr = (query: Buffer) => {
      const answer = Buffer.from(query);
      answer.writeUInt16BE(0x8001, 2);
      return answer;
    };
    const box = await middlebox({ treat: (query) => (hasEdns(query) ? formerr(query) : 'pass') });
    const zone = await internet.register('edns-formerr', [box]);
    const domain = await apex(zone);
    await zone.publish(ownershipLine(domain));
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('that does not respond cannot be read, as by any resolver since 2019', async () => {
    const box = await middlebox({ treat: (query) => (hasEdns(query) ? 'drop' : 'pass') });
    const zone = await internet.register('edns-drop', [box]);
    const domain = await apex(zone);
    await zone.publish(ownershipLine(domain));
    const { status, verificationError } = await checkThrice(world, domain);
    expect(status).toBe('verifying');
    expect(verificationError).toContain('could not be read');
  });
});

describe('a nameserver that only the resolver can reach', () => {
  test('is replaced by the resolver', async () => {
    const box = await middlebox({ treat: (_query, from) => (from === internet.resolver.address ? 'pass' : 'drop') });
    const zone = await internet.register('firewall', [box]);
    const domain = await apex(zone);
    await zone.publish(ownershipLine(domain));
    expect((await world.check(domain)).status).toBe('verified');
  });
});
