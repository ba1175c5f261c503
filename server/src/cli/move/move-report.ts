import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type Refusal, renderRefusals } from '../api/domains-csv.ts';
import { MOST_SHOWN } from '../api/import-domains.ts';

/** Longest name that is shown, in characters: no domain is longer. */
const LONGEST_SHOWN = 253;

/** A report as `domains import` writes it, written while it grows: a million lines need no memory. */
export interface MoveReport {
  add(line: Refusal): void;
  /** The first lines. */
  shown: Refusal[];
  count(): number;
  /** Puts the file in its place. One without lines is removed. */
  end(): void;
}

/** Undefined: no file. An earlier report is removed. */
export function openReport(path: string | undefined): MoveReport {
  if (path !== undefined) for (const old of [path, `${path}.part`]) rmSync(old, { force: true });
  // It has data of customers: never into a file, or through a link, that is there already.
  const file = path === undefined ? undefined : openSync(`${path}.part`, 'wx', 0o600);
  const shown: Refusal[] = [];
  let count = 0;
  if (file !== undefined) writeSync(file, renderRefusals([], { header: true }));
  return {
    shown,
    add(line) {
      count += 1;
      if (shown.length < MOST_SHOWN) shown.push({ ...line, domain: short(line.domain) });
      if (file !== undefined) writeSync(file, renderRefusals([line], { header: false }));
    },
    count: () => count,
    end() {
      if (file === undefined) return;
      closeSync(file);
      if (count === 0) rmSync(`${path}.part`);
      else renameSync(`${path}.part`, `${path}`);
    },
  };
}

function short(name: string): string {
  return name.length <= LONGEST_SHOWN ? name : `${name.slice(0, LONGEST_SHOWN)}…`;
}
