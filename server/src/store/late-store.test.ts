import { expect, it, vi } from 'vitest';
import { AUTHOR } from '../../../test/support/entities.ts';
import { openLater } from './late-store.ts';
import { type Store, StoreUnavailable } from './store.ts';

/** As much of a store as the test calls. */
function aStore() {
  const changes = { deleteWorkspace: async () => 'deleted' };
  const methods = { changesBy: () => changes, changesOnce: () => changes, listWorkspaces: async () => [] };
  return { store: { ...methods, close: vi.fn(async () => {}) } as unknown as Store };
}
const close = ({ store }: { store: Store }) => store.close();
const storeOf = ({ store }: { store: Store }) => store;

it('fails until the store is open, and is that store from then on', async () => {
  const failures: unknown[] = [];
  const opened = aStore();
  let isAway = true;
  const late = openLater({
    async open() {
      if (isAway) throw new Error('away');
      return opened;
    },
    close,
    storeOf,
    onFailure(error) {
      failures.push(error);
      isAway = failures.length < 2;
    },
  });
  await expect(late.store.listWorkspaces()).rejects.toThrow(StoreUnavailable);
  // Taken before it is open, as a handler takes them.
  const [changes, once] = [late.store.changesBy(AUTHOR), late.store.changesOnce({ by: AUTHOR })];
  await expect(changes.deleteWorkspace('ws')).rejects.toThrow(StoreUnavailable);
  await expect(once.deleteWorkspace('ws')).rejects.toThrow(StoreUnavailable);
  expect(await late.opened).toBe(opened);
  expect(await changes.deleteWorkspace('ws')).toBe('deleted');
  expect(await once.deleteWorkspace('ws')).toBe('deleted');
  expect(failures).toHaveLength(2);
  expect(await late.store.listWorkspaces()).toEqual([]);
  late.giveUp();
  expect(await late.store.listWorkspaces()).toEqual([]);
});

it('gives up at once, and closes a store that is opened too late', async () => {
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof aStore>>();
  const late = openLater({ open: () => promise, close, storeOf, onFailure: () => {} });
  late.giveUp();
  await expect(late.opened).rejects.toThrow(StoreUnavailable);
  const opened = aStore();
  resolve(opened);
  await vi.waitFor(() => expect(opened.store.close).toHaveBeenCalledOnce());
  await expect(late.store.listWorkspaces()).rejects.toThrow(StoreUnavailable);
});
