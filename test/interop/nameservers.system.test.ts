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
