import { beforeEach, expect, it, vi } from 'vitest';
import type { Domain } from '../../domain/domain.ts';
import { createLog } from '../../log.ts';
import { type Change, StoreUnavailable } from '../../store/contract/store.ts';
import { exampleDomain } from '../domains/present-domain.ts';
import { type WatchedDomains, watchDomains } from './watched-domains.ts';

type Read = PromiseWithResolvers<Domain | null>;

let reads: Read[];
let tell: (change: Change | null) => void;
let watched: WatchedDomains;
beforeEach(() => {
  reads = [];
  watched = watchDomains({
    store: {
      findDomainById() {
        const read = Promise.withResolvers<Domain | null>();
        reads.push(read);
        return read.promise;
      },
    },
    changes: {
      isFresh: () => true,
      subscribe(listener) {
        tell = listener;
      },
    },
    log: createLog('silent'),
  });
});

const at = (revision: number): Domain => ({ ...exampleDomain, revision });
const changed = (key = exampleDomain.id) => tell({ seq: 1, kind: 'domain', key });

/** A listener, and the revisions that it was told. */
function listen(domain = exampleDomain, changes = watched.changes()) {
  const told: (number | null)[] = [];
  const remove = watched.add(domain, changes, (found) => told.push(found?.revision ?? null));
  return { told, remove };
}

/** Answers the read that has begun, and waits until it is told and further ones have begun. */
async function answer(index: number, found: Domain | null): Promise<void> {
  await vi.waitUntil(() => reads.length > index);
  reads[index]?.resolve(found);
  await reads[index]?.promise;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

it('one read tells a thousand listeners', async () => {
  const listeners = Array.from({ length: 1000 }, () => listen());
  changed();
  await answer(0, at(2));
  await vi.waitUntil(() => listeners.every(({ told }) => told.length === 1));
  expect(reads).toHaveLength(1);
});

it('changes of other domains and of other kinds are not read', () => {
  listen();
  changed('dom_other');
  tell({ seq: 2, kind: 'route', key: exampleDomain.id });
  expect(reads).toHaveLength(0);
});

it('changes during a read lead to one more', async () => {
  const { told } = listen();
  changed();
  for (let i = 0; i < 10; i += 1) changed();
  expect(reads).toHaveLength(1);
  await answer(0, at(2));
  await answer(1, at(3));
  expect(told).toEqual([2, 3]);
  expect(reads).toHaveLength(2);
});

it('who comes during a read is told by the next one: the first may know less', async () => {
  const early = listen();
  changed();
  const late = listen(at(5));
  await answer(0, at(2));
  await answer(1, at(5));
  expect([early.told, late.told]).toEqual([[2, 5], [5]]);
});

it('a change between reading a domain and adding a listener is told', async () => {
  const before = watched.changes();
  changed();
  const { told } = listen(at(1), before);
  await answer(0, at(2));
  expect(told).toEqual([2]);
});

it('when everything may have changed, all are read, a few at a time', async () => {
  for (let i = 0; i < 20; i += 1) listen({ ...exampleDomain, id: `dom_${i}` });
  tell(null);
  expect(reads).toHaveLength(8);
  for (let i = 0; i < 20; i += 1) await answer(i, at(2));
  expect(reads).toHaveLength(20);
});

it('a deleted domain is told once, and not read again', async () => {
  const { told } = listen();
  changed();
  await answer(0, null);
  changed();
  expect(told).toEqual([null]);
  expect(reads).toHaveLength(1);
});

it('a read that failed is repeated, and not for nobody', async () => {
  const { told, remove } = listen();
  changed();
  reads[0]?.reject(new StoreUnavailable('down'));
  await new Promise((resolve) => setImmediate(resolve));
  watched.retry();
  await answer(1, at(2));
  expect(told).toEqual([2]);
  changed();
  await vi.waitUntil(() => reads.length === 3);
  remove();
  reads[2]?.reject(new StoreUnavailable('down'));
  await new Promise((resolve) => setImmediate(resolve));
  watched.retry();
  expect(reads).toHaveLength(3);
});

it('nothing is read for a listener that was removed', async () => {
  const { remove } = listen();
  remove();
  changed();
  expect(reads).toHaveLength(0);
});
