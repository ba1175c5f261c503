import { expect, test } from 'vitest';
import type { Retrying } from '../../server/src/cli/api/run-import.ts';
import { cloudflareNames } from '../../server/src/cli/move/cloudflare-names.ts';
import type { OldName } from '../../server/src/cli/move/old-name.ts';
import { vendorApi } from '../../server/src/cli/move/vendor-api.ts';
import { closingAfterEach } from '../support/closing.ts';
import {
  CLOUDFLARE_TOKEN,
  type CustomHostname,
  customHostname,
  startCloudflare,
  ZONE,
} from '../support/vendors/cloudflare.ts';

const closing = closingAfterEach();
const many = (count: number) => Array.from({ length: count }, (_, at) => customHostname(at));
const waits: number[] = [];
const retrying = (): Retrying => {
  waits.length = 0;
  return {
    signal: new AbortController().signal,
    async wait(ms) {
      waits.push(ms);
    },
  };
};

async function read(url: string, { token = CLOUDFLARE_TOKEN, zone = ZONE, most = Number.POSITIVE_INFINITY } = {}) {
  const ask = vendorApi({ vendor: 'Cloudflare', base: url, token, advice: 'Make a token.' }, retrying());
  const names: OldName[] = [];
  for await (const name of cloudflareNames(ask, zone)) {
    names.push(name);
    if (names.length === most) break;
  }
  return names;
}

test('all custom hostnames of a zone are read, page after page, with their ids and metadata', async () => {
  const { url, requests } = await startCloudflare(closing, [
    customHostname(0, { custom_metadata: { customer: '42', limits: { seats: 5 }, trial: true } }),
    ...many(121).slice(1),
  ]);
  const names = await read(url);
  expect(names.map(({ domain }) => domain)).toEqual(many(121).map(({ hostname }) => hostname));
  expect(requests).toEqual(
    [1, 2, 3].map((page) => `GET /client/v4/zones/${ZONE}/custom_hostnames?page=${page}&per_page=50`),
  );
  expect(names[0]).toEqual({
    line: 1,
    domain: 'shop0.example.com',
    own: {
      externalId: '0d89c70d-ad9f-4843-b99f-000000000000',
      metadata: { moved_from: 'cloudflare', customer: '42', limits: '{"seats":5}', trial: 'true' },
    },
    notes: [],
    problem: null,
    share: 1 / 3,
  });
});

test('a zone without custom hostnames has none', async () => {
  expect(await read((await startCloudflare(closing, [])).url)).toEqual([]);
});

test('a name that is not active is read, and its state said', async () => {
  const { url } = await startCloudflare(closing, [
    customHostname(1, { status: 'pending', ssl: { status: 'pending_validation' } }),
    customHostname(2, { ssl: null, custom_origin_server: '10.0.0.7' }),
    customHostname(3, { ssl: { status: 'active', wildcard: true } }),
  ]);
  expect((await read(url)).map(({ notes }) => notes)).toEqual([
    ['Cloudflare had it as "pending", and its certificate as "pending_validation".'],
    [
      'Cloudflare had it as "active", and its certificate as "unknown".',
      'Its requests went to an origin of its own, "10.0.0.7": "nameplate domains update" sets one.',
    ],
    ['Its certificate was for all names below it, too: add them as a name of their own, with "*.".'],
  ]);
});

