import { pause } from '../../../../client/retry.ts';
import { CliError } from '../cli-error.ts';
import { shortDuration } from '../output/output.ts';
import { withBar } from '../output/terminal.ts';
import type { ApiClient } from './api-client.ts';
import type { Imported, ImportHooks, NewDomain, Place, PlacedRow, ShownOutcome } from './import-rows.ts';
import { withRetries } from './with-retries.ts';

/** A row of any source of names. */
export interface SourceRow extends Omit<PlacedRow, 'place'> {
  /** Where the name belongs; or why that cannot be said. */
  place: Place | string;
  /** Why the row cannot be used; null where it can. */
  problem: string | null;
  /** The part of the source that is read once this row is, up to 1. */
  share: number;
}

/** For calls that may be repeated: Ctrl-C ends them, and the bar shows their waits. */
export interface Retrying {
  signal: AbortSignal;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

interface RunOptions<Row> extends Omit<ImportHooks<Row>, 'attached'> {
  dryRun?: true | undefined;
  /** The label of the bar. */
  doing: string;
  attached?(row: Row, outcome: ShownOutcome, retrying: Retrying): Promise<void>;
  /** Runs once all rows are attached or refused. */
  after?(retrying: Retrying): Promise<void>;
}

/**
 * In characters. A domain has 253 at most: the server refuses this one too, and the request stays below its size limit.
 */
const LONGEST_NAME = 1000;

/** Attaches names in batches of 100, with a bar and retries. Throws `CliError`. */
export async function importRows<Row extends SourceRow>(
  api: ApiClient,
  rowsOf: (retrying: Retrying) => AsyncIterable<Row>,
  { dryRun, doing, attached, after, ...hooks }: RunOptions<Row>,
): Promise<Imported> {
  const { createImporter } = await import('./import-rows.ts');
  return withBar(async (bar, signal) => {
    // No Idempotency-Key: the server tells names that are there already, and would keep each outcome for a day.
    const call = { signal, idempotencyKey: null };
    let done = 0;
    const wait = (ms: number, signal?: AbortSignal) => {
      bar.show(`Waiting ${shortDuration(ms)} for the server`, done);
      return pause(ms, signal);
    };
    const retrying = { signal, wait };
    const send = (place: Place, domains: NewDomain[]) =>
      withRetries(
        () => api.call<ShownOutcome[]>('domains.createDomains', { ...place, domains, ...(dryRun && { dryRun }) }, call),
        retrying,
      );
    const importer = createImporter<Row & PlacedRow>(send, {
      ...hooks,
      ...(attached && { attached: (row, outcome) => attached(row, outcome, retrying) }),
    });
    try {
      for await (const row of rowsOf(retrying)) {
        signal.throwIfAborted();
        const { place } = row;
        if (row.problem !== null) importer.refuse(row, row.problem);
        else if (row.domain === '') importer.refuse(row, 'The row has no name.');
        else if (typeof place === 'string') importer.refuse(row, place);
        else if (row.domain.length > LONGEST_NAME) importer.refuse(row, 'The name is far too long.');
        else await importer.add({ ...row, place });
        done = row.share;
        bar.show(doing, done);
      }
      const imported = await importer.end();
      await after?.(retrying);
      return imported;
    } catch (error) {
      if (signal.aborted) throw new CliError('Interrupted. Run the same command again to go on.');
      throw error;
    }
  });
}
