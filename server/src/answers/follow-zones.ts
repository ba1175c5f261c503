import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import type { Stoppable } from '../net/listen.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { DnsChallenge, DnsStore } from '../store/store.ts';
import { aliveAddresses, GONE_MS, HEARTBEAT_MS, type SeenEdges, seeEdges } from './edges.ts';
import type { ZoneData } from './zones.ts';

interface FollowZonesDeps {
  store: Pick<DnsStore, 'listDnsChallenges' | 'listEdgeAddresses'>;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
  /** Whether addresses of edges are answered. */
  servesAddresses: boolean;
  /** The addresses in this node's configuration: where no edge has reported any. */
  ownAddresses: readonly string[];
  /** Called with everything, where anything has changed. */
  onData(data: ZoneData): void;
}

/**
 * Reads what the zones answer from the store, at every change and every two seconds. While that fails, nothing changes:
 * the addresses stay.
 */
export function followZones(deps: FollowZonesDeps): Stoppable {
  const { store, changes, clock, log, servesAddresses, ownAddresses, onData } = deps;
  let edges: SeenEdges = new Map();
  let told = '';
  let isFailing = false;
  let reading: Promise<void> | undefined;
  let isStale = false;
  let isStopped = false;

  async function read(): Promise<void> {
    const now = clock.now();
    const challenges = byLabel(await store.listDnsChallenges(now));
    const beats = servesAddresses ? await store.listEdgeAddresses(now - GONE_MS) : [];
    edges = seeEdges(edges, beats, performance.now());
    const reported = aliveAddresses(edges, performance.now());
    const addresses = reported.length > 0 ? reported : ownAddresses;
    const text = JSON.stringify([[...challenges], addresses]);
    if (text !== told) onData({ challenges, addresses });
    told = text;
  }

  async function readOrWarn(): Promise<void> {
    try {
      await read();
      if (isFailing) log.info('what DNS answers can be read from the store again');
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'what DNS answers cannot be read from the store; it stays as it was');
      isFailing = true;
    }
  }

  /** One read at a time; another one after it, where something has changed meanwhile. */
  function poll(): Promise<void> {
    // The feed says at its own end that everything may change.
    if (isStopped) return Promise.resolve();
    if (reading !== undefined) {
      isStale = true;
      return reading;
    }
    reading = readOrWarn().finally(() => {
      reading = undefined;
      if (isStale) void poll();
      isStale = false;
    });
    return reading;
  }

  changes.subscribe((change) => {
    if (change === null || change.kind === 'dns_challenge') void poll();
  });
  const polling = repeat(poll, { everyMs: HEARTBEAT_MS, log, message: 'what DNS answers could not be read' });
  return {
    async stop() {
      isStopped = true;
      await polling.stop();
      await reading;
    },
  };
}

function byLabel(challenges: readonly DnsChallenge[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { label, value } of challenges) values.set(label, [...(values.get(label) ?? []), value].sort());
  return new Map([...values].sort());
}
