import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../server/src/cli/data-dir.ts';
import type { Simulator, Snapshot } from './dns/simulator.ts';

interface SavedRecords {
  /** Whether there was a file. */
  found: boolean;
  /** Resolves when the current records are on disk. */
  save(): Promise<void>;
}

/** Restores the simulator from `dns.json`, and saves it there. Rejects with advice if the file is invalid. */
export async function restoreRecords(simulator: Simulator, dataDir: string): Promise<SavedRecords> {
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
      // One write at a time, so that an older snapshot never replaces a newer one.
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
      `Cannot read the DNS records in ${path} (${error instanceof Error ? error.message : error}). Move the file away and start again.`,
    );
  }
}