test('what does not fit into metadata is said whole, and the name is read with the rest', async () => {
  const long = 'x'.repeat(501);
  const pairs = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, 'v']));
  const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, 'y'.repeat(500)]));
  const { url } = await startCloudflare(closing, [
    customHostname(1, {
      custom_metadata: { long, 'a key': 'x', moved_from: 'me', bell: '\u0007', kept: 'yes', nothing: null },
    }),
    customHostname(5, { custom_metadata: JSON.parse('{"__proto__":"x","kept":"yes"}') }),
    customHostname(2, { custom_metadata: pairs }),
    customHostname(3, { custom_metadata: large }),
    customHostname(4, { id: 'i'.repeat(256) }),
  ]);
  const [one, proto, two, three, four] = await read(url);
  expect(one?.own.metadata).toEqual({ moved_from: 'cloudflare', kept: 'yes' });
  expect(one?.notes).toEqual([
    `The metadata is without "long", which is longer than 500 characters: "${long}"`,
    'The metadata is without "a key", which is no key of 1 to 40 letters, digits, "_", "." and "-": "x"',
    'The metadata is without "moved_from", which Nameplate sets itself: "me"',
    'The metadata is without "bell", which has control characters: "\\u0007"',
  ]);
  expect(proto?.own.metadata).toEqual({ moved_from: 'cloudflare', kept: 'yes' });
  expect(proto?.notes).toEqual([
    expect.stringMatching(/^The metadata is without "__proto__", which the API refuses as a key: "x"$/),
  ]);
  expect(Object.keys(two?.own.metadata ?? {})).toHaveLength(50);
  expect(two?.notes).toHaveLength(11);
  expect(Buffer.byteLength(JSON.stringify(three?.own.metadata))).toBeLessThanOrEqual(4096);
  expect(three?.notes[0]).toMatch(/^The metadata is without "k8", which is more than 4096 bytes in all: "y{500}"$/);
  expect(four?.own.externalId).toBeUndefined();
  expect(four?.notes).toEqual([`The external id is left out, since it is too long: "${'i'.repeat(256)}"`]);
});

test('names that are added or deleted while the list is read are neither read twice nor missed', async () => {
  const all = many(200);
  let [isDeleted, isAdded] = [false, false];
  const { url } = await startCloudflare(closing, all, {
    onPage(page, hostnames) {
      // 60 names of the first two pages: the others move to pages that were read.
      if (page === 3 && !isDeleted) {
        isDeleted = true;
        hostnames.splice(0, 60);
      } else if (page === 2 && isDeleted && !isAdded) {
        isAdded = true;
        hostnames.unshift(customHostname(900));
      }
    },
  });
  const names = (await read(url)).map(({ domain }) => domain);
  expect(new Set(names).size).toBe(names.length);
  for (const { hostname } of all) expect(names).toContain(hostname);
});

test('a server that never lists what it counts is given up', async () => {
  const { url, requests } = await startCloudflare(closing, [customHostname(1), customHostname(1), customHostname(2)]);
  await expect(read(url)).rejects.toThrow(
    'The list of custom hostnames changed each time it was read, or is shorter than Cloudflare says. Run the same command again.',
  );
  expect(requests).toHaveLength(5);
});

test('a rate limit is waited out, as long as the server asks for, and no name is lost', async () => {
  const { url } = await startCloudflare(closing, many(300), { limit: 3, retryAfter: 240 });
  expect(await read(url)).toHaveLength(300);
  expect(waits).toEqual([240_000]);
});

test('a server that asks for a wait of a day is not waited for', async () => {
  const { url } = await startCloudflare(closing, many(60), { limit: 1, retryAfter: 86_400 });
  await expect(read(url)).rejects.toThrow('It asks to wait 24 h 0 min. Run the same command again then.');
  expect(waits).toEqual([]);
});

test('failures are tried again five times in a row at most', async () => {
  const failure = { status: 502, body: '<html>Bad gateway</html>' };
  const well = await startCloudflare(closing, many(3), { failures: Array(5).fill(failure) });
  expect(await read(well.url)).toHaveLength(3);
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
  const ill = await startCloudflare(closing, many(3), { failures: Array(6).fill(failure) });
  await expect(read(ill.url)).rejects.toThrow('Cloudflare responded with status 502.');
});

test('a wrong token is refused at once, said with what the vendor says, and never shown', async () => {
  const { url, requests } = await startCloudflare(closing, many(3));
  const token = 'secret-that-is-wrong';
  const error = await read(url, { token }).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({
    message: 'Cloudflare responded with status 403: "Invalid access token (9109)". Make a token.',
  });
  expect(`${(error as Error).stack}`).not.toContain(token);
  expect(requests).toHaveLength(1);
});

