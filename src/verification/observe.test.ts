import { expect, it } from 'vitest';
import { aDomain, anApp, anEnvironment, aProject } from '../../test/support/entities.ts';
import type { AnsweredBy, RecordLookups } from '../dns/resolver.ts';
import { ownershipName, ownershipValue } from '../domain/records.ts';
import { observe } from './observe.ts';

it('the ownership record below a doubled zone is looked for while the doubled name of the routing record is not answered', async () => {
  const by: AnsweredBy = { server: 'ns.acme.com', address: '192.0.2.1', authoritative: true };
  const answered = { chain: [], by, zone: 'acme.com' };
  // The name has another record, so that its doubled name saves no query.
  const absent = { kind: 'absent', reason: 'nodata', ...answered } as const;
  const environment = anEnvironment(anApp(aProject({ workspaceId: 'ws_1' })));
  const domain = aDomain(environment, { name: 'api.acme.com', kind: 'subdomain' });
  const asked = Promise.withResolvers<void>();
  const resolver: RecordLookups = {
    async lookupTxt(name) {
      if (name === ownershipName(domain)) return absent;
      asked.resolve();
      return { kind: 'found', values: [ownershipValue(domain)], ...answered };
    },
    async lookupRoute(name) {
      if (name === domain.name) return absent;
      await asked.promise;
      return { kind: 'unreadable', reason: 'timeout', chain: [] };
    },
  };
  expect(await observe(resolver, domain, null, new AbortController().signal)).toEqual({
    ownership: { kind: 'absent', reason: 'nodata', doubledAt: `${ownershipName(domain)}.acme.com` },
    routing: { kind: 'absent', reason: 'nodata' },
  });
});
