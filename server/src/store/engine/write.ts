import type { SecretPlace } from '../store.ts';
import type { Reader, Transaction } from './statement.ts';

/** Seals a secret for the place where it is stored. */
export type Seal = (secret: Uint8Array, place: SecretPlace) => Uint8Array;

/** Statements of a write beside its SQL. All are required: the compiler refuses a write that forgets one. */
export interface WriteRules<Args extends unknown[]> {
  /**
   * Names of the advisory locks that isolate it where there are several writers: two transactions that take the same lock run one after the
   * other. A write locks what it reads first and then relies on (`NO_LOCKS`: nothing). What a single statement, a key or a constraint settles
   * needs no lock; nor does what happens to one certificate, whose row each such write updates before anything else.
   */
  locks(...args: Args): string[];
  /** The arguments, with every secret among them sealed (`NO_SECRET`: there is none). */
  secret(seal: Seal, ...args: Args): Args;
  /** Ids of the domains that it may change (`NO_DOMAINS`: none). Caches invalidate them before the write resolves; changing another one is an error. */
  invalidates(...args: Args): string[];
}

export const NO_LOCKS = () => [];
export const NO_SECRET = <Args extends unknown[]>(_: Seal, ...args: Args): Args => args;
export const NO_DOMAINS = () => [];

/** A write as an engine runs it, in one transaction. */
export interface WriteUseCase<Args extends unknown[], T>
  extends Pick<WriteRules<Args>, 'locks' | 'invalidates'>,
    Pick<WriteOptions<Args>, 'prepare'> {
  /** The name of `perform`: a function cannot be posted to SQLite's writer thread, so its name is (`sqlite/commit-batch.ts`). */
  name: string;
  perform(tx: Transaction, ...args: Args): Promise<T>;
  synced(...args: Args): boolean;
  /** An id under which no two run at the same time: the second one resolves with `in_flight` at once. */
  once?(...args: Args): string | undefined;
}

interface WriteOptions<Args extends unknown[]> {
  /** Whether it must survive a power cut, so that its commit waits for the disk: all writes but those the contract marks (unsynced). */
  synced?(...args: Args): boolean;
  /** Reads, before the transaction, what its locks depend on, or packs what is posted to another thread. */
  prepare?(reader: Reader, ...args: Args): Promise<Args>;
}

/** A write of the roles. */
export interface Write<Args extends unknown[], T> extends WriteUseCase<Args, T>, Pick<WriteRules<Args>, 'secret'> {}

interface WriteDefinition<Args extends unknown[], T> extends WriteRules<Args>, WriteOptions<Args> {
  perform(tx: Transaction, ...args: Args): Promise<T>;
}

export function write<Args extends unknown[], T>(definition: WriteDefinition<Args, T>): Write<Args, T> {
  return { synced: () => true, ...definition, name: definition.perform.name };
}

/** A write that deletes what has expired, or notes what is seen again soon: the next one makes up for one that a power cut loses. */
export function upkeep<Args extends unknown[], T>(perform: WriteDefinition<Args, T>['perform']): Write<Args, T> {
  return write({ ...plain(perform), synced: () => false });
}

/** A single statement, or one that a key settles, that concerns no domain and holds no secret. */
export function plain<Args extends unknown[], T>(perform: WriteDefinition<Args, T>['perform']): Write<Args, T> {
  return write({ perform, locks: NO_LOCKS, secret: NO_SECRET, invalidates: NO_DOMAINS });
}
