import { availableParallelism } from 'node:os';
import type { Config } from '../config/config.ts';

/** Default number of threads. */
const MOST_API_THREADS = 4;
const BYTES_PER_MB = 1024 * 1024;

/** Number of threads in which the API listens; 0: one, which it shares with checks and certificates. */
export function apiThreadsOf(config: Pick<Config, 'apiThreads'>, cores = availableParallelism()): number {
  const wanted = config.apiThreads ?? Math.min(MOST_API_THREADS, cores === 1 ? 0 : Math.floor(cores / 2));
  // Only Linux threads can share a port.
  return process.platform === 'linux' ? wanted : Math.min(1, wanted);
}

/** Whether checks and certificates have a thread of their own, so that requests do not wait for them. */
export function hasBackgroundThread(config: Pick<Config, 'apiThreads' | 'roles'>): boolean {
  return apiThreadsOf(config) > 0 && hasRole(config, 'api', 'edge') && runsInBackground(config);
}

/** Whether a process checks, delivers or orders certificates. */
export function runsInBackground(config: Pick<Config, 'roles'>): boolean {
  return hasRole(config, 'verifier', 'certificates');
}

function hasRole(config: Pick<Config, 'roles'>, ...roles: Config['roles']): boolean {
  return roles.some((role) => config.roles.includes(role));
}

/** The share of one thread of the API in the memory for cached domains. */
export function cachedBytesOf(config: Pick<Config, 'apiThreads' | 'cacheMb'>): number {
  return (config.cacheMb * BYTES_PER_MB) / Math.max(1, apiThreadsOf(config));
}
