import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../../server/src/domain/domain.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { addresses, cname, everywhere, rightTxt, txt } from '../../support/observations.ts';
import { observed } from '../../support/observed.ts';

interface DomainShown {
  id: string;
  status: string;
  verificationError?: string;
  dnsRecords: { type: string; name: string; value: string; ttl: number; verified: boolean; note?: string }[];
  createdAt: number;
  updatedAt?: number;
}

/** The answers for a proxied or flattened routing record. */
const HIDDEN = everywhere(addresses('192.0.2.1'));
/** Three labels of the greatest length. */
const LONG = ['a', 'b', 'c'].map((letter) => letter.repeat(63)).join('.');

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const ask = (domain: unknown) => api.call('domains.getDomain', { domain });
const get = async (domain: string) => dataOf<DomainShown>(await ask(domain));
const flags = ({ dnsRecords }: DomainShown) => dnsRecords.map(({ type, verified }) => `${type} ${verified}`);

const notFound = { status: 404, body: { error: { status: 404, title: 'Not Found', type: 'not-found' } } };
const tooShortOrLong = (message: string) => ({
  status: 400,
  body: { error: { type: 'validation-error', errors: [{ location: 'body.domain', message }] } },
});

describe('domains.getDomain', () => {
  it('rule 1: a valid id or name of a domain in the workspace answers 200 with that domain', async () => {
    const domain = await api.createDomain(tree, 'one.acme.com');
    const expected = {
      id: domain.id,
      domain: 'one.acme.com',
      projectId: tree.projectId,
      appId: tree.appId,
      environmentId: tree.environmentId,
      status: 'pending',
      createdAt: START,
    };
    expect((await ask('one.acme.com')).body.data).toMatchObject(expected);
    expect((await ask(domain.id)).body.data).toEqual((await ask('one.acme.com')).body.data);
  });

  it('rule 2: the dnsRecords are the same values as those returned at creation', async () => {
    const { project, app, environment } = tree;
    const created = await api.call('domains.createDomain', { project, app, environment, domain: 'two.acme.com' });
    const { dnsRecords } = dataOf<DomainShown>(created);
    expect((await get('two.acme.com')).dnsRecords).toEqual(dnsRecords);
  });

  it('rule 3: when no check has run yet, status is pending, every record has verified false, and updatedAt is absent', async () => {
    await api.createDomain(tree, 'three.acme.com');
    const domain = await get('three.acme.com');
    expect(domain.status).toBe('pending');
    expect(domain.dnsRecords.map(({ verified }) => verified)).toEqual([false, false]);
    expect(Object.keys(domain)).not.toContain('updatedAt');
    expect(Object.keys(domain)).not.toContain('verificationError');
  });

  it.each([
    ['3 characters', 'a.b'],
    ['3 characters, each two UTF-16 units', '\u{1F600}'.repeat(3)],
    ['nothing', ''],
  ])('rule 4: %s are too short: 400 at body.domain', async (_what, domain) => {
    expect(await ask(domain)).toMatchObject(tooShortOrLong('must have at least 4 characters'));
  });

  it.each([
    ['254 characters', `${'a'.repeat(250)}.com`],
    ['254 characters, each two UTF-16 units', '\u{1F600}'.repeat(254)],
  ])('rule 4: %s are too long: 400 at body.domain', async (_what, domain) => {
    expect(await ask(domain)).toMatchObject(tooShortOrLong('must have at most 253 characters'));
  });

  it.each([
    ['4 characters', 'a.bc'],
    ['4 characters, each two UTF-16 units', '\u{1F600}'.repeat(4)],
    ['253 characters', `${'a'.repeat(249)}.com`],
    ['253 characters, each two UTF-16 units', '\u{1F600}'.repeat(253)],
    ['253 characters of a name', `${LONG.padEnd(249, '.d')}.com`],
  ])('rule 4: %s are within bounds', async (_what, domain) => {
    expect([...domain].length === 4 || [...domain].length === 253).toBe(true);
    expect(await ask(domain)).toMatchObject(notFound);
  });

  it.each([
    'dom_00000000000000000000000000',
    'nobody.acme.com',
    'not a name',
    'https://one.acme.com',
    'one.acme.com:443',
    'one.acme.com/',
    'one.acme.com.',
    '*.acme.com',
    '....',
    "' or 1=1 --",
    'dom_%',
    'null\u0000byte',
    'half \ud800 pair',
    '../../etc/passwd',
    'proj_00000000000000000000000000',
  ])('rule 5: %j has a valid length but is neither a valid name nor a stored id: 404', async (domain) => {
    expect(await ask(domain)).toMatchObject(notFound);
  });

  it('rule 6: an error never repeats what was asked for', async () => {
    expect((await ask('secret-plans.acme.com')).text).not.toContain('secret-plans');
  });

  it('takes an internationalized name in Unicode or Punycode form, both address the same domain', async () => {
    const domain = await api.createDomain(tree, 'bücher.acme.com');
    for (const name of [
      'bücher.acme.com',
      'xn--bcher-kva.acme.com',
      'BÜCHER.Acme.com',
      'XN--BCHER-KVA.acme.com',
      'bu\u0308cher.acme.com',
    ]) {
      expect(await get(name)).toMatchObject({ id: domain.id, domain: 'xn--bcher-kva.acme.com' });
    }
  });

  it('takes an id exactly as it is', async () => {
    const { id } = await api.createDomain(tree, 'exact.acme.com');
    expect(await ask(id.toUpperCase())).toMatchObject(notFound);
    expect(await ask(id.slice(0, -1))).toMatchObject(notFound);
  });

  it('needs one of environment.*.read_domain and environment.<environment_id>.read_domain', async () => {
    await api.createDomain(tree, 'permitted.acme.com');
    const status = async (permissions: string[]) => {
      const { key } = await api.createKey({ permissions });
      return (await api.call('domains.getDomain', { domain: 'permitted.acme.com' }, { key })).status;
    };
    expect(await status(['environment.*.read_domain'])).toBe(200);
    expect(await status([`environment.${tree.environmentId}.read_domain`])).toBe(200);
    expect(await status(['environment.env_other.read_domain'])).toBe(404);
    expect(await status([])).toBe(404);
  });

  it('is read-only', async () => {
    const before = await api.createDomain(tree, 'still.acme.com');
    for (let i = 0; i < 3; i += 1) await get('still.acme.com');
    expect(await api.store.findDomainById(before.workspaceId, before.id)).toEqual(before);
  });
});

