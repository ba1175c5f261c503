import { describe, expect, it } from 'vitest';
import { domainName, readDestination } from './authority.ts';

const http1 = (url: string, ...rawHeaders: string[]) =>
  readDestination({ httpVersionMajor: 1, method: 'GET', url, rawHeaders });
const http2 = (url: string, ...rawHeaders: string[]) =>
  readDestination({ httpVersionMajor: 2, method: 'GET', url, rawHeaders });

describe('the destination of a request', () => {
  it.each([
    ['example.com'],
    ['EXAMPLE.com'],
    ['example.com.'],
    ['example.com:443'],
    ['example.com:'],
    ['example.com.:8443'],
  ])('is the host without case, port and final dot: %s', (host) => {
    expect(http1('/a?b', 'Host', host)).toEqual({ hostname: 'example.com', path: '/a?b' });
    expect(http2('/a?b', ':authority', host)).toEqual({ hostname: 'example.com', path: '/a?b' });
  });

  it.each([
    ['127.0.0.1'],
    ['[::1]:443'],
    ['localhost'],
    ['a..b'],
    [`${'a'.repeat(64)}.com`],
    [`${'a.'.repeat(127)}aaa`],
    ['a.b.%41'],
    ['1.2.3.4.5'],
    ['a.b.5:65535'],
  ])('is no name of ours, and well-formed all the same: %s', (host) => {
    expect(http1('/', 'Host', host)).toEqual({ hostname: null, path: '/' });
  });

  it.each([
    ['is missing', []],
    ['is there twice', ['Host', 'a.com', 'host', 'a.com']],
    ['holds a user', ['Host', 'user@a.com']],
    ['holds a path', ['Host', 'a.com/b']],
    ['holds two', ['Host', 'a.com, b.com']],
    ['holds a space', ['Host', 'a.com b']],
    ['holds a backslash', ['Host', 'a.com\\b']],
    ['has no number for a port', ['Host', 'a.com:http']],
    ['has a long number for a port', ['Host', 'a.com:123456']],
    ['has a port beyond all ports', ['Host', 'a.com:65536']],
    ['is empty', ['Host', '']],
    ['is a port only', ['Host', ':443']],
  ])('is refused when the host %s', (_, rawHeaders) => {
    expect(http1('/', ...rawHeaders)).toBeNull();
    expect(http1('http://a.com/', ...rawHeaders)).toBeNull();
  });

  it('of a target in absolute form is the target, whatever Host is (RFC 9112 section 3.2.2)', () => {
    expect(http1('http://a.com/b?c', 'Host', 'other.com')).toEqual({ hostname: 'a.com', path: '/b?c' });
    expect(http1('HTTPS://A.com:8443', 'Host', 'a.com')).toEqual({ hostname: 'a.com', path: '/' });
    expect(http1('http://a.com?b', 'Host', 'a.com')).toEqual({ hostname: 'a.com', path: '/?b' });
  });

  it.each([
    ['ftp://a.com/'],
    ['http:///b'],
    ['http://u@a.com/'],
    ['http://a.com:65536/'],
    ['http://a.com/#b'],
    ['a.com:443'],
    ['/#b'],
    ['/a?b#c'],
    ['b'],
    ['*'],
    [''],
  ])('is refused when the target is %s', (url) => {
    expect(http1(url, 'Host', 'a.com')).toBeNull();
    expect(http2(url, ':authority', 'a.com')).toBeNull();
  });

  it('may be the server itself for OPTIONS only', () => {
    const asked = { httpVersionMajor: 1, method: 'OPTIONS', url: '*', rawHeaders: ['Host', 'a.com'] };
    expect(readDestination(asked)).toEqual({ hostname: 'a.com', path: '*' });
  });

  it('of HTTP/2 is the authority, or else the host, and never two that differ (RFC 9113 section 8.3.1)', () => {
    expect(http2('/', 'host', 'a.com')).toEqual({ hostname: 'a.com', path: '/' });
    expect(http2('/', ':authority', 'a.com', 'host', 'A.com')).toEqual({ hostname: 'a.com', path: '/' });
    for (const headers of [
      [':authority', 'a.com', 'host', 'b.com'],
      [':authority', 'a.com', 'host', 'a.com', 'host', 'a.com'],
      [':authority', 'a.com', ':authority', 'b.com'],
      [],
    ]) {
      expect(http2('/', ...headers)).toBeNull();
    }
    expect(http2('https://a.com/', ':authority', 'a.com')).toBeNull();
  });
});

describe('the name of a domain', () => {
  it('has two labels or more, and is no number', () => {
    expect(domainName('A_b.xn--bcher-kva.example')).toBe('a_b.xn--bcher-kva.example');
    for (const text of [
      'com',
      '10.0.0.1',
      'a.b.c.5',
      'a b.com',
      'bücher.example',
      '-',
      '.',
      `${'a'.repeat(300)}.com`,
    ]) {
      expect(domainName(text)).toBeNull();
    }
  });
});
