import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signToken } from '../../../server/src/access/dashboard-token.ts';
import { hashRootKey } from '../../../server/src/access/secret-text.ts';
import { signSession } from '../../../server/src/access/session-token.ts';
import { createSetupToken } from '../../../server/src/access/setup-link.ts';
import { currentSigningKey, rotateSigningKey } from '../../../server/src/access/signing-key.ts';
import { operations } from '../../../server/src/api/operations.ts';
import { idMaker } from '../../../server/src/base/ids.ts';
import { digestOfMistakes } from '../../../server/src/domain/check-result.ts';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import type { Answer } from '../../support/api-contract.ts';
import { ALL_GRANTS, dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { aCheckResult, failedAt } from '../../support/entities.ts';
import { watch } from '../../support/watching.ts';

let api: Harness;
let tree: Tree;
let count = 0;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

interface Link {
  linkId: string;
  url: string;
  token: string;
  expiresAt: number;
}

interface Diagnosed {
  findings: object[];
}

interface Session {
  sessionToken: string;
  expiresAt: number;
}

/** A domain of its own for a test. */
const newDomain = (key = api.rootKey): Promise<Domain> => {
  count += 1;
  return api.createDomain(tree, `shop-${count}.acme.com`, key);
};
const newLink = async (domain: string, about: object = {}): Promise<Link> =>
  dataOf<Link>(await api.call('domains.createSetupLink', { domain, ...about }));
const open = (token: string, headers: Record<string, string> = {}) =>
  api.call('setup.openSession', { token }, { key: null, headers });
const newSession = async (token: string): Promise<Session> => dataOf<Session>(await open(token));
const sessionFor = async (domain: Domain) => {
  const link = await newLink(domain.name);
  return { ...link, key: (await newSession(link.token)).sessionToken };
};
const ask = (key: string, domain: string, operation = 'domains.getDomain') => api.call(operation, { domain }, { key });
const refused = (code: string, status = 401) => ({ status, body: { error: { type: code } } });
/** An answer without what differs from request to request. */
const told = ({ status, headers, text, body }: Answer) => {
  const { date: _, 'x-request-id': __, ...rest } = headers;
  return { status, headers: rest, text: text.replace(body.meta?.requestId ?? '', 'REQUEST') };
};
const parts = () => ({ store: api.store, clock: api.clock, newId: idMaker(api.clock) });

it('a session tells the address of its page: with the token it is the link', async () => {
  const { url, token } = await newLink((await newDomain()).name);
  const { pageUrl } = dataOf<{ pageUrl: string }>(await open(token));
  expect(`${pageUrl}#${token}`).toBe(url);
});

describe('a set-up link', () => {
  it('leads to the page of the public address, with its token only in the fragment', async () => {
    const { name } = await newDomain();
    const link = await newLink(name);
    expect(link).toMatchObject({ linkId: expect.stringMatching(/^link_/), expiresAt: START + 7 * 86_400_000 });
    expect(link.token).toMatch(/^nps_[1-9A-HJ-NP-Za-km-z]{39}$/);
    expect(link.url).toBe(`https://api.platform.test/setup#${link.token}`);
  });

  it('works for the time that was asked for, a minute to 30 days', async () => {
    const { name } = await newDomain();
    expect(await newLink(name, { expiresInSeconds: 60 })).toMatchObject({ expiresAt: START + 60_000 });
    expect(await newLink(name, { expiresInSeconds: 2_592_000 })).toMatchObject({ expiresAt: START + 2_592_000_000 });
    for (const expiresInSeconds of [59, 2_592_001, 60.5, '60'])
      expect(await api.call('domains.createSetupLink', { domain: name, expiresInSeconds })).toMatchObject({
        status: 400,
      });
  });

  it('is listed without its token, until it is revoked and after, with who made it and who revoked it', async () => {
    const { name, id } = await newDomain();
    const [first, second] = [await newLink(name), await newLink(name)];
    const other = await api.createKey();
    const revoked = await api.call('domains.revokeSetupLink', { linkId: first.linkId }, { key: other.key });
    expect(revoked).toMatchObject({ status: 200 });
    const listed = await api.call('domains.listSetupLinks', { domain: name });
    const by = (await api.store.findPrincipal(Buffer.from(hashRootKey(api.rootKey), 'hex')))?.key.id;
    const about = { domainId: id, purpose: 'setup', createdAt: START, createdBy: by, expiresAt: first.expiresAt };
    expect(listed.body.data).toEqual([
      { id: first.linkId, ...about, revokedAt: START, revokedBy: other.id },
      { id: second.linkId, ...about },
    ]);
    expect(listed.text).not.toContain('nps_');
  });

  it('made twice with one Idempotency-Key is one link, and both responses have its token', async () => {
    const { name } = await newDomain();
    const make = () =>
      api.call('domains.createSetupLink', { domain: name }, { headers: { 'idempotency-key': `link ${name}` } });
    const [first, second] = [await make(), await make()];
    expect(dataOf(second)).toEqual(dataOf(first));
    expect((await api.call('domains.listSetupLinks', { domain: name })).body.data).toHaveLength(1);
  });

  it('is one of a hundred at most that work; one that is revoked makes room', async () => {
    const { name } = await newDomain();
    const make = () => api.call('domains.createSetupLink', { domain: name });
    const made = await Promise.all(Array.from({ length: 100 }, make));
    expect(made.map(({ status }) => status)).toEqual(Array(100).fill(200));
    const refused = { status: 403, body: { error: { type: 'setup-link-limit-exceeded' } } };
    expect(await make()).toMatchObject(refused);
    // A refusal is not kept under the key.
    const headers = { 'idempotency-key': `once more ${name}` };
    const repeat = () => api.call('domains.createSetupLink', { domain: name }, { headers });
    expect(await repeat()).toMatchObject(refused);
    await api.call('domains.revokeSetupLink', { linkId: dataOf<Link>(made[0] as Answer).linkId });
    const last = dataOf<Link>(await repeat());
    expect(await make()).toMatchObject(refused);
    expect(dataOf<Link>(await repeat())).toEqual(last);
  });

  it('cannot be made where the server does not know its public address', async () => {
    const alone = await startApi({ settings: { publicUrl: undefined } });
    await alone.createDomain(await alone.createTree(), 'shop.acme.com');
    expect(await alone.call('domains.createSetupLink', { domain: 'shop.acme.com' })).toMatchObject({ status: 412 });
    await alone.close();
  });

  it('is neither revoked nor opened by another workspace', async () => {
    const { name } = await newDomain();
    const { linkId, token } = await newLink(name);
    const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    expect(await api.call('domains.revokeSetupLink', { linkId }, { key })).toMatchObject({ status: 404 });
    expect(await open(token)).toMatchObject({ status: 200 });
  });
});

describe('a session', () => {
  it('is opened with the token of a link, without a key, and shows its domain and the brand', async () => {
    const { name, id } = await newDomain();
    const { token } = await newLink(name);
    const brand = { name: 'Acme', accent: '#112233' };
    await api.call('setup.setBrand', { brand });
    const { body } = await open(token);
    expect(body.data).toMatchObject({ domain: { id, domain: name }, brand, expiresAt: START + 120_000 });
  });

  it('reads, diagnoses, watches and checks its domain, by name and by id', async () => {
    const { name, id } = await newDomain();
    const { key } = await sessionFor({ name, id } as Domain);
    for (const domain of [name, id, name.toUpperCase()]) {
      expect(await ask(key, domain)).toMatchObject({ status: 200, body: { data: { id } } });
      expect(await ask(key, domain, 'domains.getCertificate')).toMatchObject({ status: 200 });
      expect(await ask(key, domain, 'domains.verifyDomain')).toMatchObject({ status: 202 });
      const cached = { domain, cached: true };
      expect(await api.call('domains.diagnoseDomain', cached, { key })).toMatchObject({ status: 200 });
    }
    const watching = await watch(api.url, { key, domain: name });
    expect(await watching.next()).toMatchObject({ event: 'domain', data: { id } });
    watching.close();
  });

  it('learns no name of another domain: whose value was published by mistake is for the platform', async () => {
    const domain = await newDomain();
    const { key, token } = await sessionFor(domain);
    const verificationError = `The TXT record at _service.${domain.name} has the value "x". That is the value of blog.acme.com. Change it.`;
    const after = { ...failedAt(domain, START), verificationError };
    await api.store.saveTransition({ before: domain, after, memory: NO_MEMORY, now: START });
    await api.changes.poll();
    const watching = await watch(api.url, { key, domain: domain.name });
    const own = await watch(api.url, { key: api.rootKey, domain: domain.name });
    const events = [await watching.next(), await own.next()].map((event) => JSON.stringify(event));
    watching.close();
    own.close();
    const shown = [(await open(token)).text, (await ask(key, domain.name)).text, events[0] ?? ''];
    for (const text of shown) {
      expect(text).not.toContain('blog.acme.com');
      expect(text).toContain('It looks like the value of another domain, or of this one before it was deleted');
    }
    for (const text of [events[1], (await ask(api.rootKey, domain.name)).text]) expect(text).toContain('blog.acme.com');
  });

  it('never gets the name of the domain that a value belongs to: not in a diagnosis, a stream, or what is refused', async () => {
    const domain = await newDomain();
    const { key } = await sessionFor(domain);
    const owner = 'blog.acme.com';
    const message = `The TXT record has the value "x". That is the value of ${owner}.`;
    const found = { code: 'txt_other_domain', facts: { owner, zone: 'acme.com' }, message, seen: ['x'] } as const;
    const result = aCheckResult(domain, { ...found, seen: [...found.seen] });
    const mistakes = digestOfMistakes(result.findings);
    const save = { before: domain, after: domain, memory: NO_MEMORY, result, mistakes, now: START };
    expect(await api.store.saveTransition(save)).toBe('saved');
    await api.changes.poll();
    const diagnosed = (by: string) =>
      api.call('domains.diagnoseDomain', { domain: domain.name, cached: true }, { key: by });
    const streamed = async (by: string) => {
      const watching = await watch(api.url, { key: by, domain: domain.name });
      const event = await watching.next();
      watching.close();
      expect(event.event).toBe('diagnosis');
      return event.data;
    };
    for (const { findings } of [dataOf<Diagnosed>(await diagnosed(api.rootKey)), await streamed(api.rootKey)])
      expect(findings).toMatchObject([{ code: 'txt_other_domain', facts: { owner } }]);
    for (const shown of [dataOf<Diagnosed>(await diagnosed(key)), await streamed(key)]) {
      expect(shown.findings).toMatchObject([{ code: 'txt_stale', facts: { zone: 'acme.com' }, seen: ['x'] }]);
      expect(JSON.stringify(shown)).not.toContain(owner);
    }
    const path = { project: 'demo', app: 'web', environment: 'production' };
    for (const [operation, body] of [
      ['domains.checkName', { ...path, domain: domain.name }],
      ['domains.listEvents', { domain: domain.name }],
    ] as const)
      expect(await api.call(operation, body, { key }), operation).toMatchObject({ status: 403 });
    expect((await api.call('domains.listEvents', { domain: domain.name })).text).toContain(owner);
  });

  it('names its link in the timeline of the domain', async () => {
    const domain = await newDomain();
    const { key, linkId } = await sessionFor(domain);
    await api.store.saveTransition({ before: domain, after: failedAt(domain, START), memory: NO_MEMORY, now: START });
    expect(await ask(key, domain.name, 'domains.verifyDomain')).toMatchObject({ status: 202 });
    const { data } = (await api.call('domains.listEvents', { domain: domain.name })).body;
    expect(data).toContainEqual(expect.objectContaining({ type: 'domain.retried', actor: linkId }));
  });

  it.each([
    'domains.getDomain',
    'domains.diagnoseDomain',
    'domains.getCertificate',
    'domains.verifyDomain',
    'setup.getDomainConnect',
  ])('%s: another domain answers exactly like one that is missing', async (operation) => {
    const [mine, other] = [await newDomain(), await newDomain()];
    const { key } = await sessionFor(mine);
    const missing = told(await ask(key, 'none.acme.com', operation));
    expect(missing.status).toBe(404);
    const stripped = (answer: Answer) => {
      const { headers, ...rest } = told(answer);
      return { ...rest, headers: { ...headers, 'ratelimit-remaining': missing.headers['ratelimit-remaining'] } };
    };
    for (const domain of [other.name, other.id, 'dom_none'])
      expect(stripped(await ask(key, domain, operation))).toEqual(missing);
  });

  it('may call no other operation', async () => {
    const { name } = await newDomain();
    const { key } = await sessionFor({ name } as Domain);
    const allowed = [
      'getDomain',
      'diagnoseDomain',
      'watchDomain',
      'getCertificate',
      'verifyDomain',
      'getDomainConnect',
    ];
    const others = operations.filter((each) => !allowed.includes(each.name.replace(/^(domains|setup)\./, '')));
    expect(others).toHaveLength(operations.length - allowed.length);
    for (const operation of others)
      expect(await api.call(operation.name, { domain: name }, { key }), operation.name).toMatchObject({
        status: 403,
        body: { error: { detail: expect.stringContaining('cannot call') } },
      });
  });

  it('does not reach a domain that was added again under the same name', async () => {
    const first = await newDomain();
    const { key, token } = await sessionFor(first);
    // From now on the link is cached.
    expect(await ask(key, first.name)).toMatchObject({ status: 200 });
    await api.call('domains.deleteDomain', { domain: first.name });
    const again = await api.createDomain(tree, first.name);
    expect(again.id).not.toBe(first.id);
    for (const domain of [first.name, again.id]) expect([401, 404]).toContain((await ask(key, domain)).status);
    await api.changes.poll();
    expect(await ask(key, first.name)).toMatchObject(refused('setup-link-not-found'));
    expect(await open(token)).toMatchObject(refused('setup-link-not-found'));
  });
});

describe('refusals', () => {
  it('names whom to ask where a link has ended: the name and the support address of the brand', async () => {
    const workspace = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: workspace.id });
    const { name } = await api.createDomain(await api.createTree('branded', key), 'shop.branded.com', key);
    const { token, linkId } = dataOf<Link>(await api.call('domains.createSetupLink', { domain: name }, { key }));
    await api.call('domains.revokeSetupLink', { linkId }, { key });
    const detail = async (brand: object) => {
      await api.store.saveSetupPage(workspace.id, { brand });
      return (await open(token)).body.error?.detail;
    };
    expect(await detail({})).toBe('The set-up link was revoked.');
    expect(await detail({ name: 'Acme' })).toBe('The set-up link was revoked. Ask Acme for a new one.');
    const support = 'mailto:help@acme.example';
    expect(await detail({ name: 'Acme', support })).toBe(
      'The set-up link was revoked. Ask Acme for a new one: mailto:help@acme.example',
    );
    const headers = async (brand: object) => {
      await api.store.saveSetupPage(workspace.id, { brand });
      const { headers } = await open(token);
      return [headers['nameplate-support'], headers['nameplate-support-name']];
    };
    expect(await headers({})).toEqual([undefined, undefined]);
    expect(await headers({ name: 'Käse & Co', support })).toEqual([support, 'K%C3%A4se%20%26%20Co']);
    const page = 'https://xn--bcher-kva.example/hilfe?ä';
    expect(await headers({ support: page })).toEqual(['https://xn--bcher-kva.example/hilfe?%C3%A4', undefined]);
  });

  it('a token that is not of a link, however it looks: one that cannot be one is called incomplete', async () => {
    const { token } = await newLink((await newDomain()).name);
    const flipped = token.slice(0, -1) + (token.endsWith('1') ? '2' : '1');
    for (const text of ['nps_', 'x', flipped, token.toLowerCase(), `${token} `, api.rootKey, '\u0000', '💥'])
      expect(await open(text), text).toMatchObject(refused('setup-link-incomplete'));
    expect((await open(token.slice(0, -3))).body.error?.detail).toBe(
      'The set-up link is incomplete or was altered. Open it as it was sent.',
    );
    expect(await open(createSetupToken(randomBytes).token)).toMatchObject(refused('setup-link-not-found'));
    for (const body of [{}, { token: '' }, { token: 1 }, { token: 'x'.repeat(256) }, { token, more: 1 }, []])
      expect(await api.call('setup.openSession', body, { key: null })).toMatchObject({ status: 400 });
  });

  it('a link that has expired, and its sessions, from the millisecond on', async () => {
    const { name } = await newDomain();
    const { token, expiresAt } = await newLink(name, { expiresInSeconds: 60 });
    const session = await newSession(token);
    expect(session.expiresAt).toBe(expiresAt);
    api.clock.set(expiresAt - 1);
    expect(await ask(session.sessionToken, name)).toMatchObject({ status: 200 });
    api.clock.set(expiresAt);
    expect(await ask(session.sessionToken, name)).toMatchObject(refused('setup-link-expired'));
    expect(await open(token)).toMatchObject(refused('setup-link-expired'));
    api.clock.set(START);
  });

  it('a link that was revoked, and its sessions after the next poll of the change feed', async () => {
    const { name } = await newDomain();
    const { token, linkId } = await newLink(name);
    const { sessionToken } = await newSession(token);
    expect(await ask(sessionToken, name)).toMatchObject({ status: 200 });
    await api.call('domains.revokeSetupLink', { linkId });
    await api.changes.poll();
    expect(await ask(sessionToken, name)).toMatchObject(refused('setup-link-revoked'));
    expect(await open(token)).toMatchObject(refused('setup-link-revoked'));
  });

  it('a session of two minutes ago', async () => {
    const { name } = await newDomain();
    const { sessionToken, expiresAt } = await newSession((await newLink(name)).token);
    api.clock.set(expiresAt - 1);
    await api.changes.poll();
    expect(await ask(sessionToken, name)).toMatchObject({ status: 200 });
    api.clock.set(expiresAt);
    expect(await ask(sessionToken, name)).toMatchObject(refused('unauthorized'));
    api.clock.set(START);
  });

  it('a session that was just used, after the key that signed it was revoked and the change feed polled', async () => {
    const { name } = await newDomain();
    const { sessionToken } = await newSession((await newLink(name)).token);
    await api.changes.poll();
    expect(await ask(sessionToken, name)).toMatchObject({ status: 200 });
    await rotateSigningKey(parts(), { revoke: true });
    await api.changes.poll();
    expect(await ask(sessionToken, name)).toMatchObject(refused('unauthorized'));
  });

  it('links and sessions of a disabled workspace', async () => {
    const workspace = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: workspace.id });
    const domain = await api.createDomain(await api.createTree('other', key), 'shop.other.com', key);
    const made = await api.call('domains.createSetupLink', { domain: domain.name }, { key });
    const { token } = dataOf<Link>(made);
    const { sessionToken } = await newSession(token);
    expect(await ask(sessionToken, domain.name)).toMatchObject({ status: 200 });
    await api.store.setWorkspaceDisabled(workspace.id, START);
    await api.changes.poll();
    const disabled = refused('setup-workspace-disabled', 403);
    expect(await ask(sessionToken, domain.name)).toMatchObject(disabled);
    expect(await open(token)).toMatchObject(disabled);
    // Its own keys are refused with the type of the specification.
    expect(await ask(key, domain.name)).toMatchObject(refused('forbidden', 403));
  });

  it('a session token that was changed, or signed for another link, workspace or domain', async () => {
    const [mine, other] = [await newDomain(), await newDomain()];
    const { key, linkId } = await sessionFor(mine);
    const foreign = await sessionFor(other);
    const [head = '', claims = '', signature = ''] = key.split('.');
    const edited = Buffer.from(claims, 'base64url').toString().replace(mine.id, other.id);
    const signer = await currentSigningKey(parts());
    const sign = async (about: object) => {
      const binding = { id: linkId, workspaceId: api.workspaceId, domainId: mine.id, ...about };
      return (await signSession(signer, binding, START)).token;
    };
    for (const bad of [
      [head, Buffer.from(edited).toString('base64url'), signature].join('.'),
      [head, claims, foreign.key.split('.')[2]].join('.'),
      [head, claims, ''].join('.'),
      [Buffer.from('{"alg":"none","typ":"nameplate-setup+jwt"}').toString('base64url'), claims, ''].join('.'),
      await sign({ domainId: other.id }),
      await sign({ workspaceId: 'ws_none' }),
      await sign({ id: foreign.linkId }),
    ])
      expect((await ask(bad, other.name)).status, bad).toBe(401);
    expect(await ask(await sign({ id: 'link_none' }), mine.name)).toMatchObject(refused('setup-link-not-found'));
    expect(await ask(await sign({}), mine.name)).toMatchObject({ status: 200 });
  });

  it('a token of one kind as one of the other: they differ in type, issuer and audience', async () => {
    const { name } = await newDomain();
    const { key: session, token: ofLink } = await sessionFor({ name } as Domain);
    const signer = await currentSigningKey(parts());
    const about = { sub: 'ada', workspaceId: api.workspaceId, permissions: ALL_GRANTS };
    const { token: dashboard } = await signToken(signer, about, { now: START, lifeMs: 60_000 });
    expect(await ask(dashboard, name)).toMatchObject({ status: 200 });
    // With the header of the other kind the signature is wrong; signed again, issuer and audience are.
    const swap = (token: string, by: string) => [by.split('.')[0], ...token.split('.').slice(1)].join('.');
    expect(await ask(swap(session, dashboard), name)).toMatchObject(refused('unauthorized'));
    expect(await ask(swap(dashboard, session), name)).toMatchObject(refused('unauthorized'));
    for (const text of [session, dashboard]) expect((await open(text)).status).toBeGreaterThanOrEqual(400);
    // Neither is the token of the link a key.
    expect(await ask(ofLink, name)).toMatchObject({ status: 401 });
  });
});

