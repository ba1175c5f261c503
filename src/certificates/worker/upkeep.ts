import { LEDGER_RETENTION_MS } from '../../domain/certificate-state.ts';
import type { Log } from '../../log.ts';
import type { CertificateStore } from '../../store/contract/store.ts';
import { type GaugesOptions, measure } from './gauges.ts';

export interface UpkeepOptions extends GaugesOptions {
  store: GaugesOptions['store'] & Pick<CertificateStore, 'pruneChallenges' | 'pruneLedger'>;
  log: Log;
}

/** Once a minute the gauges are read, and what nobody needs any more is forgotten. */
export interface Upkeep {
  start(): void;
  /** Resolves when what is under way is done. */
  stop(): Promise<void>;
}

const EVERY_MS = 60_000;

export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { store, clock, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<unknown> = Promise.resolve();
  let stopped = false;

  async function keepUp(): Promise<void> {
    const now = clock.now();
    await store.pruneChallenges(now);
    await store.pruneLedger(now - LEDGER_RETENTION_MS);
    await measure(options);
  }

  function start(): void {
    underWay = keepUp()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'certificates could not be counted; trying again in a minute'),
      )
      .then(() => {
        if (!stopped) timer = setTimeout(start, EVERY_MS);
      });
  }

  return {
    start,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
