import { setTimeout as delay } from 'node:timers/promises';
import { changesWith } from './engine/changes.ts';
import { STORE_METHODS } from './engine/sql-store.ts';
import { type OnceChanges, type Store, StoreUnavailable } from './store.ts';

/** A store that is opened as soon as that is possible. */
export interface LateStore<Opened> {
  /** Its methods reject with `StoreUnavailable` until it is open. */
  store: Store;
  /** Rejects when the attempts end. */
  opened: Promise<Opened>;
  /** Ends the attempts at once, unless it is open. */
  giveUp(): void;
}

interface LateStoreOptions<Opened> {
  open(): Promise<Opened>;
  /** For a store that was opened too late. */
  close(opened: Opened): Promise<void>;
  storeOf(opened: Opened): Store;
  /** Told why each attempt failed. */
  onFailure(error: unknown): void;
}

const RETRY_MS = 300;

/** Tries to open a store until it works. */
export function openLater<Opened>({ open, close, storeOf, onFailure }: LateStoreOptions<Opened>): LateStore<Opened> {
  const { promise: given, reject } = Promise.withResolvers<never>();
  given.catch(() => {});
  let isOver = false;
  let current: Store | undefined;

  async function attempt(): Promise<Opened> {
    for (;;) {
      const opening = open();
      try {
        const opened = await Promise.race([opening, given]);
        current = storeOf(opened);
        return opened;
      } catch (error) {
        if (isOver) {
          opening.then(close).catch(() => {});
          throw error;
        }
        onFailure(error);
      }
      await Promise.race([delay(RETRY_MS, undefined, { ref: false }), given]);
    }
  }

  const opened = attempt();
  // Whoever waits for it hears of the end of the attempts.
  opened.catch(() => {});
  return {
    store: {
      ...delegate(() => current),
      onDomainWrite(listener) {
        opened.then(
          (its) => storeOf(its).onDomainWrite(listener),
          () => {},
        );
      },
    },
    opened,
    giveUp() {
      isOver = true;
      reject(new StoreUnavailable('the store is closed'));
    },
  };
}

/** Has the methods of every store; each calls that of the current one. */
function delegate(current: () => Store | undefined): Store {
  function opened(): Store {
    const store = current();
    if (store !== undefined) return store;
    throw new StoreUnavailable('the store cannot be reached, and was not since this process was started');
  }
  const call = (methods: object, name: string, args: unknown[]) =>
    (methods as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args);
  const method =
    (name: string) =>
    async (...args: unknown[]) =>
      call(opened(), name, args);
  return {
    // One method for each of a store's, of the same type.
    ...(Object.fromEntries(STORE_METHODS.map((name) => [name, method(name)])) as unknown as Store),
    changesBy: (by) => changesWith(async ({ name }, args) => call(opened().changesBy(by), name, args)),
    changesOnce: (about) =>
      changesWith(async ({ name }, args) => call(opened().changesOnce(about), name, args)) as unknown as OnceChanges,
  };
}
