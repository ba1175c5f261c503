import { expect, it } from 'vitest';
import { addressRule } from '../../net/addresses.ts';
import { createOriginAddresses } from './origin-addresses.ts';

/** A lookup whose result can be changed, and that counts. */
function changing(...first: string[]) {
  const lookedUp: string[] = [];
  const found = { addresses: first, fails: false };
  const lookUp = async (hostname: string) => {
    lookedUp.push(hostname);
    if (found.fails) throw new Error('SERVFAIL');
    return found.addresses;
  };
  return { found, lookedUp, lookUp };
}

const mayDial = addressRule(['10.0.0.0/8']);

it('returns the first address that may be connected to, with the port', async () => {
  const { lookUp } = changing('192.168.0.1', '203.0.114.7', '203.0.114.8');
  const find = createOriginAddresses({ mayDial, lookUp });
  expect(await find('http://origin.example')).toBe('203.0.114.7:80');
  expect(await find('http://origin.example:8080')).toBe('203.0.114.7:8080');
  expect(await find('http://10.0.0.1:3000')).toBe('10.0.0.1:3000');
  expect(await find('http://[2606:4700::1]:3000')).toBe('[2606:4700::1]:3000');
});

it('returns no address that is not allowed, however it is written', async () => {
  const { lookUp } = changing('127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1');
  const find = createOriginAddresses({ mayDial, lookUp });
  const hosts = [
    'origin.example',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ];
  for (const host of hosts) expect(await find(`http://${host}:80`)).toBeNull();
});

it('leaves origins with TLS to the edge, which verifies their certificates', async () => {
  const { lookUp, lookedUp } = changing('203.0.114.7');
  const find = createOriginAddresses({ mayDial, lookUp });
  expect(await find('https://origin.example')).toBeNull();
  expect(lookedUp).toEqual([]);
});

it('looks a name up once for all who ask at once, and again after five seconds', async () => {
  let now = 1000;
  const { lookUp, lookedUp, found } = changing('203.0.114.7');
  const find = createOriginAddresses({ mayDial, lookUp, now: () => now });
  const all = await Promise.all(Array.from({ length: 10 }, () => find('http://origin.example')));
  expect(new Set(all)).toEqual(new Set(['203.0.114.7:80']));
  expect(lookedUp).toHaveLength(1);
  // The name now leads to a private address.
  found.addresses = ['127.0.0.1'];
  now = 5000;
  expect(await find('http://origin.example')).toBe('203.0.114.7:80');
  now = 7000;
  expect(await find('http://origin.example')).toBeNull();
});

it('returns nothing for a name that cannot be looked up, until it can', async () => {
  let now = 1000;
  const { lookUp, found } = changing('203.0.114.7');
  found.fails = true;
  const find = createOriginAddresses({ mayDial, lookUp, now: () => now });
  expect(await find('http://origin.example')).toBeNull();
  found.fails = false;
  now = 7000;
  expect(await find('http://origin.example')).toBe('203.0.114.7:80');
});
