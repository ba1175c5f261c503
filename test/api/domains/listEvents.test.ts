import type { Static } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EventSchema } from '../../../server/src/api/domains/listEvents.ts';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';

type Event = Static<typeof EventSchema>;

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

const list = async (body: object) => dataOf<Event[]>(await api.call('domains.listEvents', body));

/** As a check saves it. */
async function save(before: Domain, change: Partial<Domain>, seen = {}): Promise<Domain> {
  const after = { ...before, ...change, revision: before.revision + 1 };
  await api.store.saveTransition({ before, after, memory: NO_MEMORY, seen, now: api.clock.now() });
  return after;
}

test('the timeline of a domain is listed newest first, with who did what', async () => {
  const { key, id } = await api.createKey();
  const created = await api.createDomain(tree, 'shop.acme.com', key);
  api.clock.advance(1000);
  const token = 'service-domain-verify=Token';
  const found = await save(created, { status: 'verifying', ownershipVerifiedAt: START }, { ownership: [token] });
  await save(found, { status: 'failed', verificationError: 'Not verified within 24 hours.' });
  api.clock.advance(1000);
  const other = await api.createKey();
  expect(await api.call('domains.verifyDomain', { domain: 'shop.acme.com' }, { key: other.key })).toMatchObject({
    status: 202,
  });
  const events = await list({ domain: 'shop.acme.com' });
  expect(events).toMatchObject([
    { type: 'domain.retried', at: START + 2000, actor: other.id, data: { status: 'pending' } },
    { type: 'domain.failed', at: START + 1000, data: { verificationError: 'Not verified within 24 hours.' } },
    { type: 'record.seen', at: START + 1000, data: { record: 'ownership', seen: [token], ownershipVerified: true } },
    { type: 'domain.created', at: START, actor: id, data: { status: 'pending', ownershipVerified: false } },
  ]);
  expect(events[1]).not.toHaveProperty('actor');
  api.clock.set(START);
});

test('pages follow each other without a gap', async () => {
  let domain = await api.createDomain(tree, 'pages.acme.com');
  for (let at = 0; at < 6; at++)
    domain = await save(domain, { status: 'verifying', routingVerifiedAt: at % 2 === 0 ? START : null });
  const all = await list({ domain: 'pages.acme.com' });
  expect(all).toHaveLength(7);
  const paged: Event[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await api.call('domains.listEvents', {
      domain: 'pages.acme.com',
      limit: 3,
      ...(cursor && { cursor }),
    });
    expect(status).toBe(200);
    paged.push(...(body.data as Event[]));
    cursor = body.pagination?.cursor;
  } while (cursor !== undefined);
  expect(paged).toEqual(all);
});

test('of a domain that was added again, only its own events are listed', async () => {
  await api.createDomain(tree, 'again.acme.com');
  await api.call('domains.deleteDomain', { domain: 'again.acme.com' });
  await api.createDomain(tree, 'again.acme.com');
  expect((await list({ domain: 'again.acme.com' })).map(({ type }) => type)).toEqual(['domain.created']);
});

test('a domain that was deleted has no timeline to see', async () => {
  const { id } = await api.createDomain(tree, 'gone.acme.com');
  await api.call('domains.deleteDomain', { domain: id });
  expect(await api.call('domains.listEvents', { domain: id })).toMatchObject({ status: 404 });
});

test('who deleted a domain is kept', async () => {
  const { id } = await api.createDomain(tree, 'kept.acme.com');
  const by = await api.createKey();
  await api.call('domains.deleteDomain', { domain: id }, { key: by.key });
  const { items } = await api.store.listDomainEvents(api.workspaceId, id, { limit: 1 });
  expect(items).toMatchObject([{ type: 'domain.deleted', actor: by.id }]);
});
