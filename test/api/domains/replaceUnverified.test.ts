import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { failedAt, unique, verifiedAt, verifyingAt } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
let other: string;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
  const created = await api.call('environments.createEnvironment', { app: tree.appId, slug: 'other' });
  other = dataOf<{ environmentId: string }>(created).environmentId;
});
afterAll(() => api.close());

const newName = () => `${unique('name')}.example.com`;
const create = (domain: string, key = api.rootKey, more: object = { replaceUnverified: true }) =>
  api.call('domains.createDomain', { environment: other, domain, ...more }, { key });
const events = async (domain: string) =>
  dataOf<{ type: string; data: object }[]>(await api.call('domains.listEvents', { domain }));

/** Saves what a check found, as the verifier does. */
async function save(before: Domain, after: Domain): Promise<Domain> {
  await api.store.saveTransition({ before, after, memory: NO_MEMORY, now: api.clock.now() });
  return after;
}
const proving = (before: Domain) => ({ ...verifyingAt(before, api.clock.now()), ownershipVerifiedAt: 1 });
/** Every state in which the domain that holds a name may be. */
const STATES: Record<string, (held: Domain) => Promise<unknown>> = {
  pending: async () => {},
  verifying: (held) => save(held, verifyingAt(held, api.clock.now())),
  failed: (held) => save(held, failedAt(held, api.clock.now())),
  'failed, although its ownership record was found': async (held) => {
    const owned = await save(held, proving(held));
    await save(owned, { ...failedAt(owned, api.clock.now()), ownershipVerifiedAt: 1 });
  },
};
const KEPT: Record<string, (held: Domain) => Promise<unknown>> = {
  'that is verified': (held) => save(held, verifiedAt(held, api.clock.now())),
  'whose ownership record is found while its checks run': (held) => save(held, proving(held)),
  'that was verified and has failed since': async (held) => {
    const verified = await save(held, verifiedAt(held, api.clock.now()));
    await api.store.deleteDomain(held.workspaceId, held.id, api.clock.now(), api.clock.now() + WINDOW_MS);
    const deleted = await api.store.findDeletedDomain(held.workspaceId, held.id, api.clock.now());
    if (deleted === null) throw new Error('nothing was deleted');
    const lost = { ...failedAt(verified, api.clock.now()), verifiedAt: null };
    await api.store
      .changesBy({ kind: 'command', actor: 'test', action: 'test', from: '', requestId: null })
      .restoreDomain({ ...deleted, domain: lost }, api.clock.now(), WINDOW_MS);
  },
};