test('a zone that the token does not have is said', async () => {
  const { url } = await startCloudflare(closing, []);
  await expect(read(url, { zone: 'f'.repeat(32) })).rejects.toThrow(/status 404: "Could not route to .* \(7003\)"\.$/);
});

test('the token goes to no other server, and over no connection without encryption', async () => {
  const other = await startCloudflare(closing, many(1));
  const { url } = await startCloudflare(closing, [], {
    failures: [{ status: 302, body: '', headers: { location: `${other.url}/zones/${ZONE}/custom_hostnames` } }],
  });
  await expect(read(url)).rejects.toThrow('Cloudflare responded with status 302.');
  expect(other.requests).toEqual([]);
  await expect(read('http://api.example.com')).rejects.toThrow('has to begin with "https://"');
});

test('odd responses end the command with a sentence', async () => {
  const bodies = ['null', '[]', '{"result":{}}', '{"result":[],"result_info":{"total_count":"1"}}', 'x'];
  const long = { result: many(51), result_info: { total_count: 51, total_pages: 1 } };
  bodies.push(JSON.stringify(long));
  for (const body of bodies) {
    const failures = Array(6).fill({ status: 200, body });
    const { url } = await startCloudflare(closing, [], { failures });
    await expect(read(url)).rejects.toThrow(/^Cloudflare responded with/);
  }
  const huge = { status: 200, body: JSON.stringify({ result: 'x'.repeat(17 * 1024 * 1024) }) };
  await expect(read((await startCloudflare(closing, [], { failures: [huge] })).url)).rejects.toThrow(
    'more than 16 MiB',
  );
});

test('odd entries are read as names without data, for the API to refuse', async () => {
  const odd = [
    null,
    7,
    'x',
    {},
    { id: 1, hostname: ['a'] },
    { id: 'a', hostname: 'b', custom_metadata: [1], ssl: 'x' },
  ];
  const { url } = await startCloudflare(closing, odd as unknown as CustomHostname[]);
  const names = await read(url);
  expect(names.map(({ domain }) => domain)).toEqual(['', '', '', '', '', 'b']);
  expect(names.at(-1)?.own.metadata).toEqual({ moved_from: 'cloudflare' });
});

test('a list without end is given up, and costs no memory before it is asked for', async () => {
  const hostnames = many(1);
  hostnames.length = 1_000_001;
  const { url } = await startCloudflare(closing, hostnames);
  await expect(read(url)).rejects.toThrow('The zone has more than 1000000 custom hostnames.');
});

test('pairs that no metadata can have are said, and not lost', async () => {
  const custom_metadata = JSON.parse('{"__proto__":"pro","constructor":"yes","custom_origin_server":"theirs"}');
  const { url } = await startCloudflare(closing, [
    customHostname(1, { custom_metadata, custom_origin_server: 'o.example' }),
  ]);
  const [one] = await read(url);
  expect(one?.own.metadata).toEqual({
    moved_from: 'cloudflare',
    constructor: 'yes',
    custom_origin_server: 'o.example',
  });
  expect(one?.notes).toEqual([
    'The metadata is without "__proto__", which the API refuses as a key: "pro"',
    'Its requests went to an origin of its own, "o.example": "nameplate domains update" sets one.',
    'The metadata is without its own "custom_origin_server": "theirs"',
  ]);
});

test('an address with a password is refused at once, and not shown', async () => {
  const refused = read('https://user:hunter2@127.0.0.1:1/client/v4');
  await expect(refused).rejects.toThrow('The address of the API must have no user name or password.');
  expect(waits).toEqual([]);
});

test.each(['Infinity', '1e300', '-1', 'soon'])(
  'a Retry-After of %s is no time: it is tried again as usual',
  async (value) => {
    const failures = [{ status: 429, body: '{}', headers: { 'retry-after': value } }];
    const { url } = await startCloudflare(closing, many(1), { failures });
    expect(await read(url)).toHaveLength(1);
    expect(waits).toEqual([1000]);
  },
);
