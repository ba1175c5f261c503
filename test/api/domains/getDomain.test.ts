import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, START, startApi, type Tree } from '../harness.ts';

let api: Harness;
let tree: Tree;

beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

describe('domains.getDomain', () => {
  it('answers 200 with the domain', async () => {
    const domain = await api.createDomain(tree, 'api.acme.com');
    const answer = await api.call('domains.getDomain', { domain: 'api.acme.com' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ id: domain.id, createdAt: START });
  });
});
