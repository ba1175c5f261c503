import type { Stoppable } from '../net/listen.ts';

/** Groups in the order in which they stop. */
type Group = 'roles' | 'listeners' | 'locks' | 'feeds';

/** The parts that a process has started, and stops. */
export interface Parts {
  add<T extends Stoppable>(group: Group, part: T): T;
  /** For parts that start side by side: each loads a thread, or waits for one. `stop` waits for the start. */
  begin<T extends Stoppable>(group: Group, part: T | Promise<T>): Promise<T>;
  /** `stop` waits for it, however it ends. */
  waitFor(start: Promise<unknown>): void;
  /** Stops all parts, also where one fails to. Rejects with the first failure. */
  stop(): Promise<void>;
}

export function createParts(): Parts {
  const groups: Record<Group, Stoppable[]> = { roles: [], listeners: [], locks: [], feeds: [] };
  const starting: Promise<unknown>[] = [];

  function add<T extends Stoppable>(group: Group, part: T): T {
    groups[group].push(part);
    return part;
  }
  const stopGroup = (group: Group) => groups[group].splice(0).map(async (part) => part.stop());

  return {
    add,
    begin(group, part) {
      const started = Promise.resolve(part).then((each) => add(group, each));
      starting.push(started);
      started.catch(() => {});
      return started;
    },
    waitFor: (start) => void starting.push(start),
    async stop() {
      await Promise.allSettled(starting);
      // Once the roles claim no more, another process may take their locks: claimed work stays with this one.
      const stopped = await Promise.allSettled([
        ...stopGroup('roles'),
        ...stopGroup('listeners'),
        ...stopGroup('locks'),
      ]);
      // Caches need the feeds until nothing is served any more.
      stopped.push(...(await Promise.allSettled(stopGroup('feeds'))));
      for (const part of stopped) if (part.status === 'rejected') throw part.reason;
    },
  };
}