describe('domains.createDomain with replaceUnverified', () => {
  it.each(Object.keys(STATES))('takes the name from a domain that is %s; that one can be restored', async (state) => {
    const held = await api.createDomain(tree, newName());
    await STATES[state]?.(held);
    expect(await create(held.name, api.rootKey, {})).toMatchObject({ status: 409 });
    const { domainId } = dataOf<{ domainId: string }>(await create(held.name));
    const found = await api.call('domains.getDomain', { domain: held.name });
    expect(found.body.data).toMatchObject({ id: domainId, environmentId: other, status: 'pending' });
    expect(await api.call('domains.getDomain', { domain: held.id })).toMatchObject({ status: 404 });
    expect((await events(domainId)).map(({ type }) => type)).toEqual(['domain.created']);
    const timeline = await api.store.listDomainEvents(held.workspaceId, held.id, { limit: 1 });
    expect(timeline.items).toMatchObject([
      { type: 'domain.deleted', data: { name: held.name, deletion: { reason: 'replaced', by: domainId } } },
    ]);
    await api.call('domains.deleteDomain', { domain: domainId });
    const restored = await api.call('domains.restoreDomain', { domain: held.id });
    expect(restored.body.data).toMatchObject({ id: held.id, environmentId: tree.environmentId });
    expect((await events(held.id)).map(({ type }) => type).slice(0, 2)).toEqual(['domain.restored', 'domain.deleted']);
  });

  it.each(Object.keys(KEPT))('leaves a domain %s: the name is a conflict as ever', async (state) => {
    const held = await api.createDomain(tree, newName());
    await KEPT[state]?.(held);
    const refused = await create(held.name);
    const plain = await create(held.name, api.rootKey, {});
    expect([refused.status, refused.body.error]).toEqual([409, plain.body.error]);
    expect(await api.call('domains.getDomain', { domain: held.id })).toMatchObject({ status: 200 });
  });

  it('needs replace_domain where the other domain is, and create_domain here; without, it is a conflict as ever', async () => {
    const held = await api.createDomain(tree, newName());
    const keyOf = async (...permissions: string[]) => (await api.createKey({ permissions })).key;
    const here = `environment.${other}.create_domain`;
    const without = ALL_GRANTS.filter((grant) => grant !== 'environment.*.replace_domain');
    const plain = await create(held.name, api.rootKey, {});
    for (const key of [await keyOf(...without), await keyOf(here, `environment.${other}.replace_domain`)]) {
      const refused = await create(held.name, key);
      expect([refused.status, refused.body.error]).toEqual([409, plain.body.error]);
    }
    const there = `environment.${tree.environmentId}.replace_domain`;
    expect(await create(held.name, await keyOf(there))).toMatchObject({ status: 404 });
    expect(await create(held.name, await keyOf(here, there))).toMatchObject({ status: 200 });
  });

  it('never reaches a domain of another workspace', async () => {
    const { id } = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId: id });
    const foreign = await api.createDomain(await api.createTree('demo', key), newName(), key);
    expect(await create(foreign.name)).toMatchObject({ status: 200 });
    expect(await api.store.findDomainById(id, foreign.id)).toEqual(foreign);
  });

  it('leaves an entry for both domains in the audit log, and a repeat under the same key replaces nothing more', async () => {
    const held = await api.createDomain(tree, newName());
    const body = { environment: other, domain: held.name, replaceUnverified: true };
    const send = () => api.call('domains.createDomain', body, { headers: { 'idempotency-key': held.id } });
    const { domainId } = dataOf<{ domainId: string }>(await send());
    expect(dataOf(await send())).toMatchObject({ domainId });
    const entries = await api.store.listAuditEntries(held.workspaceId, { limit: 3 });
    expect(entries.items.map(({ target, detail }) => [target, detail])).toEqual([
      [held.id, { replacedBy: domainId }],
      [domainId, expect.anything()],
      [held.id, expect.anything()],
    ]);
  });

  it('takes no more of the quota than the domain that it replaces', async () => {
    const { id } = await api.createWorkspace({ limits: { rates: {}, domains: 1 } });
    const { key } = await api.createKey({ workspaceId: id });
    const place = await api.createTree('demo', key);
    const held = await api.createDomain(place, newName(), key);
    const body = { environment: place.environmentId, domain: held.name, replaceUnverified: true };
    expect(await api.call('domains.createDomain', body, { key })).toMatchObject({ status: 200 });
    expect(await api.call('domains.createDomain', { ...body, domain: newName() }, { key })).toMatchObject({
      status: 403,
    });
  });
});

it('domains.createDomains replaces each name that may be, and its dry run says which', async () => {
  const [waiting, verified] = [await api.createDomain(tree, newName()), await api.createDomain(tree, newName())];
  await save(verified, verifiedAt(verified, api.clock.now()));
  const body = { environment: other, domains: [waiting.name, verified.name, newName()], replaceUnverified: true };
  const statuses = async (more: object) =>
    dataOf<{ error?: { status: number } }[]>(await api.call('domains.createDomains', { ...body, ...more })).map(
      ({ error }) => error?.status,
    );
  expect(await statuses({ dryRun: true })).toEqual([undefined, 409, undefined]);
  expect(await api.store.findDomainById(waiting.workspaceId, waiting.id)).not.toBeNull();
  expect(await statuses({})).toEqual([undefined, 409, undefined]);
  expect(await api.store.findDomainById(waiting.workspaceId, waiting.id)).toBeNull();
});

it('of a replacement and the verification of the domain, the one that is saved first wins', async () => {
  const at = api.clock.now();
  for (const first of ['verification', 'replacement']) {
    const held = await api.createDomain(tree, newName());
    const found = await api.store.findReplaceable(held.workspaceId, held.name);
    if (found === null) throw new Error('it cannot be replaced');
    const anew = { ...held, id: unique('dom_'), target: unique('target'), token: unique('token') };
    const replacing = { holders: [found], keptUntil: at };
    const replace = () => api.store.createDomain(anew, at + WINDOW_MS, replacing);
    const verify = () =>
      api.store.saveTransition({ before: held, after: verifiedAt(held, at), memory: NO_MEMORY, now: at });
    if (first === 'verification') {
      expect(await verify()).toBe('saved');
      expect(await replace()).toMatchObject({ kind: 'held', domainId: held.id });
    } else {
      expect(await replace()).toEqual({ kind: 'created', replaced: held.id });
      expect(await verify()).toBe('stale');
    }
  }
});
