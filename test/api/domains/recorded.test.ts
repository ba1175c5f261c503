import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Domain, newDomain, WINDOW_MS } from '../../../server/src/domain/domain.ts';
import { type Harness, type SendOptions, START, startApi } from '../../support/api-harness.ts';
import { AUTHOR } from '../../support/entities.ts';

/**
 * The answers of domains.getDomain as they were recorded, with every byte of their headers and bodies but for the date,
 * request ids. `vitest run test/api/domains/recorded.test.ts --update` records them anew.
 */

const PATH = '/v2/domains.getDomain';
const WORKSPACE = 'ws_01kaghm5q6e8x9b2c3d4f5g6h7';
const IDS = {
  workspaceId: WORKSPACE,
  projectId: 'proj_01kaghm8z1c2v3b4n5m6a7s8d9',
  appId: 'app_01kaghmc3w4e5r6t7y8a9p0s1d',
  environmentId: 'env_01kaghmf7g8h9j0k1m2n3b4v5c',
};

/** States that checks leave, by the first label of a domain. */
const STATES: Record<string, Partial<Domain>> = {
  pending: {},
  verifying: { status: 'verifying', updatedAt: START + 60_000 },
  proxied: { status: 'verified', ownershipVerifiedAt: START + 1, verifiedAt: START + 1, updatedAt: START + 1 },
  routed: { status: 'verified', routingVerifiedAt: START + 2, verifiedAt: START + 2, updatedAt: START + 2 },
  verified: {
    status: 'verified',
    routingVerifiedAt: START + 3,
    ownershipVerifiedAt: START + 4,
    verifiedAt: START + 4,
    updatedAt: START + 5,
  },
  failed: { status: 'failed', verificationError: 'Not verified within 24 hours.', updatedAt: START + WINDOW_MS },
  wrong: {
    status: 'verifying',
    verificationError: 'The TXT record has "other" <b>&\\</b>, and "münchen 🏪".',
    updatedAt: START + 7,
  },
  long: { status: 'failed', verificationError: `${'x'.repeat(511)}.`, updatedAt: Number.MAX_SAFE_INTEGER },
  drifted: { status: 'verified', verificationError: 'Line one\nline two\t\u007f', verifiedAt: 1, updatedAt: START },
};

/** Parents of the domains: an apex takes the name itself. */
const ZONES = ['example.com', 'münchen.example', '例え.テスト.com'];

let api: Harness;
const names: string[] = [];
beforeAll(async () => {
  api = await startApi({ settings: { edgeAddresses: ['192.0.2.1', '2001:db8::1'] } });
  await api.createWorkspace({ id: WORKSPACE });
  const { workspaceId, projectId, appId, environmentId } = IDS;
  const common = { workspaceId, name: null, createdAt: START };
  await api.store.createProject({ ...common, id: projectId, slug: 'demo' });
  await api.store.createApp({ ...common, id: appId, projectId, slug: 'web' });
  const environment = { ...common, id: environmentId, projectId, appId, slug: 'production', currentDeploymentId: null };
  await api.store.createEnvironment(environment);
  for (const zone of ZONES) {
    for (const [label, state] of Object.entries(STATES)) names.push(await addDomain(`${label}.${zone}`, state));
  }
  names.push(await addDomain('apex.example', STATES.proxied ?? {}, 'apex'));
});
afterAll(() => api.close());

async function addDomain(name: string, state: Partial<Domain>, kind: Domain['kind'] = 'subdomain'): Promise<string> {
  const serial = String(names.length).padStart(2, '0');
  const domain = {
    ...newDomain({
      ...IDS,
      id: `dom_01kaghn1h2f7n8v3q0y6w5t4${serial}`,
      name: new URL(`http://${name}`).hostname,
      kind,
      service: 'service',
      target: `target${serial}.cname.platform.test`,
      token: `Zt4mQ8rV1xKc7NwLb2YpH5${serial}`,
      createdAt: START,
    }),
    ...state,
  };
  await api.store.changesBy(AUTHOR).createDomain(domain, START + WINDOW_MS);
  return name;
}

