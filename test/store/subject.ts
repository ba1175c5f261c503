import type { Store, Workspace } from '../../server/src/store/store.ts';
import type { Planted } from '../support/entities.ts';

/** A store on data of its own. */
export interface OpenedStore {
  store: Store;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  /** Runs SQL on its data, past the store. */
  run(sql: string): Promise<void>;
  /** The rows that one statement of SQL finds in its data. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Whether these bytes lie anywhere in its data. */
  contains(bytes: Uint8Array): Promise<boolean>;
  /** Closes the store and removes its data. */
  close(): Promise<void>;
}

/** The tools of the contract's tests. */
export interface Subject {
  readonly store: Store;
  /**
   * A workspace of its own for a test, with a project, an app and an environment; its domains are gone after the test.
   */
  plant(about?: Partial<Workspace>): Promise<Planted>;
  /** Another store, on other data. */
  open(): Promise<OpenedStore>;
}
