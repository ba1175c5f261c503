import { describe, expect, test } from 'vitest';
import { addressRule, canonicalAddress, isPublic, unmappedAddress } from './addresses.ts';

describe('special addresses', () => {
  test.each([
    ['unspecified', '0.0.0.0', '0.255.255.255', '::'],
    ['loopback', '127.0.0.1', '127.255.255.255', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
    ['link-local, where clouds keep their metadata', '169.254.169.254', 'fe80::1', 'febf::1', 'fd00:ec2::254'],
    [
      'public by the registries, and a host or an internal service inside a cloud',
      '168.63.129.16',
      '192.80.8.124',
      '161.26.0.10',
      '166.9.250.1',
      '166.11.255.255',
      '183.60.83.19',
      '183.60.82.98',
      '64:ff9b::a83f:8110',
    ],
    ['special, with the metadata of a cloud', '100.100.100.200', '192.0.0.192', '169.254.0.23', '169.254.42.42'],
    ['the same over IPv6', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:a9fe:a9fe::1', 'fd00:42::42', 'fe80::a9fe:a9fe'],
    ['shared by carriers', '100.64.0.1', '100.127.255.255'],
    ['for documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['for benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['for protocols', '192.0.0.1', '192.0.0.170', '2001::1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['reserved and broadcast', '240.0.0.1', '255.255.255.255', '4000::1', 'e000::1'],
    ['6to4 and Teredo', '192.88.99.1', '2002:7f00:1::', '2002:808:808::1', '2001:0:1::1'],
    ['ORCHID', '2001:10::1', '2001:20::1'],
    ['site-local', 'fec0::1'],
    ['IPv4 mapped into IPv6', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
    ['IPv4 compatible with IPv6', '::127.0.0.1', '::808:808'],
    [
      'translated from a special IPv4 address',
      '64:ff9b::7f00:1',
      '64:ff9b::10.0.0.1',
      '64:ff9b::',
      '64:ff9b::1',
      '64:ff9b::a9fe:a9fe',
    ],
    ['translated locally', '64:ff9b:1::808:808', '64:ff9b:1:7f00:1::'],
    ['discarded', '100::1'],
    ['no address', '', 'acme.com', '1.2.3', '8.8.8.8/32', '2620:fe::fe%eth0', '010.0.0.1'],
  ])('%s', (_, ...addresses) => {
    expect(addresses.filter((address) => isPublic(address))).toEqual([]);
  });

  test('differ from their neighbours', () => {
    const neighbours = ['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'];
    neighbours.push(
      '169.253.0.1',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.0.1',
      '198.17.0.1',
      '198.20.0.1',
      '223.255.255.255',
    );
    neighbours.push('168.63.129.15', '168.63.129.17', '161.25.255.255', '161.27.0.0', '166.7.255.255', '166.12.0.0');
    neighbours.push(
      '8.8.8.8',
      '2001:4860:4860::8888',
      '2620:fe::fe',
      '2a00::1',
      '64:ff9b::808:808',
      '64:ff9b::8.8.8.8',
    );
    expect(neighbours.filter((address) => !isPublic(address))).toEqual([]);
  });
});

describe('configured networks', () => {
  test('make their own special addresses askable, and no others', () => {
    const mayAsk = addressRule(['127.0.0.0/8', 'fd00::/8', '10.1.2.3']);
    expect(mayAsk('127.0.0.2')).toBe(true);
    expect(mayAsk('fd12::1')).toBe(true);
    expect(mayAsk('10.1.2.3')).toBe(true);
    expect(mayAsk('10.1.2.4')).toBe(false);
    expect(mayAsk('169.254.169.254')).toBe(false);
    expect(mayAsk('8.8.8.8')).toBe(true);
  });

  test.each(['10.0.0.0/33', '10.0.0/8', 'acme.com', '', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/-1'])(
    '"%s" is refused',
    (network) => {
      expect(() => addressRule([network])).toThrow(`"${network}" is not a network`);
    },
  );
});

test('an address has one text form', () => {
  expect(canonicalAddress('2001:DB8:0:0:0:0:0:1')).toBe('2001:db8::1');
  expect(canonicalAddress('192.0.2.1')).toBe('192.0.2.1');
  expect(canonicalAddress('fe80::1%eth0')).toBeNull();
  expect(canonicalAddress('acme.com')).toBeNull();
});

test('the address of a peer is IPv4 also on an IPv6 socket', () => {
  expect(['::ffff:192.0.2.1', '::FFFF:192.0.2.1', '192.0.2.1', '2001:db8::1', undefined].map(unmappedAddress)).toEqual([
    '192.0.2.1',
    '192.0.2.1',
    '192.0.2.1',
    '2001:db8::1',
    '',
  ]);
});
