import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type Refusal, renderRefusals } from '../api/domains-csv.ts';
import { MOST_SHOWN } from '../api/import-domains.ts';

/** A report as `domains import` writes it, written while it grows: a million lines need no memory. */
export interface MoveReport {
  add(line: Refusal): void;
  /** The first lines. */
  shown: Refusal[];
  count(): number;
  /** Puts the file in its place. */
  end(): void;
}

/** Undefined: no file. An earlier report is removed. */
export function openReport(path: string | undefined): MoveReport {
  if (path !== undefined) rmSync(path, { force: true });
  // It has data of customers.
  const file = path === undefined ? undefined : openSync(`${path}.part`, 'w', 0o600);
  const shown: Refusal[] = [];
  let count = 0;
  if (file !== undefined) writeSync(file, renderRefusals([], { header: true }));
  return {
    shown,
    add(line) {
      count += 1;
      if (shown.length < MOST_SHOWN) shown.push(line);
      if (file !== undefined) writeSync(file, renderRefusals([line], { header: false }));
    },
    count: () => count,
    end() {
      if (file === undefined) return;
      closeSync(file);
      renameSync(`${path}.part`, `${path}`);
    },
  };
}
