import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { Answer } from '../../server/src/domain/observation.ts';
import { addresses, cname, everywhere, txt } from '../support/observations.ts';
import { type Answered, openVercelDoor, type VercelDoor } from './vercel-door.ts';

/** As docs/reference/compat-vercel.md says. */
type Fate = 'mapped' | 'fixed' | 'refused';

const page = readFileSync(new URL('../../docs/reference/compat-vercel.md', import.meta.url), 'utf8');

/** The table of a section: each field with its fate. */
function tableOf(section: string): Record<string, Fate> {
  const [, text = ''] = page.split(`## ${section}\n`);
  const rows = text.split('\n## ')[0]?.matchAll(/^\| `([^`]+)` \| (mapped|fixed|refused) \|/gm) ?? [];
  return Object.fromEntries([...rows].map(([, field = '', fate]) => [field, fate as Fate]));
}

let door: VercelDoor;
let path: string;
let made = 0;
beforeAll(async () => {
  door = await openVercelDoor();
  path = `/v9/projects/${door.tree.environmentId}/domains`;
  await door.verified('a.acme.com');
  door.api.clock.advance(1000);
  await door.verified('b.acme.com');
  door.api.clock.advance(1000);
  await add({ redirect: 'a.acme.com' });
});
afterAll(() => door.api.close());

const newName = () => `made${made++}.acme.com`;
const add = (more: object) => door.request('POST', path, { name: newName(), ...more });

/** Without the fields that differ in every response. */
function effectOf({ status, body }: Answered): string {
  const { name, verification, createdAt, updatedAt, ...rest } = body;
  return JSON.stringify([status, rest]);
}

/** Values of a field, each legal at the vendor: refused alone, with the effect of none, or with one of their own. */
async function fateOf(request: (value: unknown) => Promise<Answered>, ...values: unknown[]): Promise<Fate> {
  const without = await request(undefined);
  const answered = [];
  for (const value of values) answered.push(await request(value));
  if (answered.every(({ body }) => body.error?.code === 'bad_request')) return 'refused';
  return answered.some((each) => effectOf(each) !== effectOf(without)) ? 'mapped' : 'fixed';
}

const listedWith = (name: string) => (value: unknown) =>
  door.request('GET', value === undefined ? path : `${path}?${name}=${value}`);
const configuredWith = (name: string) => (value: unknown) =>
  door.request('GET', `/v6/domains/a.acme.com/config${value === undefined ? '' : `?${name}=${value}`}`);
const addedWith =
  (field: string, more: object = {}) =>
  (value: unknown) =>
    add({ ...more, ...(value !== undefined && { [field]: value }) });

async function removedWith(removeRedirects: unknown): Promise<Answered> {
  const { name } = await door.verified(newName());
  const { body } = await add({ redirect: name });
  await door.request('DELETE', `${path}/${name}`, { removeRedirects });
  const left = await door.request('GET', `${path}/${body.name}`);
  return { ...left, body: {} };
}

test('each field of a request is mapped, fixed or refused as docs/reference/compat-vercel.md says', async () => {
  const created = door.api.clock.now();
  expect({
    name: await fateOf(
      async (value) => ({ ...(await add({ name: value ?? newName() })), body: { is: value } }),
      'own.acme.com',
    ),
    redirect: await fateOf(addedWith('redirect'), 'a.acme.com'),
    redirectStatusCode: await fateOf(addedWith('redirectStatusCode', { redirect: 'a.acme.com' }), 301, 308, 302, 307),
    gitBranch: await fateOf(addedWith('gitBranch'), 'main'),
    customEnvironmentId: await fateOf(addedWith('customEnvironmentId'), 'env_1'),
    removeRedirects: await fateOf(removedWith, true),
    '?teamId': await fateOf(listedWith('teamId'), 'team_1'),
    '?slug': await fateOf(listedWith('slug'), 'acme'),
    '?limit': await fateOf(listedWith('limit'), 1),
    '?since': await fateOf(listedWith('since'), created - 1000),
    '?until': await fateOf(listedWith('until'), created),
    '?order': await fateOf(listedWith('order'), 'ASC'),
    '?verified': await fateOf(listedWith('verified'), true),
    '?redirects': await fateOf(listedWith('redirects'), false),
    '?redirect': await fateOf(listedWith('redirect'), 'a.acme.com'),
    '?target': await fateOf(listedWith('target'), 'production', 'preview'),
    '?production': await fateOf(listedWith('production'), true, false),
    '?gitBranch': await fateOf(listedWith('gitBranch'), 'main'),
    '?customEnvironmentId': await fateOf(listedWith('customEnvironmentId'), 'env_1'),
    '?projectIdOrName': await fateOf(configuredWith('projectIdOrName'), 'another'),
    '?strict': await fateOf(configuredWith('strict'), true, false),
  }).toEqual(tableOf('Fields of requests'));
});

/** Every field of these bodies, with the values that it has in them. */
function valuesOf(bodies: object[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const note = (object: object, prefix: string) => {
    for (const [field, value] of Object.entries(object)) {
      const values = found.get(prefix + field) ?? new Set();
      found.set(prefix + field, values.add(JSON.stringify(value)));
      if (field === 'verification') for (const each of value) note(each, 'verification.');
    }
  };
  for (const body of bodies) note(body, '');
  return found;
}

test('each field of a response says what is so, or always the same, as docs/reference/compat-vercel.md says', async () => {
  const redirected = await add({ redirect: 'a.acme.com' });
  const other = await door.api.createTree('other');
  await door.request('POST', `/v9/projects/${other.environmentId}/domains`, { name: 'other-acme.org' });
  const apexes = ['apex-acme.net', 'elsewhere-acme.net'];
  for (const name of apexes) await door.request('POST', path, { name });
  const conflicting: Answer = { kind: 'found', chain: ['x.acme.com'], values: [], beside: ['192.0.2.9'] };
  const stored = (await door.api.store.findDomainByName(door.api.workspaceId, redirected.body.name)) as Domain;
  door.publish(redirected.body.name, { routing: everywhere({ ...conflicting, chain: [stored.target] } as Answer) });
  door.publish('apex-acme.net', { ownership: everywhere(txt('x')), routing: everywhere(addresses('203.0.113.7')) });
  door.publish('elsewhere-acme.net', { routing: everywhere(cname('shops.example.net')) });
  door.publish('b.acme.com', {
    routing: everywhere(
      cname((await door.api.store.findDomainByName(door.api.workspaceId, 'b.acme.com'))?.target ?? ''),
    ),
    challenge: everywhere(cname('x')),
  });
  const get = async (at: string) => (await door.request('GET', at)).body;
  const names = ['a.acme.com', 'b.acme.com', redirected.body.name, ...apexes];
  const shown = await Promise.all(names.map((name) => get(`${path}/${name}`)));
  shown.push(await get(`/v9/projects/${other.environmentId}/domains/other-acme.org`));
  const configs = await Promise.all([...names, 'other-acme.org'].map((name) => get(`/v6/domains/${name}/config`)));
  const lists = [await get(`${path}?limit=1`), await get(`${path}?until=${door.api.clock.now()}`)];
  const pages = lists.map(({ pagination: { count, next, prev } }) => ({
    'pagination.count': count,
    'pagination.next': next,
    'pagination.prev': prev,
  }));
  const removed = [await add({}), await add({})].map(({ body }) => door.request('DELETE', `/v6/domains/${body.name}`));
  const uids = (await Promise.all(removed)).map(({ body }) => body);

  const found = valuesOf([...shown, ...configs, ...pages, ...uids]);
  const fates = Object.fromEntries([...found].map(([field, { size }]) => [field, size > 1 ? 'mapped' : 'fixed']));
  expect(fates).toEqual(tableOf('Fields of responses'));
});
