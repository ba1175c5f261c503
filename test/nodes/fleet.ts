import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/seeded-random.ts';
import { type Server, type ServerStart, startServer } from '../support/server-process.ts';

/** Nodes on one database, to which something happens all the time. */
export interface Fleet {
  /** The URL of a node that runs, of which there is always one. */
  anyone(): string;
  /** Counts of events at the nodes. */
  tally: { started: number; killed: number; stopped: number; 'killed while stopped': number };
  /** Resolves once no node is left. Rejects when one has ended by itself. */
  end(): Promise<void>;
}

export interface FleetOptions {
  start: ServerStart;
  nodes: number;
  /** Longest time between two things that happen to a node. */
  everyMs: number;
  /** Longest time for which a node is stopped (SIGSTOP). */
  stoppedMs: number;
}

/** Starts nodes, kills them (`kill -9`), stops and continues them, and starts others in their place, at random. */
export async function startFleet(random: Random, options: FleetOptions): Promise<Fleet> {
  const { start, nodes, everyMs, stoppedMs } = options;
  const tally = { started: 0, killed: 0, stopped: 0, 'killed while stopped': 0 };
  /** Those that live, and of these the ones that run. */
  const [alive, running] = [new Set<Server>(), new Set<Server>()];
  const ending = new AbortController();
  const { signal } = ending;

  async function launch(): Promise<Server> {
    const server = await startServer(start);
    tally.started += 1;
    alive.add(server);
    running.add(server);
    return server;
  }

  /** The life of one node after the other, in one place of the fleet. */
  async function live(first: Server): Promise<void> {
    for (let server = first; !signal.aborted; ) {
      await pause(random.between(0, nodes * everyMs));
      if (signal.aborted) return;
      if (!server.isRunning()) throw new Error(`a node has ended by itself: ${server.complaints()}`);
      // Somebody has to be there whom clients can ask.
      if (running.size === 1) continue;
      running.delete(server);
      if (random.chance(0.5)) {
        tally.stopped += 1;
        process.kill(server.pid, 'SIGSTOP');
        await pause(random.between(stoppedMs / 4, stoppedMs));
        if (random.chance(0.8) && !signal.aborted) {
          process.kill(server.pid, 'SIGCONT');
          running.add(server);
          continue;
        }
        tally['killed while stopped'] += 1;
      } else {
        tally.killed += 1;
      }
      await server.kill();
      alive.delete(server);
      await pause(random.between(0, everyMs));
      if (!signal.aborted) server = await launch();
    }
  }

  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  const servers = await Promise.all(Array.from({ length: nodes }, launch));
  const lives = Promise.all(servers.map(live));
  lives.catch(() => {});

  return {
    tally,
    anyone: () => (random.pick([...running]) as Server).url,
    async end() {
      ending.abort();
      await lives.finally(() => Promise.all([...alive].map((server) => server.kill())));
    },
  };
}
