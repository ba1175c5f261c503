import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createLog } from '../base/log.ts';
import { networkRule } from '../net/addresses.ts';
import { createAccessLog } from './access-log.ts';

interface Asked {
  path?: string;
  method?: string;
  host?: string;
  headers?: Record<string, string>;
  address?: string;
}

const PROXIES = ['10.0.0.0/8'];

/** Returns the line that is logged for a request. */
function lineFor(asked: Asked, { withQuery = false } = {}): string {
  const { path = '/', method = 'GET', host = 'shop.example.com', headers = {}, address = '203.0.113.7' } = asked;
  let line = '';
  const log = createLog('info', {
    write(text: string) {
      line += text;
    },
  });
  const isTrusted = networkRule(PROXIES);
  const access = createAccessLog({
    fraction: 1,
    withQuery,
    isTrusted,
    log: (fields, message) => log.info(fields, message),
  });
  const request = { httpVersionMajor: 1, method, url: path, headers, rawHeaders: ['Host', host] };
  access.write({
    client: { serverName: host, address, isProxy: isTrusted(address), tlsVersion: 'TLSv1.3' },
    request: request as unknown as IncomingMessage,
    requestId: 'req_01kaghp0q1w2e3r4t5y6a7s8d9',
    protocol: 'h2',
    status: 200,
    bytes: 1234,
    ms: 12.3456,
    origin: 'http://10.20.0.10:8080',
  });
  return line;
}

const fieldsFor = (...asked: Parameters<typeof lineFor>) => JSON.parse(lineFor(...asked));

describe('a line of the access log', () => {
  it('has the fields of docs/guides/edge.md', () => {
    const { level: _, pid: __, hostname: ___, time, ...fields } = fieldsFor({ path: '/a/b' });
    expect(time).toBeGreaterThan(1.7e12);
    expect(fields).toEqual({
      requestId: 'req_01kaghp0q1w2e3r4t5y6a7s8d9',
      client: '203.0.113.7',
      host: 'shop.example.com',
      method: 'GET',
      path: '/a/b',
      status: 200,
      bytes: 1234,
      ms: 12.3,
      protocol: 'h2',
      tls: 'TLSv1.3',
      origin: 'http://10.20.0.10:8080',
      msg: 'edge request',
    });
  });

  it('has no query unless asked for', () => {
    const path = '/a?token=secret&x=a?b';
    expect(fieldsFor({ path }).path).toBe('/a');
    expect(fieldsFor({ path }, { withQuery: true }).path).toBe(path);
    // Covers a target in absolute form, and a request that is refused.
    expect(fieldsFor({ path: 'http://shop.example.com/a?token=secret' }).path).toBe('/a');
    expect(lineFor({ path: '/a?token=secret#fragment' })).not.toContain('secret');
    expect(lineFor({ path: '/a?token=secret', host: '' })).not.toContain('secret');
  });

  it('has the client as trusted proxies say, and as nobody else does', () => {
    const headers = { 'x-forwarded-for': '198.51.100.9' };
    expect(fieldsFor({ headers, address: '10.1.2.3' }).client).toBe('198.51.100.9');
    expect(fieldsFor({ headers }).client).toBe('203.0.113.7');
  });

  it.each<[what: string, asked: Asked]>([
    ['a line break', { path: '/a\n{"level":60}' }],
    ['a quotation mark', { path: '/a","status":500,"x":"' }],
    ['a terminal sequence', { path: '/\u001b[2J\u009b31m' }],
    ['bytes above ASCII', { path: '/\u00e2\u0080\u00ae' }],
    ['the same in a method', { method: 'GE\u001bT' }],
    ['a host that is none', { host: '"\u001b\n' }],
    ['a client that is none', { headers: { 'x-forwarded-for': '"\u001b\n' }, address: '10.1.2.3' }],
  ])('is one line of visible characters, and what the client sent is text, with %s', (_, asked) => {
    const line = lineFor(asked);
    expect(line).toMatch(/^[ -~]*\n$/);
    expect(JSON.parse(line)).toMatchObject({
      level: 30,
      status: 200,
      host: asked.host === undefined ? 'shop.example.com' : null,
    });
  });

  it('is shorter than what a pipe takes in one piece, whatever the client sends', () => {
    const host = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(60);
    const [quotes, bytes] = ['"'.repeat(30_000), '\u00ff'.repeat(30_000)];
    for (const text of [quotes, bytes]) {
      const line = lineFor({ host, path: `/${text}?${text}`, method: text }, { withQuery: true });
      expect(Buffer.byteLength(line)).toBeLessThan(4096);
      expect(JSON.parse(line)).toMatchObject({ host, path: expect.stringMatching(/^\/.{1023}…$/) });
    }
  });
});

it.each([
  [0.01, 0.0099, true],
  [0.01, 0.01, false],
  [1, 0.999999, true],
])('a fraction of %d samples a request by chance: %d, %s', (fraction, chance, isLogged) => {
  const random = () => chance;
  const options = { fraction, withQuery: false, isTrusted: networkRule(PROXIES), log() {}, random };
  expect(createAccessLog(options).samples()).toBe(isLogged);
});
