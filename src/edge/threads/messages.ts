import type { Change, EdgeStore } from '../../store/contract/store.ts';
import type { ServingSettings } from './serving.ts';

/** What the main thread and those of the edge say to each other. Private keys cross in no other way. */

/** What a thread is started with. */
export interface ThreadData {
  settings: ServingSettings;
  allowedNetworks: readonly string[];
  tally: SharedArrayBuffer;
  ticketSecret: Uint8Array;
}

/** What threads ask for: reads of the store, and addresses of origins. */
export interface Asked extends EdgeStore {
  lookUp(hostname: string): Promise<readonly string[]>;
}

type Question<M extends keyof Asked> = { kind: 'ask'; id: number; method: M; args: Parameters<Asked[M]> };
export type AnyQuestion = { [M in keyof Asked]: Question<M> }[keyof Asked];

export type ToMain =
  | AnyQuestion
  | { kind: 'listening' }
  | { kind: 'report'; what: string; fields: Record<string, unknown>; about: string | undefined };

export type ToThread =
  | { kind: 'answer'; id: number; answer: unknown }
  /** `unavailable`: it is the store that could not. */
  | { kind: 'failure'; id: number; message: string; unavailable: boolean }
  | { kind: 'change'; change: Change | null }
  | { kind: 'ticketSecret'; secret: Uint8Array }
  | { kind: 'stop'; graceMs: number };
