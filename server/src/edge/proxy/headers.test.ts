import { describe, expect, test } from 'vitest';
import { viaPseudonym } from '../http/via.ts';
import {
  type Framing,
  framingOf,
  type ReceivedHead,
  requestFields,
  responseFields,
  responseHeaders,
  type Sender,
  trailerFields,
} from './headers.ts';

const ROUTED: Sender = {
  hostname: 'app.acme.com',
  scheme: 'https',
  clientAddress: '203.0.113.7',
  forwardedFor: ['203.0.113.7'],
  requestId: 'req_1',
  origin: 'https://shop.example.net:8443',
  settings: null,
  edgeSecret: null,
};
const EDGE = viaPseudonym('test', ROUTED.hostname);
const NONE: Framing = { kind: 'none' };

function sent(rawHeaders: string[], more: Partial<ReceivedHead & Sender> = {}, framing: Framing = NONE) {
  const received = { httpVersion: '1.1', method: 'GET', rawHeaders, ...more };
  return pairs(requestFields(received, { ...ROUTED, ...more }, framing, 'test'));
}

function pairs(fields: readonly string[]): [string, string][] {
  return fields.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), fields[i + 1] ?? '']] : []));
}

const valuesOf = (list: [string, string][], name: string) =>
  list.flatMap(([key, value]) => (key === name ? [value] : []));

/** The fields that every request gets, besides those of the client. */
const OWN = [
  ['host', 'app.acme.com'],
  ['x-forwarded-for', '203.0.113.7'],
  ['x-forwarded-host', 'app.acme.com'],
  ['x-forwarded-proto', 'https'],
  ['x-real-ip', '203.0.113.7'],
  ['forwarded', 'for=203.0.113.7;host=app.acme.com;proto=https'],
  ['x-request-id', 'req_1'],
  ['via', `1.1 ${EDGE}`],
];

describe('to an origin', () => {
  test('a request says for whom it was forwarded', () => {
    expect(sent(['Host', 'app.acme.com'])).toEqual(OWN);
  });

  test("the program's own API is told by whom, and no origin is; what a client sends of it is removed", () => {
    const forged = [
      'X-Forwarded-By-Edge',
      'guessed',
      'x_forwarded_by_edge',
      'guessed',
      'Connection',
      'X-Forwarded-By-Edge',
    ];
    expect(sent(forged)).toEqual(OWN);
    const own = valuesOf(sent(forged, { apiSecret: 'the secret' }), 'x-forwarded-by-edge');
    expect(own).toEqual(['the secret']);
  });

  test('end-to-end fields pass unchanged: order, case, repetition', () => {
    const passing = ['Accept', 'a', 'X-B', '1', 'x-b', '2', 'Authorization', 'Bearer x', 'Sec-WebSocket-Key', 'k'];
    const received = { httpVersion: '1.1', method: 'GET', rawHeaders: passing };
    const fields = requestFields(received, ROUTED, NONE, 'test');
    expect(fields.slice(2, 2 + passing.length)).toEqual(passing);
  });

  test.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authorization',
    'Proxy',
    'TE',
    'Transfer-Encoding',
    'Upgrade',
    'HTTP2-Settings',
    'Expect',
    'Trailer',
    'Content-Length',
    'X-Forwarded-For',
    'x-forwarded-host',
    'X-FORWARDED-PROTO',
    'X-Forwarded-Port',
    'X-Forwarded-Anything',
    'X-Real-IP',
    'Forwarded',
    'X-Request-Id',
    'X_Forwarded_For',
    'x_real-ip',
    'Transfer_Encoding',
    'content_length',
    'x.forwarded.for',
    'x|forwarded-ssl',
    'x.real~ip',
    "nameplate'external!id",
    'nameplate.edge-secret',
  ])('%s of a client never arrives', (name) => {
    expect(sent(['Host', 'app.acme.com', name, 'forged'])).toEqual(OWN);
  });

  test('fields that Connection names are dropped, whatever their name, in every Connection field', () => {
    const list = [
      'X-Secret',
      '1',
      'Connection',
      'close, x-secret',
      'connection',
      ' X-Other ',
      'x-other',
      '2',
      'X-Third',
      '3',
    ];
    expect(sent(list)).toEqual([OWN[0], ['x-third', '3'], ...OWN.slice(1)]);
  });

  test('Connection cannot remove the fields of the edge', () => {
    const fields = sent([
      'Host',
      'app.acme.com',
      'Connection',
      'host, x-forwarded-for, x-real-ip, forwarded, via, cookie',
    ]);
    expect(fields).toEqual(OWN);
  });

  test('several Cookie fields arrive as one', () => {
    expect(valuesOf(sent(['cookie', 'a=1', 'x', 'y', 'cookie', 'b=2; c=3']), 'cookie')).toEqual(['a=1; b=2; c=3']);
  });

  test.each([
    ['trailers', ['trailers']],
    ['gzip, Trailers', ['trailers']],
    ['gzip;q=1', []],
  ])('of TE: %s, %j is left', (value, left) => {
    expect(valuesOf(sent(['TE', value]), 'te')).toEqual(left);
  });

  test('pseudo-header fields of HTTP/2 are dropped, and the port stays in Host', () => {
    const rawHeaders = [
      ':method',
      'GET',
      ':authority',
      'app.acme.com:8443',
      ':path',
      '/',
      ':scheme',
      'https',
      'a',
      'b',
    ];
    const fields = sent(rawHeaders, { httpVersion: '2.0' });
    expect(fields.slice(0, 2)).toEqual([
      ['host', 'app.acme.com:8443'],
      ['a', 'b'],
    ]);
    expect(valuesOf(fields, 'x-forwarded-host')).toEqual(['app.acme.com:8443']);
    expect(valuesOf(fields, 'forwarded')).toEqual(['for=203.0.113.7;host="app.acme.com:8443";proto=https']);
    expect(valuesOf(fields, 'via')).toEqual([`2.0 ${EDGE}`]);
  });

  test('the host is the name of the route, however it was written', () => {
    expect(valuesOf(sent(['Host', 'APP.acme.com.']), 'host')).toEqual(['app.acme.com']);
    expect(valuesOf(sent(['Host', 'evil.test:1x"']), 'host')).toEqual(['app.acme.com']);
  });

  test('trusted proxies in front are listed, IPv6 in brackets', () => {
    const fields = sent([], { forwardedFor: ['2001:db8::1', '192.0.2.1'], clientAddress: '2001:db8::1' });
    expect(valuesOf(fields, 'x-forwarded-for')).toEqual(['2001:db8::1, 192.0.2.1']);
    expect(valuesOf(fields, 'forwarded')).toEqual(['for="[2001:db8::1]";host=app.acme.com;proto=https, for=192.0.2.1']);
    expect(valuesOf(fields, 'x-real-ip')).toEqual(['2001:db8::1']);
  });

  test.each<[string, string, Framing, string[], string[]]>([
    ['GET', 'none', NONE, [], []],
    ['POST', 'none', NONE, ['0'], []],
    ['PROPFIND', 'none', NONE, ['0'], []],
    ['GET', 'some', { kind: 'sized', length: '3' }, ['3'], []],
    ['POST', 'some', { kind: 'sized', length: '3' }, ['3'], []],
    ['POST', 'some of unknown length', { kind: 'chunked' }, [], ['chunked']],
  ])('%s with content: %s', (method, _, framing, lengths, encodings) => {
    const fields = sent(['Content-Length', '99', 'Transfer-Encoding', 'gzip, chunked'], { method }, framing);
    expect(valuesOf(fields, 'content-length')).toEqual(lengths);
    expect(valuesOf(fields, 'transfer-encoding')).toEqual(encodings);
  });

  test('Via keeps the proxies before', () => {
    expect(valuesOf(sent(['Via', '1.1 a', 'via', '2 b']), 'via')).toEqual([`1.1 a, 2 b, 1.1 ${EDGE}`]);
  });
});

