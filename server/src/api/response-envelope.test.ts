import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { cacheDomains } from '../store/cache/cached-domains.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { Store } from '../store/store.ts';
import { exampleDomain } from './domains/present-domain.ts';
import { PresentedOnce } from './operation.ts';
import { responseEnvelope } from './response-envelope.ts';

const reply = { serialize: JSON.stringify, type: () => reply } as unknown as FastifyReply;
const request = (id: string) => ({ id }) as FastifyRequest;

it('two operations that present the same cached domain each keep a text of their own', async () => {
  const store = { findDomainById: async () => exampleDomain, onDomainWrite: () => {} } as Partial<Store> as Store;
  const changes = { isFresh: () => true, subscribe: () => {} } as Partial<ChangeFeed> as ChangeFeed;
  const cached = cacheDomains(store, changes);
  // A domain is cached when it is read again.
  await cached.findDomainById(exampleDomain.workspaceId, exampleDomain.id);
  await cached.findDomainById(exampleDomain.workspaceId, exampleDomain.id);
  const domain = await cached.findDomainById(exampleDomain.workspaceId, exampleDomain.id);
  let presented = 0;
  const [byName, byStatus] = [responseEnvelope(), responseEnvelope()];
  for (const id of ['req_1', 'req_2']) {
    const result = (data: object) => ({
      data: new PresentedOnce(domain ?? {}, () => {
        presented += 1;
        return data;
      }),
    });
    const text = (data: string) => `{"meta":{"requestId":"${id}"},"data":${data}}`;
    expect(byName(result({ name: 'a' }), request(id), reply)).toBe(text('{"name":"a"}'));
    expect(byStatus(result({ status: 'b' }), request(id), reply)).toBe(text('{"status":"b"}'));
  }
  expect(presented).toBe(2);
});
