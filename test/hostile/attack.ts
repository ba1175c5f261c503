import { operations } from '../../server/src/api/operations.ts';
import type { Random } from '../support/seeded-random.ts';

/** The bytes that an attacker sends over one connection. */
export interface Attack {
  bytes: Buffer;
  /**
   * Where it goes, if it is well-formed HTTP to be answered with exactly one answer; otherwise anything may come back.
   */
  to?: { method: string; path: string };
}

type NonEmpty<T> = readonly [T, ...T[]];

const PATHS = [...operations.map(({ name }) => `/v2/${name}`), '/v2/nothing'] as unknown as NonEmpty<string>;
const OPEN_PATHS = [
  '/v2/liveness',
  '/healthz',
  '/openapi.json',
  '/',
  '/docs/../etc/passwd',
  '/v2//x',
  '/%2e%2e',
] as const;
const EXAMPLES = operations.map(({ example }) => JSON.stringify(example.request)) as unknown as NonEmpty<string>;
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/xml',
  '',
  '\u00e9',
] as const;
const VALUES = [
  'null',
  'true',
  '-0',
  '1e400',
  '""',
  '[]',
  '{}',
  '"\\u0000"',
  '"\\ud800"',
  '9'.repeat(400),
  '"a.b\\r\\nX: y"',
] as const;
const NAMES = [
  'X-Forwarded-For',
  'Expect',
  'Cookie',
  'Upgrade',
  'Range',
  'If-Match',
  'X-Request-Id',
  'Accept-Encoding',
  'TE',
] as const;

/** One attack; `rootKey` is a good key, which some of them have. */
export function createAttack(random: Random, rootKey: string): Attack {
  if (random.chance(0.1)) return { bytes: random.bytes(1 + random.below(300)) };
  const attack = createRequest(random, rootKey);
  return random.chance(0.3) ? { bytes: mutate(attack.bytes, random) } : attack;
}

/** Well-formed HTTP, with any path, credentials, header and body. */
function createRequest(random: Random, rootKey: string): Required<Attack> {
  const open = random.chance(0.1);
  const method = open
    ? 'GET'
    : random.chance(0.05)
      ? random.pick(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      : 'POST';
  const path = open ? random.pick(OPEN_PATHS) : random.pick(PATHS);
  const body = open ? Buffer.alloc(0) : createBody(random);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: api.test',
    'Connection: close',
    ...createCredentials(random, rootKey),
    `Content-Type: ${random.chance(0.8) ? 'application/json' : random.pick(TYPES)}`,
    ...Array.from({ length: random.below(5) }, () => createHeader(random)),
  ];
  const chunked = !open && random.chance(0.2);
  const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = Buffer.from(`${[...lines, framing].join('\r\n')}\r\n\r\n`, 'latin1');
  return { bytes: Buffer.concat([head, chunked ? chunk(body) : body]), to: { method, path } };
}

function createCredentials(random: Random, rootKey: string): string[] {
  const token = `${random.bytes(30).toString('base64url')}.${random.bytes(90).toString('base64url')}.${random.bytes(64).toString('base64url')}`;
  const head = Buffer.from('{"alg":"EdDSA","typ":"JWT","kid":{"a":[]}}').toString('base64url');
  return random.pick([
    [`Authorization: Bearer ${rootKey}`],
    [`Authorization: Bearer ${rootKey}`],
    [`Authorization: Bearer ${rootKey}`],
    [`Authorization: Bearer ${rootKey.slice(0, -1)}`],
    [`Authorization: Bearer ${token}`],
    [`Authorization: Bearer ${head}.${token}`.replace(/\.[^.]*$/, '')],
    [`Authorization: ${printable(random, random.below(200))}`],
    [`Authorization: Bearer ${'a'.repeat(random.below(9000))}`],
    [],
  ]);
}

function createHeader(random: Random): string {
  const name = random.chance(0.5) ? random.pick(NAMES) : `x-${random.bytes(3).toString('hex')}`;
  // A field value may hold no line ends and no zero octet.
  return `${name}: ${printable(random, random.below(100))}`;
}

function printable(random: Random, length: number): string {
  return Array.from({ length }, () =>
    String.fromCharCode(random.chance(0.9) ? 33 + random.below(94) : 128 + random.below(128)),
  ).join('');
}

function createBody(random: Random): Buffer {
  const example = Buffer.from(random.pick(EXAMPLES));
  const value = random.pick(VALUES);
  const deep = 1 + random.below(5000);
  return random.pick([
    () => example,
    () => mutate(example, random),
    () => Buffer.from(example.toString().replace(/"[^"]*"(?=[,}])/, value)),
    () => Buffer.from(`{"domain":${value}}`),
    () => Buffer.from(`{"domain":"${printable(random, random.below(300)).replaceAll(/["\\]/g, '')}"}`),
    () =>
      Buffer.from(`{"domain":"a.test","${random.pick(['__proto__', 'constructor', 'domain', 'toString'])}":${value}}`),
    () => Buffer.from('['.repeat(deep) + ']'.repeat(random.chance(0.5) ? deep : 1)),
    () => random.bytes(random.below(2000)),
    () => Buffer.alloc(0),
  ])();
}

function chunk(body: Buffer): Buffer {
  if (body.length === 0) return Buffer.from('0\r\n\r\n');
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

/** A few octets changed, put in, or taken out; or cut off somewhere. */
function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = Buffer.from(bytes);
  for (let changes = 1 + random.below(4); changes > 0 && mutated.length > 0; changes -= 1) {
    const at = random.below(mutated.length);
    const rest = mutated.subarray(at + random.below(3));
    const put = random.pick([
      random.bytes(1 + random.below(4)),
      Buffer.from('\r\n'),
      Buffer.from('\0'),
      Buffer.alloc(0),
    ]);
    mutated = random.chance(0.2) ? mutated.subarray(0, at) : Buffer.concat([mutated.subarray(0, at), put, rest]);
  }
  return mutated;
}
