import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESETS } from '../../words/presets.ts';
import { dataOf, type Harness, START, startApi } from '../support/api-harness.ts';

interface Made {
  workspaceId: string;
  environmentId: string;
  keyId: string;
  key: string;
}

const PLACE = { project: 'main', app: 'web', environment: 'production' };

let api: Harness;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = (body: object = {}, key = api.rootKey) =>
  api.call('workspaces.createWorkspace', { name: 'Customer', ...body }, { key });
const made = async (body: object = {}, key = api.rootKey) => dataOf<Made>(await create(body, key));
const attach = (domain: string, key: string) => api.call('domains.createDomain', { ...PLACE, domain }, { key });

describe('workspaces.createWorkspace', () => {
  it('makes a workspace in which a platform attaches a domain at once, with its first key', async () => {
    const { workspaceId, environmentId, keyId, key } = await made();
    expect((await attach('shop.example.com', key)).status).toBe(200);
    const domain = await api.store.findDomainByName(workspaceId, 'shop.example.com');
    expect(domain).toMatchObject({ workspaceId, environmentId });
    const { permissions } = (await api.store.findRootKey(keyId)) ?? {};
    expect(permissions).toEqual(PRESETS.platform);
  });

  it('separates them: each has its own names and keys, and neither sees the other, also not its maker', async () => {
    const [one, other] = [await made(), await made()];
    for (const { key } of [one, other]) expect((await attach('www.example.com', key)).status).toBe(200);
    const tree = await api.createTree();
    const { id } = await api.createDomain(tree, 'own.example.com');
    const domain = await api.store.findDomainByName(one.workspaceId, 'www.example.com');
    const read = async (identifier: string | undefined, key: string) =>
      (await api.call('domains.getDomain', { domain: identifier }, { key })).status;
    expect(await read(domain?.id, api.rootKey)).toBe(404);
    expect(await read(domain?.id, other.key)).toBe(404);
    expect(await read(id, one.key)).toBe(404);
    expect(await api.call('keys.getKey', { keyId: one.keyId })).toMatchObject({ status: 404 });
    expect(await api.call('keys.revokeKey', { keyId: one.keyId })).toMatchObject({ status: 404 });
  });

  it('gives the first key no more than the caller has: a permission that it lacks is refused', async () => {
    const { key } = await api.createKey({ permissions: ['workspace.*.create_workspace', 'environment.*.read_domain'] });
    expect(await create({}, key)).toMatchObject({ status: 403, body: { error: { type: 'exceeds-caller' } } });
    const { keyId } = await made({ permissions: ['environment.*.read_domain'] }, key);
    expect((await api.store.findRootKey(keyId))?.permissions).toEqual(['environment.*.read_domain']);
  });

  it('gives the first key the end of the caller', async () => {
    const { key } = await api.createKey({ expiresAt: START + 1000 });
    expect(await api.store.findRootKey((await made({}, key)).keyId)).toMatchObject({ expiresAt: START + 1000 });
  });

  it('gives the workspace the limits of its maker: nobody gets rid of a limit by making a workspace', async () => {
    const limits = { rates: { 'domains.getDomain': { limit: 1, windowMs: 1000 } }, domains: 1 };
    const { id: workspaceId } = await api.createWorkspace({ limits });
    const { key } = await api.createKey({ workspaceId });
    const child = await made({}, key);
    expect((await api.store.findWorkspace(child.workspaceId))?.limits).toEqual(limits);
    expect((await attach('a.example.com', child.key)).status).toBe(200);
    expect(await attach('b.example.com', child.key)).toMatchObject({ status: 403 });
  });

  it('needs a permission that no preset has', async () => {
    for (const preset of Object.values(PRESETS)) {
      const { key } = await api.createKey({ permissions: [...preset] });
      expect(await create({}, key)).toMatchObject({ status: 403, body: { error: { type: 'forbidden' } } });
    }
  });
});

describe('workspaces.listWorkspaces', () => {
  it('has those that the workspace made, page by page, and no other', async () => {
    const { id: workspaceId } = await api.createWorkspace();
    const { key } = await api.createKey({ workspaceId });
    const [one, other] = [await made({ name: 'One' }, key), await made({ name: 'Other' }, key)];
    const page = async (body: object) => api.call('workspaces.listWorkspaces', body, { key });
    const first = await page({ limit: 1 });
    expect(first.body.data).toEqual([{ id: one.workspaceId, name: 'One', createdAt: START }]);
    const { body } = await page({ limit: 1, cursor: first.body.pagination?.cursor });
    expect(body).toMatchObject({ data: [{ id: other.workspaceId }], pagination: { hasMore: false } });
    const { key: child } = await made({ preset: 'read-only' });
    expect((await api.call('workspaces.listWorkspaces', {}, { key: child })).status).toBe(403);
  });
});
