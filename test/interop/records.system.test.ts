import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ownershipName, ownershipValue } from '../../src/domain/records.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Internet, startInternet } from './internet.ts';
import { checkThrice, createInterop, type InteropWorld, ownershipLine, routingLine, txtLine } from './world.ts';

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

  test('upper-case letters in names change nothing; in the TXT value they do', async () => {
    const { zone, domain } = await subdomain('upper-case');
    await zone.publish(routingLine(domain).toUpperCase());
    expect((await world.check(domain)).status).toBe('verified');

    const owned = await apex('upper-case-value');
    await owned.zone.publish(txtLine(owned.domain, ownershipValue(owned.domain).toUpperCase()));
    expect((await world.check(owned.domain)).status).toBe('verifying');
    const name = ownershipName(owned.domain).toUpperCase();
    await owned.zone.publish(`${name}. TXT "${ownershipValue(owned.domain)}"`);
    expect((await world.check(owned.domain)).status).toBe('verified');
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

  test('one matching record among several is enough', async () => {
    const { zone, domain } = await apex('several');
    const others = [txtLine(domain, 'v=spf1 -all'), txtLine(domain, 'x'.repeat(255), 'y'.repeat(255))];
    await zone.publish(others.join('\n'));
    expect((await world.check(domain)).verificationError).toContain('have the values');
    await zone.publish([...others, ownershipLine(domain)].join('\n'));
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('a CNAME at its name is followed', async () => {
    const { zone, domain } = await apex('txt-alias');
    await zone.publish(`${ownershipName(domain)}. CNAME elsewhere\nelsewhere TXT "${ownershipValue(domain)}"`);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('a wrong value is reported beside the right one, until it is right', async () => {
    const { zone, domain } = await apex('wrong');
    await zone.publish(txtLine(domain, 'service-domain-verify=wrong'));
    expect((await world.check(domain)).verificationError).toBe(
      `The TXT record at _service.wrong.test has the value "service-domain-verify=wrong", in which character 23 is "w" instead of "T". In the DNS settings of wrong.test, change the TXT record. Name: \`_service\`, Value: \`${ownershipValue(domain)}\`.`,
    );
    await zone.publish(ownershipLine(domain));
    expect(await world.check(domain)).toMatchObject({ status: 'verified', verificationError: null });
  });

  test('quotation marks that a DNS provider kept are reported', async () => {
    const { zone, domain } = await apex('quoted');
    await zone.publish(txtLine(domain, `\\"${ownershipValue(domain)}\\"`));
    expect((await world.check(domain)).verificationError).toContain('with quotation marks that do not belong to it');
  });

  test('octets that are not text are escaped', async () => {
    const { zone, domain } = await apex('octets');
    await zone.publish(txtLine(domain, '\\000\\007\\255\\254\\226\\128\\174'));
    expect((await world.check(domain)).verificationError).toContain('has the value "\\u{0}\\u{7}��\\u{202e}".');
  });
});

describe('CNAMEs', () => {
  test('the target may be reached over several CNAMEs in the zone', async () => {
    const { zone, domain } = await subdomain('chain');
    await zone.publish(`api CNAME b\nb CNAME c.d\nc.d CNAME ${domain.target}.`);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('the target may be reached through zones of other providers, and a break in the chain is reported', async () => {
    const [, other] = internet.nameservers;
    const { zone, domain } = await subdomain('across');
    const middle = await internet.register('across-middle', [other]);
    const last = await internet.register('across-last');
    await zone.publish(`api CNAME hop.${middle.name}.`);
    await middle.publish(`hop CNAME hop.${last.name}.`, [other]);
    await last.publish('');
    expect((await world.check(domain)).verificationError).toContain(
      `api.across.test is a CNAME to "hop.${middle.name}" → "hop.${last.name}", which does not exist.`,
    );
    await last.publish(`hop CNAME ${domain.target}.`);
    expect((await world.check(domain)).status).toBe('verified');
  });

  test('a CNAME to another host is reported', async () => {
    const { zone, domain } = await subdomain('elsewhere');
    await zone.publish('api CNAME old.platform.test.');
    expect((await world.check(domain)).verificationError).toBe(
      `api.elsewhere.test is a CNAME to "old.platform.test", which does not exist. It has to lead to ${domain.target}. In the DNS settings of elsewhere.test, change the CNAME record. Name: \`api\`, Value: \`${domain.target}\`.`,
    );
  });

  test('a loop, in one zone or through two, is reported', async () => {
    const [first, other] = internet.nameservers;
    const one = await subdomain('loop');
    await one.zone.publish('api CNAME b\nb CNAME c\nc CNAME b');
    const two = await subdomain('loop-two');
    const back = await internet.register('loop-back', [other]);
    await two.zone.publish(`api CNAME back.${back.name}.`, [first]);
    await back.publish(`back CNAME ${two.domain.name}.`, [other]);
    await checkThrice(world, one.domain);
    for (const { domain } of [one, two]) {
      const { status, verificationError } = await world.read(domain);
      expect(status).toBe('verifying');
      expect(verificationError).toContain('lead in a circle');
    }
    expect((await world.read(one.domain)).verificationError).toContain(
      'api.loop.test → "b.loop.test" → "c.loop.test" → "b.loop.test".',
    );
  });

  test('eight CNAMEs are followed, nine are reported', async () => {
    const { zone, domain } = await subdomain('long');
    const steps = (count: number) =>
      Array.from({ length: count }, (_, step) => `${step === 0 ? 'api' : `s${step}`} CNAME s${step + 1}`).join('\n');
    await zone.publish(`${steps(8)}\ns8 CNAME ${domain.target}.`);
    expect((await checkThrice(world, domain)).verificationError).toContain('more than 8 CNAME records');
    await zone.publish(`${steps(7)}\ns7 CNAME ${domain.target}.`);
    expect((await world.check(domain)).status).toBe('verified');
  });

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
  test('a wildcard verifies the domain of its target, and no other below it', async () => {
    const { zone, domain } = await subdomain('wildcard');
    const other = await world.create(`shop.${zone.name}`);
    await zone.publish(`* CNAME ${domain.target}.`);
    expect((await world.check(domain)).status).toBe('verified');
    const { status, verificationError } = await world.read(other);
    expect(status).toBe('verifying');
    expect(verificationError).toContain(`Value: \`${other.target}\``);
  });

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
    expect(failed.verificationError).toContain('no CNAME record at api.absent.test: the name does not exist.');
    const { verificationError } = await world.read(between);
    expect(verificationError).toContain('no CNAME record at b.absent.test.');
  });

  test('records below a doubled zone are found', async () => {
    const { zone, domain } = await subdomain('doubled');
    await zone.publish(
      `api.${zone.name} CNAME ${domain.target}.\n_service.api.${zone.name} TXT "${ownershipValue(domain)}"`,
    );
    const { status, verificationError } = await world.check(domain);
    expect(status).toBe('verifying');
    expect(verificationError).toContain('The CNAME record is at api.doubled.test.doubled.test');
    expect(verificationError).toContain('The TXT record is at _service.api.doubled.test.doubled.test.');
  });

  test('an unregistered domain is told to be registered, and verified once it is', async () => {
    const domain = await world.create('api.later.test');
    const { status, verificationError } = await world.check(domain);
    expect(status).toBe('verifying');
    expect(verificationError).toContain('The domain later.test does not exist');
    const zone = await internet.register('later');
    await zone.publish(routingLine(domain));
    // The resolver may cache for an hour that the zone does not exist.
    await internet.resolver.forget('later.test');
    expect((await world.check(domain)).status).toBe('verified');
  });
});
