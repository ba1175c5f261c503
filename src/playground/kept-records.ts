import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator, Snapshot } from './dns/simulator.ts';
import { replaceFile } from './ready.ts';

/** Keeps what a person set in the simulator in `dns.json`, for the next start of the playground. */
export interface Keeper {
  /** Resolves when everything that is set now is on file. */
  save(): Promise<void>;
}

/** Restores what was kept. Rejects with what to do when the file makes no sense. `found` says whether there was one. */
export async function keepRecords(simulator: Simulator, dataDir: string): Promise<Keeper & { found: boolean }> {
  const path = join(dataDir, 'dns.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text !== null) restore(simulator, text, path);
  let saving: Promise<void> = Promise.resolve();
  return {
    found: text !== null,
    save() {
      const write = () => replaceFile(path, JSON.stringify(simulator.snapshot()));
      // One after the other, so that an older picture never replaces a newer one.
      saving = saving.then(write, write);
      return saving;
    },
  };
}

function restore(simulator: Simulator, text: string, path: string): void {
  try {
    simulator.restore(JSON.parse(text) as Snapshot);
  } catch (error) {
    throw new Error(
      `The DNS records kept in ${path} cannot be read (${error instanceof Error ? error.message : error}). Move the file away, and start again.`,
    );
  }
}