/** The requests, by what is special about each. */
function requests(keys: Record<string, string>): Map<string, Partial<SendOptions>> {
  const all = new Map<string, Partial<SendOptions>>();
  const ask = (title: string, body: unknown, rest: Partial<SendOptions> = {}) =>
    all.set(title, { body: typeof body === 'string' ? body : JSON.stringify(body), ...rest });
  names.forEach((name, at) => {
    const id = `dom_01kaghn1h2f7n8v3q0y6w5t4${String(at).padStart(2, '0')}`;
    ask(`${name} by name`, { domain: name });
    ask(`${name} by name, again`, { domain: name });
    ask(`${name} by Punycode`, { domain: new URL(`http://${name}`).hostname });
    ask(`${name} in upper case`, { domain: name.toUpperCase() });
    ask(`${name} by id`, { domain: id });
    ask(`${name} by id, again`, { domain: id });
  });
  const name = names[0];
  const bodies = {
    'no body': '',
    'no JSON': '{',
    'a list': [],
    'a string': '"pending.example.com"',
    null: null,
    'no property': {},
    'a number': { domain: 1 },
    'a null': { domain: null },
    'three characters': { domain: 'abc' },
    'an empty text': { domain: '' },
    '254 characters': { domain: 'a'.repeat(254) },
    '253 characters': { domain: 'a'.repeat(253) },
    'another property': { domain: name, x: 1 },
    'two faults': { domain: 'a', y: 1 },
    'a prototype': `{"domain":"${name}","__proto__":{"a":1}}`,
    'a final dot': { domain: `${name}.` },
    'an unknown name': { domain: 'unknown.example.com' },
    'an unknown id': { domain: 'dom_01kaghn1h2f7n8v3q0y6w5t499' },
    'a wildcard': { domain: '*.example.com' },
    'no name': { domain: 'not a name' },
    'a control character': { domain: 'pending.example.com\u0000' },
    'a surrogate': '{"domain":"pending\\ud800.example.com"}',
  };
  for (const [title, body] of Object.entries(bodies)) ask(`with ${title}`, body);
  for (const [title, key] of Object.entries(keys)) ask(`with ${title}`, { domain: name }, { key });
  ask('without a key', { domain: name }, { key: null });
  ask('with another scheme', { domain: name }, { key: null, headers: { authorization: 'Basic YTpi' } });
  const headers = {
    'another type': { 'content-type': 'text/plain' },
    'a charset': { 'content-type': 'application/json; charset=utf-8' },
    'an Accept of HTML': { accept: 'text/html' },
    'an Origin': { origin: 'https://app.example.net' },
    'a request id': { 'x-request-id': 'mine' },
    'an Idempotency-Key': { 'idempotency-key': 'key-1' },
    'an encoding': { 'accept-encoding': 'gzip, br' },
  };
  for (const [title, each] of Object.entries(headers)) ask(`with ${title}`, { domain: name }, { headers: each });
  all.set('with GET', { method: 'GET' });
  all.set('with PUT', { method: 'PUT', body: '{}' });
  ask('to a longer path', { domain: name }, { path: `${PATH}/x` });
  ask('with a large body', { domain: 'a'.repeat(1024 * 1024) });
  return all;
}

it('domains.getDomain answers 200 requests of every kind byte for byte as it was recorded', async () => {
  const permissions = ['environment.*.read_domain'];
  const key = async (about: Parameters<Harness['createKey']>[0]) =>
    (await api.createKey({ workspaceId: WORKSPACE, permissions, ...about })).key;
  const limited = await api.createWorkspace({
    limits: { rates: { '*': { limit: 1, windowMs: 60_000 } }, domains: null },
  });
  const rootKey = await key({});
  const overLimit = await key({ workspaceId: limited.id });
  const keys = {
    'a key of this environment': await key({ permissions: [`environment.${IDS.environmentId}.read_domain`] }),
    'a key of another environment': await key({ permissions: ['environment.env_1.read_domain'] }),
    'a key without the permission': await key({ permissions: ['environment.*.create_domain'] }),
    'a disabled key': await key({ disabledAt: START }),
    'an expired key': await key({ expiresAt: START }),
    'a key of another workspace': api.rootKey,
    'an unknown key': 'np_11111111111111111111111111111111111',
    'a key that is none': 'x',
    'a key at its limit': overLimit,
  };
  const answers = new Map<string, string[]>();
  const asked = [
    ...requests(keys),
    ['with a key over its limit', { body: '{"domain":"abcd"}', key: overLimit }] as const,
  ];
  for (const [title, request] of asked) {
    const { status, headers, text } = await api.send({ path: PATH, key: rootKey, ...request });
    const requestId = String(headers['x-request-id']);
    const { date: _, ...shown } = headers;
    const lines = Object.entries(shown).map(([field, value]) => `${field}: ${value}`);
    const answer = [status, ...lines, '', text].join('\n').replaceAll(requestId, 'REQUEST_ID');
    answers.set(answer, [...(answers.get(answer) ?? []), title]);
  }
  expect(asked.length).toBeGreaterThan(200);
  const recording = [...answers].map(
    ([answer, titles]) => `${titles.map((each) => `# ${each}`).join('\n')}\n${answer}\n`,
  );
  await expect(recording.join('\n')).toMatchFileSnapshot('recorded-answers.txt');
});
