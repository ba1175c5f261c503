import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleLive } from '../../server/src/api/domains/site.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { customHostname } from '../../server/src/doors/cloudflare/custom-hostname.ts';
import type { ShownSite } from '../../server/src/doors/shown-sites.ts';
import type { DueCertificate } from '../../server/src/store/store.ts';
import { dataOf, type Harness, startApi } from '../support/api-harness.ts';
import { anIssuedCertificate, aSave, DAY_MS } from '../support/certificates.ts';
import { failedAt, verifiedAt } from '../support/entities.ts';

const PAGE = readFileSync(new URL('../../docs/reference/compat-cloudflare.md', import.meta.url), 'utf8');

/** The rows of the table below a heading. */
function rowsOf(heading: string): { field: string; is: string; how: string }[] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `([\w.]+)` \| (\w+) \|(.*)\|$/gm);
  return [...rows].map(([, field = '', is = '', how = '']) => ({ field, is, how: how.trim() }));
}

const requests = rowsOf('Fields of requests');
const responses = rowsOf('Fields of responses');
const statuses = [...PAGE.matchAll(/^\| `(\w+)` \| [^|]+ \|$/gm)]
  .map(([, status]) => status)
  .filter((status) => status !== 'status');

let api: Harness;
let path: string;
let zone: string;

beforeAll(async () => {
  api = await startApi({ settings: { challengeZone: 'acme.platform.test' } });
  zone = (await api.createTree()).environmentId;
  path = `/compat/cloudflare/client/v4/zones/${zone}/custom_hostnames`;
});
afterAll(() => api.close());

