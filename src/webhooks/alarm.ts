/** A wait that can be cut short. */
export interface Alarm {
  /** Ends the wait in progress; where there is none, the next one. */
  ring(): void;
  /** Forgets that it rang. */
  reset(): void;
  /** Resolves after `ms`, or once it has rung, but not before `leastMs`. */
  wait(ms: number, leastMs: number): Promise<void>;
}

export function createAlarm(): Alarm {
  let rung = Promise.withResolvers<void>();
  return {
    ring: () => rung.resolve(),
    reset() {
      rung = Promise.withResolvers<void>();
    },
    async wait(ms, leastMs) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(ms, leastMs)));
      if (ms <= leastMs) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms - leastMs);
      await Promise.race([promise, rung.promise]);
      clearTimeout(timer);
    },
  };
}