describe('a stream of a session', () => {
  const endOf = async (watching: Awaited<ReturnType<typeof watch>>) => {
    for (;;) {
      const event = await watching.next();
      if (event.event === 'end') return event.data;
    }
  };

  it('ends within a second of the revocation of its link, and says why', async () => {
    const domain = await newDomain();
    const { key, linkId } = await sessionFor(domain);
    const watching = await watch(api.url, { key, domain: domain.id });
    await api.call('domains.revokeSetupLink', { linkId });
    expect(await endOf(watching)).toMatchObject({
      reason: 'access_ended',
      error: { status: 401, type: 'setup-link-revoked' },
    });
  });

  it('ends with its domain', async () => {
    const domain = await newDomain();
    const { key } = await sessionFor(domain);
    const watching = await watch(api.url, { key, domain: domain.id });
    await api.call('domains.deleteDomain', { domain: domain.id });
    expect(await endOf(watching)).toMatchObject({ reason: 'domain_gone' });
  });

  it('ends with its session token', async () => {
    const domain = await newDomain();
    const { key } = await sessionFor(domain);
    const watching = await watch(api.url, { key, domain: domain.id });
    api.clock.advance(120_000);
    expect(await endOf(watching)).toMatchObject({ reason: 'access_ended', error: { type: 'unauthorized' } });
    api.clock.set(START);
  });

  it('of another domain does not begin', async () => {
    const [mine, other] = [await newDomain(), await newDomain()];
    const { key } = await sessionFor(mine);
    await expect(watch(api.url, { key, domain: other.name })).rejects.toThrow('404');
  });
});