async function send(suffix = '', method = 'GET', body?: object) {
  const headers = { authorization: `Bearer ${api.rootKey}` };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${api.url}${path}${suffix}`, init);
  // biome-ignore lint/suspicious/noExplicitAny: the vendor's envelope.
  return { status: response.status, body: (await response.json()) as any };
}

let made = 0;
const nextName = () => `t${++made}.table.com`;

/** `{ssl: {settings: {http2: value}}}` for `ssl.settings.http2`. */
const nested = (field: string, value: unknown) =>
  field.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;

/** The fields of a response, by their paths; lists count as their items. Metadata is the platform's own. */
function fieldsOf(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value) && typeof value[0] === 'object') return value.flatMap((item) => fieldsOf(item, prefix));
  const isLeaf = typeof value !== 'object' || Array.isArray(value) || prefix === 'custom_metadata';
  if (isLeaf || prefix === 'nameplate.dns_records') return [prefix];
  return Object.entries(value ?? {}).flatMap(([key, inner]) =>
    `${prefix}.${key}` === 'nameplate.dns_records'
      ? `${prefix}.${key}`
      : fieldsOf(inner, prefix ? `${prefix}.${key}` : key),
  );
}

/** One hostname in every state that has fields of its own, as they are listed. */
async function everyState() {
  const now = api.clock.now();
  const create = async (body: object = {}) =>
    (await send('', 'POST', { hostname: nextName(), ...body })).body.result.id;
  const shown = async (id: string) => (await send(`/${id}`)).body.result;
  const found = async (id: string) => {
    const domain = await api.store.findDomainById(api.workspaceId, id);
    if (domain === null) throw new Error(`there is no ${id}`);
    return domain;
  };
  const pending = await create({ custom_metadata: { plan: 'pro' }, ssl: { settings: { min_tls_version: '1.3' } } });
  const failed = await create();
  const unissued = await create();
  const failing = await create();
  const moved = await create();
  const states = [await shown(pending)];
  for (const id of [unissued, failing, moved]) {
    const before = await found(id);
    await api.store.saveTransition({ before, after: verifiedAt(before, now), memory: NO_MEMORY, now });
  }
  const expired = await found(failed);
  await api.store.saveTransition({ before: expired, after: failedAt(expired, now), memory: NO_MEMORY, now });
  states.push(await shown(failed), await shown(unissued));
  const due = await api.store.claimCertificates({ now, limit: 100, leaseMs: 60_000, newNames: true });
  const dueOf = async (id: string) => {
    const { name } = await found(id);
    return due.find(({ certificate }) => certificate.hostname === name) as DueCertificate;
  };
  const issued = anIssuedCertificate({ notBefore: now, issuedAt: now, notAfter: now + 90 * DAY_MS });
  await api.store.saveCertificate(aSave(await dueOf(moved), { state: 'issued', issued, now }));
  const problem = { reason: 'caa_forbids' as const, message: 'CAA forbids it.', at: now };
  await api.store.saveCertificate(aSave(await dueOf(failing), { state: 'failed', problem, now }));
  const settings = { origin: 'https://own.example.net:8443' };
  dataOf(await api.call('domains.updateDomain', { domain: moved, settings }));
  states.push(await shown(failing), await shown(moved));
  dataOf(await api.call('domains.suspendDomain', { domain: moved }));
  states.push(await shown(moved));
  dataOf(await api.call('domains.resumeDomain', { domain: moved }));
  const site = dataOf<ShownSite>(await api.call('domains.getSite', { domain: moved }));
  const live = { ...exampleLive, state: 'unreachable' as const, problem: 'answered_by_another' as const };
  return [...states, customHostname({ ...site, live })];
}

describe('docs/reference/compat-cloudflare.md', () => {
  it('lists exactly the fields that responses have, and no other status than they have', async () => {
    const states = await everyState();
    const seen = new Set(states.flatMap((state) => fieldsOf(state)));
    const listed = responses.filter(({ is }) => is !== 'absent').map(({ field }) => field);
    expect([...seen].sort()).toEqual(listed.sort());
    for (const { field } of responses.filter(({ is }) => is === 'absent')) expect([...seen]).not.toContain(field);
    const named = states.flatMap(({ status, ssl }) => [status, ssl.status]);
    expect([...new Set(named)].sort()).toEqual([...new Set(statuses)].sort());
  });

  it('names the one value of each fixed field of a response', async () => {
    const { body } = await send('?per_page=1000');
    for (const { field, how } of responses.filter(({ is }) => is === 'fixed')) {
      const [, value] = /^`(.*)`$/.exec(how) ?? [];
      for (const hostname of body.result) {
        const found = field.split('.').reduce((each, key) => [each].flat()[0]?.[key], hostname);
        if (found !== undefined) expect({ field, value: found }).toEqual({ field, value });
      }
    }
  });

  const refused = requests.filter(({ is }) => is === 'refused');
  it.each(refused)(
    '$field is refused with its code, at creation and in an edit, and says what to do instead',
    async ({ field, how }) => {
      const code = Number(/\d{4}/.exec(refused.find((row) => row.field === field && how === row.how)?.how ?? '')?.[0]);
      const hostname = nextName();
      const { status, body } = await send('', 'POST', { hostname, ...nested(field, 'x') });
      expect({ status, code: body.errors[0].code }).toEqual({ status: 403, code });
      expect(body.errors[0].message).toMatch(/domains\.(updateDomain|uploadCertificate)/);
      expect((await send(`?hostname=${hostname}`)).body.result).toEqual([]);
      const { id } = (await send('', 'POST', { hostname })).body.result;
      expect((await send(`/${id}`, 'PATCH', nested(field, 'x'))).body.errors[0].code).toBe(code);
    },
  );

  const fixed = requests.filter(({ is }) => is === 'fixed');
  it.each(fixed)(
    '$field is accepted with the values that are listed, changes nothing, and is refused with others',
    async ({ field, how }) => {
      const [values = '', others] = how.split(/[;:]/);
      const accepted = [...values.matchAll(/`([^`]+)`/g)].map(([, value]) => (value === 'false' ? false : value));
      const plain = (await send('', 'POST', { hostname: nextName() })).body.result.ssl;
      for (const value of accepted.length > 0 ? accepted : [['any']]) {
        const { status, body } = await send('', 'POST', { hostname: nextName(), ...nested(field, value) });
        expect(status).toBe(201);
        const { method, type, settings, bundle_method } = body.result.ssl;
        expect(plain).toMatchObject({ method, type, settings, bundle_method });
      }
      const code = /else (\d+)/.exec(others ?? '')?.[1];
      if (code === undefined) return;
      const { status, body } = await send('', 'POST', { hostname: nextName(), ...nested(field, 'x') });
      expect({ status, code: body.errors[0].code }).toEqual({ status: 400, code: Number(code) });
    },
  );
});