describe('the records of a domain', () => {
  it('of a subdomain are a CNAME to a generated target under the CNAME zone, and a TXT with a generated token', async () => {
    await api.createDomain(tree, 'sub.acme.com');
    const { dnsRecords } = await get('sub.acme.com');
    expect(dnsRecords).toEqual([
      {
        type: 'CNAME',
        name: 'sub.acme.com',
        value: expect.stringMatching(/^[a-z][a-z0-9]{15,}\.cname\.platform\.test$/),
        ttl: 60,
        verified: false,
        note: expect.any(String),
      },
      {
        type: 'TXT',
        name: '_service.sub.acme.com',
        value: expect.stringMatching(/^service-domain-verify=[a-zA-Z0-9]{24}$/),
        ttl: 60,
        verified: false,
        note: expect.any(String),
      },
    ]);
  });

  it('of an apex domain are an ALIAS where a subdomain receives a CNAME, and a TXT', async () => {
    await api.createDomain(tree, 'apex-shape.com');
    expect((await get('apex-shape.com')).dnsRecords).toMatchObject([
      { type: 'ALIAS', name: 'apex-shape.com' },
      { type: 'TXT', name: '_service.apex-shape.com' },
    ]);
  });

  it('rule 1: a proxied or flattened routing record stays verified false, and the domain verifies through its TXT record', async () => {
    const domain = await api.createDomain(tree, 'proxied.acme.com');
    await observed(api, domain, { routing: HIDDEN, ownership: everywhere(rightTxt(domain)) });
    const shown = await get('proxied.acme.com');
    expect(shown.status).toBe('verified');
    expect(flags(shown)).toEqual(['CNAME false', 'TXT true']);
  });

  it('rule 2: an apex domain verifies through the TXT record, while the routing record is verified false', async () => {
    const domain = await api.createDomain(tree, 'apex-rule.com');
    await observed(api, domain, { routing: HIDDEN, ownership: everywhere(rightTxt(domain)) });
    const shown = await get('apex-rule.com');
    expect(shown.status).toBe('verified');
    expect(flags(shown)).toEqual(['ALIAS false', 'TXT true']);
  });

  it('rule 3: a subdomain may reach status verified through the routing record alone', async () => {
    const domain = await api.createDomain(tree, 'routed.acme.com');
    await observed(api, domain, { routing: everywhere(cname(domain.target)) });
    const shown = await get('routed.acme.com');
    expect(shown.status).toBe('verified');
    expect(flags(shown)).toEqual(['CNAME true', 'TXT false']);
  });

  it('keep their values through every change of the domain', async () => {
    const domain = await api.createDomain(tree, 'kept.acme.com');
    const values = (await get('kept.acme.com')).dnsRecords.map(({ name, value }) => [name, value]);
    await observed(api, domain, {});
    await observed(api, domain, { routing: everywhere(cname(domain.target)) });
    expect((await get('kept.acme.com')).dnsRecords.map(({ name, value }) => [name, value])).toEqual(values);
  });
});

