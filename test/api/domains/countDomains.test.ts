import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { prove } from '../../support/certificates.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const NO_STATUS = { pending: 0, verifying: 0, verified: 0, failed: 0 };
const NO_CERTIFICATE = { none: 0, wanted: 0, waiting_for_routing: 0, ordering: 0, issued: 0, renewing: 0, failed: 0 };
const count = async (key = api.rootKey) => dataOf(await api.call('domains.countDomains', {}, { key }));

describe('domains.countDomains', () => {
  it('counts the domains of the workspace and no others, by status and by certificate, as they are now', async () => {
    const countedAt = api.clock.now();
    const other = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    const empty = { total: 0, byStatus: NO_STATUS, byCertificate: NO_CERTIFICATE, countedAt };
    expect(await count()).toEqual(empty);
    for (const name of ['a.example.com', 'b.example.com', 'c.example.com']) {
      const domain = await api.createDomain(tree, name);
      if (name.startsWith('a')) await prove(api.store, domain, countedAt);
    }
    expect(await count()).toEqual({
      total: 3,
      byStatus: { ...NO_STATUS, pending: 2, verified: 1 },
      byCertificate: { ...NO_CERTIFICATE, none: 2, wanted: 1 },
      countedAt,
    });
    expect(await count(other.key)).toEqual(empty);
  });

  it('needs read_domain on all environments, and names the permission that is missing', async () => {
    for (const permissions of [['environment.*.update_domain'], [`environment.${tree.environmentId}.read_domain`]]) {
      const { key } = await api.createKey({ permissions });
      const answer = await api.call('domains.countDomains', {}, { key });
      expect(answer).toMatchObject({ status: 403 });
      expect(answer.text).toContain('environment.*.read_domain');
    }
  });
});