test.each<[string[], Framing]>([
  [[], NONE],
  [['Content-Length', '0'], NONE],
  [['content-length', '000'], NONE],
  [['Content-Length', '12'], { kind: 'sized', length: '12' }],
  [['Transfer-Encoding', 'chunked'], { kind: 'chunked' }],
])('content framed by %j is %j', (rawHeaders, framing) => {
  expect(framingOf({ rawHeaders })).toEqual(framing);
});

describe('to a client', () => {
  const received = ['Content-Type', 'text/html', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Via', '1.1 cache'];

  test('fields pass unchanged: order, case, repetition', () => {
    expect(responseFields(received, 200, false)).toEqual(received);
  });

  test.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authenticate',
    'Proxy-Authentication-Info',
    'TE',
    'Transfer-Encoding',
    'Upgrade',
    'Alt-Svc',
    'Trailer',
  ])('%s of an origin never arrives', (name) => {
    expect(responseFields([...received, name, 'x'], 200, false)).toEqual(received);
    expect(responseHeaders({ a: '1', [name.toLowerCase()]: 'x' }, 200, false)).toEqual({ a: '1' });
  });

  test('fields that Connection names are dropped', () => {
    expect(responseFields(['Connection', 'X-A', 'x-a', '1', 'X-B', '2'], 200, false)).toEqual(['X-B', '2']);
    expect(responseHeaders({ connection: 'X-A', 'x-a': '1', 'x-b': '2' }, 200, false)).toEqual({ 'x-b': '2' });
  });

  test('Trailer passes where trailers are possible', () => {
    expect(responseFields(['Trailer', 'X-Sum'], 200, true)).toEqual(['Trailer', 'X-Sum']);
  });

  test('204 has no length', () => {
    expect(responseFields(['Content-Length', '0'], 204, false)).toEqual([]);
    expect(responseFields(['Content-Length', '7'], 304, false)).toEqual(['Content-Length', '7']);
  });
});

test('trailers change nothing that the header has decided', () => {
  const harmless = ['X-Sum', '1', 'grpc-status', '0'];
  const others = [
    'Content-Length',
    '5',
    'Transfer-Encoding',
    'chunked',
    'Host',
    'x',
    'Set-Cookie',
    'a=1',
    'X-Forwarded-For',
    'x',
  ];
  expect(trailerFields([...others, ...harmless, 'X_Real_IP', 'x']).flat()).toEqual(harmless);
});
