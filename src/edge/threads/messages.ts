import type { Change, EdgeStore } from '../../store/contract/store.ts';
import type { MetricsSnapshot } from '../edge-metrics.ts';
import type { EdgeServerSettings } from '../edge-server.ts';

/** Messages between the main thread and the threads of the edge. */

export interface ThreadData {
  settings: EdgeServerSettings;
  ticketSecret: Uint8Array;
}

/** What threads call in the main thread. */
export interface MainThread extends EdgeStore {
  lookUp(hostname: string): Promise<readonly string[]>;
}

type CallOf<M extends keyof MainThread> = { kind: 'call'; id: number; method: M; args: Parameters<MainThread[M]> };
export type MainThreadCall = { [M in keyof MainThread]: CallOf<M> }[keyof MainThread];

export type FromThread =
  | MainThreadCall
  | { kind: 'listening' }
  /** Once a second, and at the end. */
  | { kind: 'metrics'; snapshot: MetricsSnapshot }
  | { kind: 'warn'; message: string; fields: Record<string, unknown>; key: string | undefined };

export type ToThread =
  | { kind: 'result'; id: number; result: unknown }
  /** `unavailable`: the store is down. */
  | { kind: 'error'; id: number; message: string; unavailable: boolean }
  | { kind: 'change'; change: Change | null }
  | { kind: 'ticketSecret'; secret: Uint8Array }
  | { kind: 'stop'; graceMs: number };
