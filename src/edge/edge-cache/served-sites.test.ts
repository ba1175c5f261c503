import { expect, it } from 'vitest';
import { bytesOf, createServedSites, MAX_AGE_MS, type ServedSite } from './served-sites.ts';

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function aSite(hostname: string, about: Partial<ServedSite> = {}): ServedSite {
  const certificate = { chain: 'x'.repeat(1000), privateKey: new Uint8Array(160), notAfter: NOW, inherited: false };
  return {
    site: {
      hostname,
      workspaceId: 'ws_1',
      suspendedStatus: null,
      domainId: 'dom_1',
      environmentId: 'env_1',
      redirect: null,
    },
    certificate,
    confirmedAt: null,
    ...about,
  };
}

it('sites are bounded in bytes and in number, and the most recently served are kept', () => {
  const size = bytesOf(aSite('00.example.com'));
  const names = Array.from({ length: 20 }, (_, i) => `${String(i).padStart(2, '0')}.example.com`);
  for (const bound of [{ maxBytes: 10 * size }, { maxBytes: 1_000_000, maxEntries: 10 }]) {
    const { sites } = createServedSites(bound);
    for (const name of names) {
      sites.set(name, aSite(name));
      sites.touch('00.example.com');
    }
    expect(sites.entries().map(([name]) => name)).toEqual(['00.example.com', ...names.slice(11).reverse()]);
  }
});

it('what is current is as old as the last confirmation; nothing is served 72 hours after its own', () => {
  const served = createServedSites();
  served.sites.set('a.example.com', aSite('a.example.com'));
  const isServed = (now: number) => served.sites.find('a.example.com', now) !== null;
  expect(isServed(NOW)).toBe(false);
  served.confirm(NOW);
  expect([isServed(NOW + MAX_AGE_MS), isServed(NOW + MAX_AGE_MS + 1)]).toEqual([true, false]);
  served.suspectAll();
  served.confirm(NOW + 10 * HOUR_MS);
  expect([isServed(NOW + MAX_AGE_MS), isServed(NOW + MAX_AGE_MS + 1)]).toEqual([true, false]);
  expect(served.sites.find('a.example.com', NOW)?.until).toBe(NOW + MAX_AGE_MS);
});

it('a clock that was set back by more than an hour makes the age unknown', () => {
  const served = createServedSites();
  served.sites.set('a.example.com', aSite('a.example.com', { confirmedAt: NOW }));
  const isServed = (now: number) => served.sites.find('a.example.com', now) !== null;
  expect([isServed(NOW - HOUR_MS), isServed(NOW - HOUR_MS - 1)]).toEqual([true, false]);
});