describe('polling domains.getDomain', () => {
  it('follows the progress: verifying once a check has run, with updatedAt, without verificationError while it progresses normally', async () => {
    const domain = await api.createDomain(tree, 'progress.acme.com');
    api.clock.advance(1000);
    await observed(api, domain, {});
    const shown = await get('progress.acme.com');
    expect(shown).toMatchObject({ status: 'verifying', updatedAt: api.clock.now() });
    expect(shown.createdAt).toBe(domain.createdAt);
    expect(shown.verificationError).toBeUndefined();
  });

  it('shows in plain language why the most recent attempt did not succeed', async () => {
    const domain = await api.createDomain(tree, 'wrong.acme.com');
    await observed(api, domain, { ownership: everywhere(txt('something <b>else</b>')) });
    const { verificationError } = await get('wrong.acme.com');
    expect(verificationError).toContain('_service.wrong.acme.com');
    expect(verificationError?.length).toBeLessThanOrEqual(512);
  });

  it('shows failed with a reason 24 hours after createdAt', async () => {
    const domain = await api.createDomain(tree, 'late.acme.com');
    api.clock.set(domain.createdAt + WINDOW_MS);
    await observed(api, domain, {});
    const shown = await get('late.acme.com');
    expect(shown.status).toBe('failed');
    expect(shown.verificationError).toContain('24 hours');
  });

  it('answers a cached domain byte for byte as one that was just read, but for the request id', async () => {
    const domain = await api.createDomain(tree, 'same.acme.com');
    await observed(api, domain, { ownership: everywhere(txt('quoted "\u00fc" \\ \u2028')) });
    const textOf = async () => {
      const { text, headers } = await ask('same.acme.com');
      const requestId = String(headers['x-request-id']);
      expect(text.split(requestId)).toHaveLength(2);
      return { text: text.replace(requestId, ''), type: headers['content-type'], length: headers['content-length'] };
    };
    const first = await textOf();
    // Read, then twice from the cache.
    for (let i = 0; i < 3; i++) expect(await textOf()).toEqual(first);
    const fresh = await api.store.findDomainById(domain.workspaceId, domain.id);
    const data = dataOf<DomainShown>(await ask(domain.id));
    expect(first.text).toBe(JSON.stringify({ meta: { requestId: '' }, data }));
    expect(fresh?.verificationError).toBe(data.verificationError);
  });

  it('gives each request an id of its own, in the body as in the header', async () => {
    await api.createDomain(tree, 'counted.acme.com');
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('counted.acme.com')));
    const ids = answers.map(({ body }) => body.meta?.requestId);
    expect(new Set(ids).size).toBe(20);
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(ids);
  });
});
