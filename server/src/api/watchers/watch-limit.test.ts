import { expect, it } from 'vitest';
import type { Principal } from '../../access/root-key-cache.ts';
import { watchLimit } from './watch-limit.ts';

const LIMITS = { total: 100, perWorkspace: 10, perKey: 9, perLink: 2 };
const key: Principal = {
  kind: 'root_key',
  workspaceId: 'ws_1',
  actor: 'key_1',
  grants: new Set(),
  limits: { rates: {}, domains: null },
};
const link = (id: string): Principal => ({
  ...key,
  actor: id,
  session: { linkId: id, purpose: 'setup', domainId: 'dom_1', domainName: 'shop.acme.com', expiresAt: 0 },
});

it('links of a workspace have half of its streams at most, and each link its own limit', () => {
  const acquire = watchLimit(LIMITS);
  const open = ['link_1', 'link_1', 'link_2', 'link_2', 'link_3'].map((id) => acquire(link(id)));
  expect(() => acquire(link('link_4'))).toThrow();
  open[0]?.();
  expect(() => acquire(link('link_2'))).toThrow();
  expect(() => acquire(link('link_4'))).not.toThrow();
});

it('a workspace has no more streams than its limit, those of its links included', () => {
  const acquire = watchLimit(LIMITS);
  for (const id of ['link_1', 'link_2', 'link_3', 'link_4', 'link_5']) acquire(link(id));
  for (let i = 0; i < 5; i += 1) acquire(key);
  expect(() => acquire(key)).toThrow();
  expect(() => acquire({ ...key, workspaceId: 'ws_2' })).not.toThrow();
});
