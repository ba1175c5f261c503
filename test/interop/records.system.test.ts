import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Internet, startInternet } from './internet.ts';
import { createInterop, type InteropWorld, ownershipLine, routingLine, txtLine } from './world.ts';

const DAY_MS = 86_400_000;

let internet: Internet;
let world: InteropWorld;
beforeAll(async () => {
  internet = await startInternet();
}, START_LIMIT_MS);
afterAll(() => internet.close());
beforeEach(async () => {
  world = await createInterop(internet);
});
afterEach(() => world.close());

/** A zone of its own for each test, so that nothing is cached about it. */
async function subdomain(label: string) {
  const zone = await internet.register(label);
  return { zone, domain: await world.create(`api.${zone.name}`) };
}

async function apex(label: string) {
  const zone = await internet.register(label);
  return { zone, domain: await world.create(zone.name, { kind: 'apex' }) };
}

describe('published as handed out', () => {
  test('a subdomain is verified through its CNAME', async () => {
    const { zone, domain } = await subdomain('cname');
    await zone.publish('');
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', verificationError: null });
    await zone.publish(routingLine(domain));
    const verified = await world.check(domain);
    expect(verified).toMatchObject({ status: 'verified', ownershipVerifiedAt: null });
    expect(verified.routingVerifiedAt).not.toBe(null);
  });

  test('an apex is verified through its TXT record, beside the other records of an apex', async () => {
    const { zone, domain } = await apex('apex');
    const others = '@ A 192.0.2.1\n@ MX 10 mail\n@ TXT "v=spf1 -all"\n@ CAA 0 issue "ca.test"\nmail A 192.0.2.2';
    await zone.publish(others);
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', verificationError: null });
    await zone.publish(`${others}\n${ownershipLine(domain)}`);
    expect(await world.check(domain)).toMatchObject({ status: 'verified', routingVerifiedAt: null });
  });

  test.each([
    ['IPv4', 'A 192.0.2.7', '192.0.2.7'],
    ['IPv6', 'AAAA 2001:db8::7', '2001:db8::7'],
  ])('a proxied subdomain (%s addresses only) needs its TXT record', async (family, record, address) => {
    const { zone, domain } = await subdomain(`proxied-${family}`.toLowerCase());
    await zone.publish(`api ${record}`);
    expect((await world.check(domain)).verificationError).toContain(`has the address ${address}`);
    await zone.publish(`api ${record}\n${ownershipLine(domain)}`);
    expect(await world.check(domain)).toMatchObject({ status: 'verified', routingVerifiedAt: null });
  });

  test('a signed zone is read like any other', async () => {
    const { zone, domain } = await subdomain('signed');
    await zone.publish('', undefined, { signed: true });
    expect(await world.check(domain)).toMatchObject({ status: 'verifying', verificationError: null });
    await zone.publish(`${routingLine(domain)}\n${ownershipLine(domain)}`, undefined, { signed: true });
    const verified = await world.check(domain);
    expect(verified.status).toBe('verified');
    expect(verified.ownershipVerifiedAt).not.toBe(null);
  });
});

describe('TXT records', () => {
  test('the strings of one record are joined', async () => {
    const { zone, domain } = await apex('strings');
    const value = ownershipValue(domain);
    await zone.publish(txtLine(domain, value.slice(0, 5), '', value.slice(5, 20), value.slice(20)));
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('the strings of different records are not joined', async () => {
    const { zone, domain } = await apex('records');
    const value = ownershipValue(domain);
    await zone.publish([txtLine(domain, value.slice(0, 9)), txtLine(domain, value.slice(9))].join('\n'));
    expect((await world.check(domain)).status).toBe('verifying');
  });

  test('a CNAME at its name is followed', async () => {
    const { zone, domain } = await apex('txt-alias');
    await zone.publish(`${ownershipName(domain)}. CNAME elsewhere\nelsewhere TXT "${ownershipValue(domain)}"`);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('octets that are not text are escaped', async () => {
    const { zone, domain } = await apex('octets');
    await zone.publish(txtLine(domain, '\\000\\007\\255\\254\\226\\128\\174'));
    expect((await world.check(domain)).verificationError).toContain('has the value "\\u{0}\\u{7}��\\u{202e}".');
  });
});

describe('CNAMEs', () => {
  test('a DNAME is followed', async () => {
    const { zone } = await subdomain('dname');
    const domain = await world.create(`api.old.${zone.name}`);
    await zone.publish(`old DNAME new\napi.new CNAME ${domain.target}.`);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('a DNAME in a signed zone is followed', async () => {
    const { zone } = await subdomain('dname-signed');
    const domain = await world.create(`api.old.${zone.name}`);
    await zone.publish(`old DNAME new\napi.new CNAME ${domain.target}.`, undefined, { signed: true });
    await zone.secure();
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('a DNAME into another zone applies to the TXT record too', async () => {
    const [, other] = internet.nameservers;
    const { zone } = await subdomain('dname-from');
    const to = await internet.register('dname-to', [other]);
    const domain = await world.create(`api.old.${zone.name}`);
    await zone.publish(`old DNAME ${to.name}.`);
    await to.publish(`api A 192.0.2.7\n_service.api TXT "${ownershipValue(domain)}"`, [other]);
    const verified = await world.check(domain);
    expect(verified.ownershipVerifiedAt).not.toBe(null);
  });
});

describe('names', () => {
  test('a name that does not exist is distinguished from one without the record', async () => {
    const { zone, domain: missing } = await subdomain('absent');
    const between = await world.create(`b.${zone.name}`);
    await zone.publish('a.b A 192.0.2.1\na._service.b A 192.0.2.1');
    await world.check(missing);
    world.clock.pass(DAY_MS);
    // The check that sees the end first is not the last one.
    await world.check(missing);
    const failed = await world.check(missing);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(failed.verificationError).toContain('no CNAME record at api.absent.test. The name does not exist.');
    const { verificationError } = await world.read(between);
    expect(verificationError).toContain('no CNAME record at b.absent.test.');
  });
});
